package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// patience is how long a process may take to end before it counts as one that
// never would.
const patience = 20 * time.Second

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// server is a program under test and its ends.
type server struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   *os.File
	out  *bufio.Reader
	pipe *os.File
	dir  string
}

// start runs a command line in a repository of its own, with pipes that are
// the test's, and greets the server.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	s := startIn(t, repository(t), args...)
	s.send(greeting)
	s.receive(1)
	return s
}

// repository makes the least that git takes for one.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{".git/objects", ".git/refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func startIn(t *testing.T, dir string, args ...string) *server {
	t.Helper()
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, in: inWrite, out: bufio.NewReader(outRead), pipe: outRead, dir: dir}
	s.cmd = exec.Command(args[0], args[1:]...)
	s.cmd.Dir, s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = dir, inRead, outWrite, testLog{t}
	s.cmd.WaitDelay = time.Second
	s.cmd.Env = append(os.Environ(), "MEMORY_MCP_HOME="+filepath.Join(t.TempDir(), "memory"), "MEMORY_MCP_DEBUG=1")
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inRead.Close()
	outWrite.Close()
	t.Cleanup(func() {
		s.in.Close()
		s.pipe.Close()
		if s.cmd.ProcessState == nil {
			s.cmd.Process.Kill()
			s.cmd.Wait()
		}
	})
	return s
}

// testLog shows what the program logged when its test fails.
type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

func (s *server) send(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		s.t.Fatal(err)
	}
}

// receive reads up to the answer with the id. Every line is a message.
func (s *server) receive(id float64) json.RawMessage {
	s.t.Helper()
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			s.t.Fatalf("wait for answer %v: %v", id, err)
		}
		var m struct {
			JSONRPC string
			ID      any
			Result  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
			s.t.Fatalf("standard output holds %q, which is no message (%v)", line, err)
		}
		if m.ID == id {
			return m.Result
		}
	}
}

// ends waits for the process and gives its exit code.
func (s *server) ends() int {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(patience):
		s.t.Fatal("the process does not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

func TestServeEndsWithItsInput(t *testing.T) {
	s := start(t, "memory-mcp", "serve")
	s.in.Close()
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestServeEndsOnSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signals")
	}
	for _, sig := range terminations() {
		s := start(t, "memory-mcp", "serve")
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if code := s.ends(); code != 0 {
			t.Errorf("%v: exit code %d", sig, code)
		}
	}
}

func TestServeEndsWhenNobodyReads(t *testing.T) {
	s := start(t, "memory-mcp", "serve")
	s.pipe.Close()
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A host that is killed cannot close anything, and its pipes may be held open
// by others, as they are by this test.
func TestServeEndsWhenItsParentIsKilled(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell to be the parent")
	}
	s := start(t, "sh", "-c", "memory-mcp serve; exit 0")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		// The output ends when the last process that holds it has gone.
		_, err := io.Copy(io.Discard, s.out)
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-ctx.Done():
		t.Fatal("the server outlives its parent")
	}
}

// What was stored and acknowledged is there, and an edit made by hand while the
// server ran is in the history, whichever way it ended.
func TestAnOrderlyEndWritesEditsDown(t *testing.T) {
	s := start(t, "memory-mcp", "serve")
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_store","arguments":{"content":"The scheduler drops leases that are older than a minute","topic":"gotchas"}}}` + "\n")
	if answer := string(s.receive(2)); !strings.Contains(answer, "Stored gotcha-") {
		t.Fatalf("a store was answered with %s", answer)
	}
	heads, err := filepath.Glob(filepath.Join(s.dir, ".git", "memory", "gotchas", "*.md"))
	if err != nil || len(heads) != 1 {
		t.Fatalf("there are the heads %q, %v", heads, err)
	}
	text, err := os.ReadFile(heads[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(heads[0], append(text, "By hand: a minute and a half.\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	s.in.Close()
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	revisions, err := filepath.Glob(filepath.Join(s.dir, ".git", "memory", ".history", "*", "*.md"))
	if err != nil || len(revisions) != 2 {
		t.Fatalf("there are the revisions %q, %v", revisions, err)
	}
	adopted := false
	for _, path := range revisions {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		adopted = adopted || strings.Contains(string(text), "op: adopt") && strings.Contains(string(text), "By hand:")
	}
	if !adopted {
		t.Error("no revision holds the edit")
	}
}

// A host may start the server anywhere; its client then tells where the person
// works.
func TestTheClientsRootsTellTheProject(t *testing.T) {
	project, plain := repository(t), t.TempDir()
	s := startIn(t, plain, "memory-mcp", "serve")
	s.send(strings.Replace(greeting, `"capabilities":{}`, `"capabilities":{"roots":{}}`, 1))
	s.receive(1)
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_store","arguments":{"content":"The scheduler drops leases that are older than a minute","topic":"gotchas"}}}` + "\n")
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var asked struct {
		ID     any
		Method string
	}
	if err := json.Unmarshal([]byte(line), &asked); err != nil || asked.Method != "roots/list" {
		t.Fatalf("instead of asking for the roots the server said %s (%v)", line, err)
	}
	uri := "file://" + filepath.ToSlash(project)
	if runtime.GOOS == "windows" {
		uri = "file:///" + filepath.ToSlash(project)
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": map[string]any{"roots": []any{map[string]any{"uri": uri}}}})
	if err != nil {
		t.Fatal(err)
	}
	s.send(string(answer) + "\n")
	if got := string(s.receive(2)); !strings.Contains(got, "lobe "+filepath.Base(project)) {
		t.Errorf("the store was answered with %s", got)
	}
	if _, err := os.Stat(filepath.Join(project, ".git", "memory")); err != nil {
		t.Error(err)
	}
	s.in.Close()
	s.ends()
}

// Without roots a folder outside git is the project after all.
func TestAFolderOutsideGitIsTheProjectWhenNothingElseIs(t *testing.T) {
	plain := t.TempDir()
	s := startIn(t, plain, "memory-mcp", "serve")
	s.send(greeting)
	s.receive(1)
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_store","arguments":{"content":"The scheduler drops leases that are older than a minute","topic":"gotchas"}}}` + "\n")
	if got := string(s.receive(2)); !strings.Contains(got, "lobe "+filepath.Base(plain)) {
		t.Errorf("the store was answered with %s", got)
	}
	s.in.Close()
	s.ends()
}
