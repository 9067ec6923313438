package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"memory-mcp/cmd/internal/hook"
	"memory-mcp/cmd/internal/hosts"
	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// world is a project with memories, and hosts around it.
type world struct {
	t       *testing.T
	home    string
	project string
	lobe    string
	now     time.Time
	set     *lobes.Set
	started [][]string
	env     map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, home: filepath.Join(top, "home"), project: filepath.Join(top, "app"), lobe: filepath.Join(top, "lobe"),
		now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), env: map[string]string{},
	}
	for _, dir := range []string{w.home, w.project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.put(entry.Entry{ID: "gotcha-00000001", Topic: "gotchas", Title: "Direct uploads lose events", Body: "Uploads must go through the queue, direct ones lose events.", Trust: entry.User})
	w.put(entry.Entry{ID: "arch-00000002", Topic: "architecture", Title: "Payment retries", Body: "The payment service retries three times with jitter because the bank drops idle connections."})
	w.put(entry.Entry{ID: "dec-00000003", Topic: "decisions", Title: "An idea", Body: "Uploads could skip the queue and be direct.", Status: "candidate"})
	w.put(entry.Entry{ID: "conv-00000004", Topic: "conventions", Title: "From the repository", Body: "Uploads are tested with events in queue_test.go.", Origin: "repository"})
	w.open()
	return w
}

// open makes the lobes anew, as the next process would.
func (w *world) open() {
	w.set = lobes.NewSet([]lobes.Spec{{Name: "app", Root: w.project, Dir: w.lobe, Plain: entry.User}}, lobes.Options{
		Now: func() time.Time { return w.now },
	})
}

func (w *world) put(e entry.Entry) {
	w.t.Helper()
	e.Created = w.now.Add(-time.Hour)
	w.write(filepath.Join(w.lobe, e.Topic, e.ID+".md"), string(e.Format()))
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) hook() *hook.Hook {
	return &hook.Hook{
		Set: w.set, Target: lobes.Target{Dirs: []string{w.project}}, Now: func() time.Time { return w.now }, Memory: w.home,
		Machine: hosts.Machine{OS: "linux", Home: w.home, Getenv: w.getenv},
		Start: func(args ...string) error {
			w.started = append(w.started, args)
			return nil
		},
	}
}

func (w *world) getenv(name string) string { return w.env[name] }

// event runs one event as a process of its own would.
func (w *world) event(host, text string) []byte {
	w.t.Helper()
	e, ok := hook.Read(host, []byte(w.places(text)), w.getenv)
	if !ok {
		return nil
	}
	w.open()
	said, err := w.hook().Answer(context.Background(), e)
	if err != nil {
		w.t.Errorf("%s %s: %v", host, e.Name, err)
	}
	out, err := e.Encode(said)
	if err != nil {
		w.t.Errorf("%s %s: %v", host, e.Name, err)
	}
	return out
}

func (w *world) places(text string) string {
	return strings.NewReplacer("DIR", w.project, "HOME", w.home).Replace(text)
}

