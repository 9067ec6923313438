package llamacpp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"memory-mcp/llm/llamacpp"
	"memory-mcp/llm/tiny"
)

// Another program takes the port between our asking for one and the server's
// start: it is not believed, it gets to see no text, and the next start has
// another port.
func TestRealPortIsStolen(t *testing.T) {
	real := program(t)
	var texts atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			texts.Add(1)
		}
		if r.URL.Path != "/health" {
			writes(w, `{"model_path": "/other.gguf"}`)
		}
	}))
	defer thief.Close()
	dir := t.TempDir()
	script := filepath.Join(dir, "llama-server")
	if err := os.WriteFile(script, fmt.Appendf(nil, `#!/bin/sh
if [ "$1" != --version ] && mkdir %[1]s/once 2>/dev/null; then
	FORWARD_TO=%[2]s FORWARD_FROM=%[1]s/listens %[3]s "$@" &
	while [ ! -e %[1]s/listens ]; do sleep 0.01; done
fi
exec %[4]s "$@"
`, dir, thief.URL, os.Args[0], real), 0o700); err != nil {
		t.Fatal(err)
	}
	m := model(t, llamacpp.Embed, file(t, "meanings.gguf", tiny.Meanings()), func(o *llamacpp.Options) { o.Server = script })
	loan := wait(t, m)
	defer loan.Return()
	if _, err := loan.Embed(t.Context(), []string{"cat"}); err != nil {
		t.Error(err)
	}
	stolen, err := os.ReadFile(filepath.Join(dir, "listens"))
	if err != nil || strings.Contains(loan.Endpoint().URL, string(stolen)) || texts.Load() > 0 {
		t.Errorf("port %q was stolen, %s is used, and the thief saw %d texts (%v)", stolen, loan.Endpoint().URL, texts.Load(), err)
	}
	if s := m.State(); s.Failures != 1 {
		t.Errorf("%d failures: %v", s.Failures, s.Err)
	}
}

// The server dies while many ask: each of them gets an answer or an error, and
// it comes back.
func TestRealServerDiesUnderLoad(t *testing.T) {
	m := model(t, llamacpp.Embed, file(t, "meanings.gguf", tiny.Meanings()), nil)
	loan := wait(t, m)
	server, err := os.FindProcess(serverOf(t, loan.Endpoint().URL))
	if err != nil {
		t.Fatal(err)
	}
	loan.Return()
	const askers = 8
	var answered, failed atomic.Int32
	var all sync.WaitGroup
	asked := make(chan bool, askers)
	for range askers {
		all.Go(func() {
			for failures := failed.Load(); failures == 0; failures = failed.Load() {
				loan, err := m.Borrow(t.Context())
				if err == nil {
					_, err = loan.Embed(t.Context(), []string{strings.Repeat("the cat slept on the sofa ", 100)})
					loan.Return()
				}
				if err != nil {
					failed.Add(1)
					return
				}
				answered.Add(1)
				select {
				case asked <- true:
				default:
				}
			}
		})
	}
	for range askers {
		<-asked
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	t.Logf("%d answers, %d errors", answered.Load(), failed.Load())
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		loan := wait(t, m)
		_, err := loan.Embed(t.Context(), []string{"cat"})
		again := loan.Endpoint().URL
		loan.Return()
		if err == nil && serverOf(t, again) != server.Pid {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("it does not come back: %v", err)
		}
	}
}

// What is asked of the server when it is told to stop does not hold it up: it
// is made to end.
func TestRealStopWhileItWorks(t *testing.T) {
	m := model(t, llamacpp.Embed, file(t, "meanings.gguf", tiny.Meanings()), func(o *llamacpp.Options) {
		o.Context, o.Idle = 8192, time.Millisecond
	})
	loan := wait(t, m)
	server := serverOf(t, loan.Endpoint().URL)
	done := make(chan error)
	go func() {
		_, err := loan.Embed(t.Context(), []string{strings.Repeat("cat ", 6000)})
		done <- err
	}()
	loan.Return() // the supervisor takes it for idle, though it works
	<-done
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", server)); os.IsNotExist(err) {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the server lives on")
		}
	}
}
