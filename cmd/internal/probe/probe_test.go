package probe_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"memory-mcp/cmd/internal/probe"
)

// shell is a program that does what a line says.
func shell(t *testing.T, line string) probe.Command {
	if runtime.GOOS == "windows" {
		t.Skip("there is no POSIX shell")
	}
	return probe.Command{Path: "/bin/sh", Args: []string{"-c", line}, Env: map[string]string{"PATH": "/usr/bin:/bin"}, Dir: t.TempDir()}
}

const (
	hello = `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"n","version":"7"}}}`
	tools = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{"name":"b"}]}}`
)

// answers is a server that answers each line it reads.
func answers(lines ...string) string {
	s := ""
	for _, l := range lines {
		s += "read x; "
		if l != "" {
			s += "echo '" + l + "'; "
		}
	}
	return s
}

func TestDial(t *testing.T) {
	tests := []struct {
		name, line string
		want       string // part of the error, empty for none
	}{
		{"a server", answers(hello, "", tools) + "cat >/dev/null", ""},
		{"it also notifies", answers(`{"jsonrpc":"2.0","method":"m"}`+"'; echo '"+hello, "", tools) + "cat >/dev/null", ""},
		{"no such tools", answers(hello, "", `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`), "lists no tools"},
		{"an error", answers(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no way"}}`), "shake hands: no way"},
		{"log lines on the output", answers("starting up"), `something else to standard output: "starting up"`},
		{"it ends with a word", "read x; echo 'no home' >&2; exit 1", "it ended: no home"},
		{"it says nothing", "cat >/dev/null", "no answer to initialize"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wait := 20 * time.Second
			if strings.HasPrefix(tt.want, "no answer") {
				wait = 200 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			s, err := probe.Dial(ctx, shell(t, tt.line))
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Version != "7" || len(s.Tools) != 2 {
				t.Errorf("%+v", s)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDialWhatIsNotThere(t *testing.T) {
	if _, err := probe.Dial(t.Context(), probe.Command{Path: "/nowhere/memory-mcp", Dir: t.TempDir()}); err == nil {
		t.Error("a program that is not there was started")
	}
}

func TestHook(t *testing.T) {
	tests := []struct{ name, line, text, want string }{
		{"nothing", "cat >/dev/null", "", ""},
		{"what it was given", "cat", "{}", ""},
		{"a code", "echo 'no such thing' >&2; exit 2", "", "exit status 2: no such thing"},
		{"noise", "echo warning >&2", "", "standard error: warning"},
		{"for ever", "exec sleep 20", "", "no answer within"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wait := 20 * time.Second
			if tt.name == "for ever" {
				wait = 200 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			a, err := probe.Hook(ctx, shell(t, tt.line), []byte("{}"))
			if a.Text != tt.text || (tt.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q, %v, want %q, %q", a.Text, err, tt.text, tt.want)
			}
		})
	}
}

// TestBareHasNothingOfOurs: what the shell of a person holds is not passed on.
func TestBareHasNothingOfOurs(t *testing.T) {
	t.Setenv("MEMORY_MCP_HOME", "/somewhere")
	for _, system := range []string{"linux", "darwin", "windows"} {
		env := probe.Bare(system, "/h", os.Getenv)
		if _, there := env["MEMORY_MCP_HOME"]; there || env["HOME"] != "/h" && env["USERPROFILE"] != "/h" {
			t.Errorf("%s: %v", system, env)
		}
	}
}
