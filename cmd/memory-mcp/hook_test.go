package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A host is what starts hooks: a home with its own files, and a project.
type host struct {
	t                       *testing.T
	home, project, memories string
}

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{t: t, home: t.TempDir(), project: repository(t)}
	h.memories = filepath.Join(h.project, ".git", "memory")
	t.Setenv("CLAUDE_CODE_SESSION_ID", "one")
	t.Setenv("CLAUDE_PROJECT_DIR", h.project)
	return h
}

// run runs the program as the host would.
func (h *host) run(in string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command("memory-mcp", args...)
	cmd.Dir = h.project
	cmd.Env = append(os.Environ(), "HOME="+h.home, "USERPROFILE="+h.home, "MEMORY_MCP_HOME="+filepath.Join(h.home, ".memory-mcp"))
	cmd.Stdin = strings.NewReader(in)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || args[0] == "hook" && errs.Len() > 0 {
		h.t.Fatalf("%q: %v %s", args, err, errs.Bytes())
	}
	return out.String()
}

func (h *host) event(fields map[string]any) string {
	h.t.Helper()
	fields["session_id"], fields["cwd"] = "one", h.project
	b, err := json.Marshal(fields)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.run(string(b), "hook", "claude-code")
}

// The server and the hooks of one session keep one ledger.
func TestHooksDoNotRepeatWhatTheServerAnswered(t *testing.T) {
	h := newHost(t)
	h.run("", "store", "Uploads must go through the queue, direct ones lose events", "--topic", "gotchas")
	h.run("", "store", "The payment service retries three times with jitter because the bank drops idle connections", "--topic", "architecture")
	if out := h.event(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "why do direct uploads lose events?"}); !strings.Contains(out, "queue") {
		t.Fatalf("a prompt is answered with %q", out)
	}
	s := startIn(t, h.project, "memory-mcp", "serve")
	s.send(greeting)
	s.receive(1)
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_context","arguments":{"context":"payment service retries bank connections"}}}` + "\n")
	if answer := string(s.receive(2)); !strings.Contains(answer, "jitter") {
		t.Fatalf("the server answers %s", answer)
	}
	s.in.Close()
	s.ends()
	prompt := map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "how does the payment service retry when the bank drops connections?"}
	if out := h.event(prompt); out != "" {
		t.Errorf("what the server answered is shown again: %s", out)
	}
	if out := h.run("", "stats"); !strings.Contains(out, "memory_context 1") || !strings.Contains(out, "1 memory in 1 answers") {
		t.Errorf("the figures are %s", out)
	}
}

// The end of a session is looked through after the host has gone, and its pipe
// is closed long before.
func TestTheSweepOutlivesTheHost(t *testing.T) {
	h := newHost(t)
	transcript := filepath.Join(h.home, ".claude", "projects", "-p", "one.jsonl")
	if err := os.MkdirAll(filepath.Dir(transcript), 0o700); err != nil {
		t.Fatal(err)
	}
	line := `{"type":"user","uuid":"u1","message":{"role":"user","content":"From now on, never force-push to the main branch."}}` + "\n"
	if err := os.WriteFile(transcript, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := h.event(map[string]any{"hook_event_name": "SessionEnd", "reason": "other", "transcript_path": transcript}); out != "" {
		t.Errorf("the end of a session is answered with %s", out)
	}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		found, err := filepath.Glob(filepath.Join(h.memories, "conventions", "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 1 {
			break
		}
		if time.Since(began) > patience {
			t.Fatal("nothing was swept")
		}
	}
	h.quiet()
}

// quiet waits until nobody writes into the host's folders any more, so that
// they can be taken away.
func (h *host) quiet() {
	h.t.Helper()
	last, since := "", time.Now()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(50 * time.Millisecond) {
		var all strings.Builder
		for _, dir := range []string{h.home, h.project} {
			err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
				fmt.Fprintln(&all, path)
				return err
			})
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				h.t.Fatal(err)
			}
		}
		if now := all.String(); now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > time.Second {
			return
		}
	}
}
