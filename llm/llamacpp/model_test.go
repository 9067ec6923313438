package llamacpp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/llm/llamacpp"
	"memory-mcp/llm/sidecar"
	"memory-mcp/llm/tiny"
)

func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no permission to run")
	}
	dir, other := t.TempDir(), t.TempDir()
	t.Setenv("PATH", other)
	var missing *llamacpp.MissingError
	if _, err := llamacpp.Find("", dir); !errors.As(err, &missing) || len(missing.Looked) != 2 {
		t.Errorf("nothing there: %v", err)
	}
	onPath, own := filepath.Join(other, "llama-server"), filepath.Join(dir, "llama-server")
	for path, mode := range map[string]os.FileMode{onPath: 0o700, own: 0o600} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := llamacpp.Find("", dir); err != nil || got != onPath {
		t.Errorf("a file that cannot be run is taken: %q, %v", got, err)
	}
	if err := os.Chmod(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := llamacpp.Find("", dir); err != nil || got != own {
		t.Errorf("Find = %q, %v; want our own first", got, err)
	}
	if got, err := llamacpp.Find(onPath, dir); err != nil || got != onPath {
		t.Errorf("Find of a named one = %q, %v", got, err)
	}
	for _, bad := range []string{filepath.Join(dir, "none"), dir} {
		if got, err := llamacpp.Find(bad, dir); err == nil {
			t.Errorf("Find(%q) = %q: something else is taken", bad, got)
		}
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	good := llamacpp.Options{Server: "/s", File: "/f", Dir: "/d", Role: llamacpp.Chat}
	for name, change := range map[string]func(*llamacpp.Options){
		"server": func(o *llamacpp.Options) { o.Server = "s" },
		"file":   func(o *llamacpp.Options) { o.File = "" },
		"folder": func(o *llamacpp.Options) { o.Dir = "d" },
		"role":   func(o *llamacpp.Options) { o.Role = "sing" },
	} {
		o := good
		change(&o)
		if _, err := llamacpp.New(o); err == nil {
			t.Errorf("a bad %s is taken", name)
		}
	}
}

// stopped runs a model until the test ends and returns the error of its start.
func stopped(t *testing.T, server, file string) error {
	t.Helper()
	m, err := llamacpp.New(llamacpp.Options{Server: server, File: file, Dir: t.TempDir(), Role: llamacpp.Embed, Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan bool)
	go func() { m.Run(ctx); close(over) }()
	defer func() { stop(); <-over }()
	enough, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	_, err = m.Wait(enough)
	return err
}

func TestProgramsThatAreNone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	path := file(t, "m.gguf", tiny.Meanings())
	script := func(lines string) string {
		path := filepath.Join(t.TempDir(), "llama-server")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fails := script("echo cannot open shared object >&2\nexit 127\n")
	text := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(text, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, server, file, want string }{
		{"a program that ends", fails, path, "cannot open shared object"},
		{"a program that says nothing", script("exit 0\n"), path, "no llama-server that runs here"},
		{"another program", script("echo GNU bash, version 5\n"), path, "GNU bash"},
		{"a program that never stops talking", script("yes version\n"), path, "no llama-server that runs here"},
		{"one that ends after its version", script("echo version: 1\n"), path, "ended before it answered"},
		{"no program", "/no/such/server", path, "/no/such/server"},
		{"no model", fails, "/no/such.gguf", "/no/such.gguf"},
		{"a file that is no model", fails, text, "no GGUF file"},
		{"a model without a byte", fails, os.DevNull, "no GGUF file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := stopped(t, c.server, c.file)
			var notReady *sidecar.NotReadyError
			if !errors.As(err, &notReady) || notReady.State.Name != sidecar.Off || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// Whoever answers in the place of the server is not believed.
func TestImpostors(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	path := file(t, "m.gguf", tiny.Meanings())
	for name, props := range map[string]func(w http.ResponseWriter, r *http.Request){
		"another key":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"no /props":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"another model": func(w http.ResponseWriter, _ *http.Request) { writes(w, `{"model_path":"/other.gguf"}`) },
		"no key":        func(w http.ResponseWriter, _ *http.Request) { writes(w, `{"model_path":"`+path+`"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/health" {
					return
				}
				props(w, r)
			}))
			defer thief.Close()
			// The program passes every request on to the thief, as if the thief
			// had taken its port.
			err := stopped(t, forwarder(t, thief.URL), path)
			var impostor *llamacpp.ImpostorError
			if !errors.As(err, &impostor) {
				t.Error(err)
			}
		})
	}
}

func writes(w http.ResponseWriter, s string) {
	if _, err := w.Write([]byte(s)); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// TestMain plays a server that passes on what it is asked.
func TestMain(m *testing.M) {
	if to := os.Getenv("FORWARD_TO"); to != "" {
		forward(to)
		return
	}
	os.Exit(m.Run())
}

func forward(to string) {
	if slices.Contains(os.Args, "--version") {
		fmt.Println("version: 1 (a forwarder)")
		return
	}
	target, err := url.Parse(to)
	port := slices.Index(os.Args, "--port")
	if err != nil || port < 0 {
		os.Exit(2)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Args[port+1])
	if err == nil && os.Getenv("FORWARD_FROM") != "" {
		err = os.WriteFile(os.Getenv("FORWARD_FROM"), []byte(l.Addr().String()), 0o600)
	}
	if err == nil {
		err = http.Serve(l, httputil.NewSingleHostReverseProxy(target))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func forwarder(t *testing.T, to string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "llama-server")
	script := fmt.Sprintf("#!/bin/sh\nFORWARD_TO=%s exec %q \"$@\"\n", to, os.Args[0])
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// file writes a model into a folder of the test.
func file(t *testing.T, name string, model []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, model, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
