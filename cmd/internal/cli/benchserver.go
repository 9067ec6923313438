package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"memory-mcp/cmd/internal/bench"
	"memory-mcp/store/entry"
)

// scratch is a repository of made-up notes, with a home of its own.
type scratch struct {
	root, home string
	notes      *bench.Generator
}

func newScratch(dir string, n int, seed uint64) (*scratch, error) {
	s := &scratch{root: filepath.Join(dir, "project"), home: filepath.Join(dir, "home"), notes: bench.New(seed)}
	git := filepath.Join(s.root, ".git")
	for _, d := range []string{s.home, filepath.Join(git, "objects"), filepath.Join(git, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	for path, text := range map[string]string{
		filepath.Join(git, "HEAD"):                  "ref: refs/heads/main\n",
		filepath.Join(git, "config"):                "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
		filepath.Join(s.home, "memory-config.json"): fmt.Sprintf(`{"lobes": {"project": {"root": %q, "budgetMB": 1024}}}`, s.root),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		if err := s.write(filepath.Join(git, "memory"), i, created.Add(time.Duration(i)*time.Minute)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// write puts one note into the memory folder, with its history, as a server
// that stored it would have left it.
func (s *scratch) write(memory string, i int, created time.Time) error {
	n := s.notes.Note()
	e := entry.Entry{
		ID: fmt.Sprintf("mem-%08x", i), Topic: n.Topic, Title: n.Title, Body: n.Text, Tags: n.Tags, Sources: n.Sources,
		Trust: entry.AgentInferred, Created: created,
	}
	path := filepath.ToSlash(filepath.Join(filepath.FromSlash(n.Topic), e.ID+".md"))
	r := entry.Revision{ID: e.ID, Recorded: created, Actor: "bench", Op: entry.OpCreate, Path: path, Head: e.Format()}
	revision, err := r.Format()
	if err != nil {
		return err
	}
	name, err := r.Name()
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(memory, ".history", entry.HistoryDir(e.ID), name), revision); err != nil {
		return err
	}
	return writeFile(filepath.Join(memory, filepath.FromSlash(path)), r.Head)
}

func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// note are the arguments that store the next note.
func (s *scratch) note() map[string]any {
	n := s.notes.Note()
	return map[string]any{"content": n.Text, "title": n.Title, "topic": n.Topic, "tags": n.Tags, "sources": n.Sources,
		"durabilityDecision": "store-anyway"}
}

// served is a server that was started as a host would, and the two ends of
// its protocol.
type served struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
}

func startServer(ctx context.Context, e *env, s *scratch) (*served, error) {
	cmd := exec.CommandContext(ctx, e.Executable, "serve")
	cmd.Dir = s.root
	cmd.Env = []string{"MEMORY_MCP_HOME=" + s.home, "HOME=" + s.home, "USERPROFILE=" + s.home, "PATH=" + e.Getenv("PATH"),
		"SystemRoot=" + e.Getenv("SystemRoot"), "TMPDIR=" + e.Getenv("TMPDIR")}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &served{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<16)}, nil
}

// greet is the handshake.
func (s *served) greet() error {
	_, err := s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"},
	})
	if err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// call makes one call of a tool and gives the text of the answer.
func (s *served) call(tool string, args map[string]any) (string, error) {
	raw, err := s.request("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return "", err
	}
	var r struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, c := range r.Content {
		text.WriteString(c.Text)
	}
	if r.IsError {
		return "", fmt.Errorf("%s: %s", tool, text.String())
	}
	return text.String(), nil
}

func (s *served) send(message map[string]any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(b, '\n'))
	return err
}

// request sends one message and waits for its answer; what the server says
// unasked is passed over.
func (s *served) request(method string, params map[string]any) (json.RawMessage, error) {
	s.next++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.next, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", method, err)
		}
		var m struct {
			ID     any             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", method, err)
		}
		if m.ID != float64(s.next) {
			continue
		}
		if m.Error != nil {
			return nil, errors.New(m.Error.Message)
		}
		return m.Result, nil
	}
}

// stop ends the server by the end of its input.
func (s *served) stop() error {
	return firstOf(s.in.Close(), s.cmd.Wait())
}