// transcripts are what the hosts have written down of their sessions.
func (w *world) transcripts() {
	const rule = "From now on, never force-push to the main branch."
	w.write(filepath.Join(w.home, ".claude/projects/-app/0a1b2c3d.jsonl"),
		`{"type":"user","uuid":"u1","message":{"role":"user","content":"`+rule+`"}}`+"\n"+
			`{"type":"assistant","uuid":"a1","message":{"role":"assistant","content":[{"type":"text","text":"Understood."}]}}`+"\n")
	w.write(filepath.Join(w.home, ".codex/sessions/2026/11/30/rollout-2026-11-30T09-00-00-019a.jsonl"),
		`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"`+rule+`"}]}}`+"\n")
	w.write(filepath.Join(w.home, ".gemini/tmp/app/chats/session-2026-11-30-gem1.jsonl"),
		`{"sessionId":"gem-1"}`+"\n"+`{"id":"1","type":"user","content":"`+rule+`"}`+"\n")
	w.write(filepath.Join(w.home, ".qwen/projects/-app/chats/qwen-1.jsonl"),
		`{"uuid":"1","type":"user","message":{"role":"user","parts":[{"text":"`+rule+`"}]}}`+"\n")
	w.write(filepath.Join(w.home, ".copilot/session-state/cop-1/events.jsonl"),
		`{"type":"user.message","id":"1","data":{"content":"`+rule+`","transformedContent":"<x>"}}`+"\n")
	if err := os.MkdirAll(filepath.Join(w.home, ".config/Code/User"), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

// TestHosts plays the events of each host, in their order, against the answers
// that were recorded.
func TestHosts(t *testing.T) {
	files, err := filepath.Glob("testdata/hosts/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("the recorded events are %q, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t)
			w.transcripts()
			host := strings.TrimSuffix(filepath.Base(file), ".txtar")
			installed := host
			if host == "vscode" {
				installed = "claude-code"
			}
			for i := 0; i+1 < len(archive.Files); i += 2 {
				event, want := archive.Files[i], &archive.Files[i+1]
				w.now = w.now.Add(time.Minute)
				got := w.event(installed, string(event.Data))
				got = bytes.ReplaceAll(got, []byte(w.home), []byte("HOME"))
				checkDocument(t, host, event.Name, got)
				if *update {
					want.Data = got
				} else if !bytes.Equal(got, want.Data) {
					t.Errorf("%s is answered with\n%s\nwant\n%s", event.Name, got, want.Data)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// checkDocument wants one JSON object with keys that the host knows, or
// nothing.
func checkDocument(t *testing.T, host, event string, out []byte) {
	t.Helper()
	if len(out) == 0 {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		t.Errorf("%s %s: %v", host, event, err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Errorf("%s %s: more than one document: %v", host, event, err)
	}
	known := map[string][]string{
		"claude-code": {"hookSpecificOutput", "decision", "reason"}, "codex": {"hookSpecificOutput", "decision", "reason"},
		"gemini": {"hookSpecificOutput", "decision", "reason"}, "qwen": {"hookSpecificOutput", "decision", "reason"},
		"vscode": {"hookSpecificOutput", "decision", "reason"}, "cursor": {"additional_context", "followup_message"},
		"copilot": {"additionalContext", "decision", "reason"}, "cline": {"cancel", "contextModification", "errorMessage"},
		"opencode": {"additionalContext"},
	}[host]
	for key, value := range doc {
		if !slices.Contains(known, key) {
			t.Errorf("%s %s: the host does not know %q", host, event, key)
		}
		inner, ok := value.(map[string]any)
		if key == "hookSpecificOutput" && (!ok || len(inner) != 2 || inner["hookEventName"] == "" || inner["additionalContext"] == "") {
			t.Errorf("%s %s: %v", host, event, value)
		}
	}
}

func TestTheEndIsHandedOn(t *testing.T) {
	w := newWorld(t)
	w.transcripts()
	event := `{"hook_event_name":"NAME","session_id":"s","cwd":"DIR","transcript_path":"HOME/.claude/projects/-app/0a1b2c3d.jsonl"}`
	w.event("claude-code", strings.Replace(event, "NAME", "SessionEnd", 1))
	w.event("claude-code", strings.Replace(event, "NAME", "PreCompact", 1))
	path := filepath.Join(w.home, ".claude/projects/-app/0a1b2c3d.jsonl")
	want := []string{"sweep", "--host", "claude-code", "--session", "s", "--transcript", path, "--dir", w.project}
	if !reflect.DeepEqual(w.started, [][]string{want, want}) {
		t.Errorf("started %q", w.started)
	}
	w.started = nil
	w.write(filepath.Join(w.home, "elsewhere.jsonl"), "{}\n")
	for _, bad := range []string{"/etc/passwd", "HOME/elsewhere.jsonl", "HOME/.claude/../elsewhere.jsonl", "relative.jsonl", "HOME/.claude/gone.jsonl"} {
		w.event("claude-code", `{"hook_event_name":"SessionEnd","session_id":"s","cwd":"DIR","transcript_path":"`+bad+`"}`)
	}
	if len(w.started) > 0 {
		t.Errorf("a transcript that is not the host's is swept: %q", w.started)
	}
}

// A session whose host was killed is looked through when the next one starts.
func TestASessionThatWasKilledIsCaughtUp(t *testing.T) {
	w := newWorld(t)
	w.transcripts()
	start := `{"hook_event_name":"SessionStart","source":"startup","session_id":"ID","cwd":"DIR","transcript_path":"HOME/.claude/projects/-app/FILE"}`
	w.event("claude-code", strings.NewReplacer("ID", "first", "FILE", "0a1b2c3d.jsonl").Replace(start))
	path := filepath.Join(w.home, ".claude/projects/-app/0a1b2c3d.jsonl")
	next := strings.NewReplacer("ID", "second", "FILE", "other.jsonl").Replace(start)
	if err := os.Chtimes(path, w.now, w.now); err != nil {
		t.Fatal(err)
	}
	if w.event("claude-code", next); len(w.started) > 0 {
		t.Errorf("a session that goes on is swept: %q", w.started)
	}
	w.now = w.now.Add(time.Hour)
	w.event("claude-code", strings.Replace(next, "second", "third", 1))
	if len(w.started) != 1 || !slices.Contains(w.started[0], path) {
		t.Fatalf("started %q", w.started)
	}
	if _, err := w.hook().Sweep(t.Context(), hook.Material{Host: "claude-code", Session: "first", Path: path}); err != nil {
		t.Fatal(err)
	}
	w.started = nil
	if w.event("claude-code", strings.Replace(next, "second", "fourth", 1)); len(w.started) > 0 {
		t.Errorf("what was swept is swept again: %q", w.started)
	}
}

func TestBadInputIsSilence(t *testing.T) {
	w := newWorld(t)
	for _, in := range []string{
		"", " ", "null", "[]", `"x"`, "{", "{}", "\x00\xff", `{"hook_event_name":7}`, `{"hook_event_name":"SessionStart"`,
		`{"hook_event_name":"NoSuchEvent","session_id":"s"}`, strings.Repeat("[", 1<<16),
	} {
		for _, host := range append(hosts.IDs(), "", "nobody") {
			if out := w.event(host, in); len(out) > 0 {
				t.Errorf("%s: %.60q is answered with %s", host, in, out)
			}
		}
	}
	odd := `{"hook_event_name":"UserPromptSubmit","session_id":["x"],"cwd":5,"prompt":{"a":1},"transcript_path":null,"tool_input":"no"}`
	if out := w.event("claude-code", odd); len(out) > 0 {
		t.Errorf("wrong types are answered with %s", out)
	}
}

func TestAHugePromptIsAnswered(t *testing.T) {
	w := newWorld(t)
	text, err := json.Marshal("Why do direct uploads lose events?\n" + strings.Repeat("log line with words 0123456789\n", 330_000))
	if err != nil {
		t.Fatal(err)
	}
	out := w.event("claude-code", `{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"DIR","prompt":`+string(text)+`}`)
	checkDocument(t, "claude-code", "a huge prompt", out)
}

// A host without a transcript tells what was said with the event.
func TestMessagesOfAnEventAreHandedOn(t *testing.T) {
	w := newWorld(t)
	idle := `{"hook_event_name":"session.idle","session_id":"oc","cwd":"DIR","messages":[{"id":"m1","role":"user","text":"TEXT"},{"id":"m2","role":"assistant","text":"OK."}]}`
	if w.event("opencode", strings.Replace(idle, "TEXT", "Fix the test, please.", 1)); len(w.started) > 0 {
		t.Errorf("nothing to keep, and started %q", w.started)
	}
	w.event("opencode", strings.Replace(idle, "TEXT", "From now on, answer in German.", 1))
	if len(w.started) != 1 || !slices.Contains(w.started[0], "--spool") {
		t.Fatalf("started %q", w.started)
	}
	path := w.started[0][slices.Index(w.started[0], "--transcript")+1]
	if swept := w.swept(path); len(swept.Stored) != 1 || swept.Stored[0].Title != "From now on, answer in German" {
		t.Errorf("swept %+v", swept.Receipt)
	}
	// What an earlier sweep left behind goes after a day.
	w.now = w.now.Add(48 * time.Hour)
	if err := os.Chtimes(path, w.now.Add(-25*time.Hour), w.now.Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.event("opencode", strings.Replace(idle, "TEXT", "From now on, answer in German.", 1))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old copy is still there: %v", err)
	}
}

// Without a ledger the start is told all the same, and prompts are not: they
// would be told the same again and again.
func TestALedgerThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.lobe, ".state"), "in the way\n")
	run := func(event string) (string, error) {
		e, ok := hook.Read("claude-code", []byte(w.places(event)), w.getenv)
		if !ok {
			t.Fatalf("%s is no event", event)
		}
		w.open()
		said, err := w.hook().Answer(t.Context(), e)
		return said.Context, err
	}
	text, err := run(`{"hook_event_name":"SessionStart","source":"startup","session_id":"s","cwd":"DIR"}`)
	if err == nil || !strings.Contains(text, "gotcha-00000001") {
		t.Errorf("the start is told %q, %v", text, err)
	}
	text, err = run(`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"DIR","prompt":"why do direct uploads lose events?"}`)
	if err == nil || text != "" {
		t.Errorf("a prompt is told %q, %v", text, err)
	}
}

// A hook that was killed while it wrote leaves half a line, which harms nobody.
func TestALedgerThatWasCutShort(t *testing.T) {
	w := newWorld(t)
	prompt := `{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"DIR","prompt":"why do direct uploads lose events?"}`
	if out := w.event("claude-code", prompt); len(out) == 0 {
		t.Fatal("silence")
	}
	files, err := filepath.Glob(filepath.Join(w.lobe, ".state", "ledger", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("ledgers %q, %v", files, err)
	}
	f, err := os.OpenFile(files[len(files)-1], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("told arch-000"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if out := w.event("claude-code", prompt); len(out) > 0 {
		t.Errorf("told twice: %s", out)
	}
	payment := `{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"DIR","prompt":"how does the payment service retry when the bank drops connections?"}`
	if out := w.event("claude-code", payment); !strings.Contains(string(out), "arch-00000002") {
		t.Errorf("half a line hides a memory: %s", out)
	}
	if out := w.event("claude-code", payment); len(out) > 0 {
		t.Errorf("told twice after half a line: %s", out)
	}
}
