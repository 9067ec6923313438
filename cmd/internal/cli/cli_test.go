package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/cmd/internal/cli"
)

// untouched is an input that must not be read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("standard input was read")
	return 0, io.EOF
}

// broken is an output whose reader is gone.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

func world(t *testing.T) (cli.World, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "project")
	for _, d := range []string{".git/objects", ".git/refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"MEMORY_MCP_HOME": filepath.Join(top, "memory")}
	var out, errs bytes.Buffer
	return cli.World{
		Stdin: untouched{t}, Stdout: &out, Stderr: &errs, Now: time.Now, Dir: dir, Home: filepath.Join(top, "home"),
		Getenv: func(name string) string { return vars[name] },
	}, &out, &errs
}

func TestOnlyTextsAreReadFromTheInput(t *testing.T) {
	for _, line := range []string{"", "help", "version", "ls", "query words", "context", "lobes", "stats", "diagnose", "store one two three four", "no-such-command"} {
		w, _, _ := world(t)
		cli.Run(t.Context(), strings.Fields(line), w)
	}
}

func TestServeOverAnyPairOfStreams(t *testing.T) {
	w, out, _ := world(t)
	w.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	if code := cli.Run(t.Context(), []string{"serve"}, w); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := out.String(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"result"`) || strings.Count(got, "\n") != 1 {
		t.Errorf("a ping was answered with %q", got)
	}
}

func TestAnOutputThatBreaksIsAFailure(t *testing.T) {
	w, _, errs := world(t)
	w.Stdout = broken{}
	if code := cli.Run(t.Context(), []string{"version"}, w); code != 1 || !strings.Contains(errs.String(), "nobody reads") {
		t.Errorf("exit code %d, and told %q", code, errs)
	}
}

func TestErrorsGoToStandardErrorWithTheProgramsName(t *testing.T) {
	for _, line := range []string{"show", "show nothing-here", "store --topik x", "query --lobe nowhere x", "correct a b", "setup --host emacs"} {
		w, out, errs := world(t)
		if code := cli.Run(t.Context(), strings.Fields(line), w); code == 0 {
			t.Errorf("%q ended well", line)
		}
		if out.Len() > 0 {
			t.Errorf("%q printed %q", line, out)
		}
		for told := range strings.Lines(errs.String()) {
			if !strings.HasPrefix(told, "memory-mcp: ") {
				t.Errorf("%q told %q", line, told)
			}
		}
	}
}

func TestWithoutAHomeItIsToldWhatToDo(t *testing.T) {
	w, _, errs := world(t)
	w.Home, w.Getenv = "", func(string) string { return "" }
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	t.Setenv("home", "")
	if code := cli.Run(t.Context(), []string{"query", "words"}, w); code == 0 || !strings.Contains(errs.String(), "MEMORY_MCP_HOME") {
		t.Errorf("exit code %d, and told %q", code, errs)
	}
}
