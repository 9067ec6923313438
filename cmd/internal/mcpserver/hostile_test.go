package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"memory-mcp/cmd/internal/mcpserver"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/crash"
)

const ping = `{"jsonrpc":"2.0","id":"p","method":"ping"}`

func TestGarbageGetsAnErrorAndTheServerLives(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	tests := []struct {
		line string
		id   any
		code int
	}{
		{`garbage`, nil, -32700},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, nil, -32700},
		{"\x00\xff\xfe", nil, -32700},
		{`"text"`, nil, -32600},
		{`42`, nil, -32600},
		{`{}`, nil, -32600},
		{`{"jsonrpc":"2.0","id":7}`, 7.0, -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, -32600},
		{`{"jsonrpc":"1.0","id":8,"method":"ping"}`, 8.0, -32600},
		{`{"jsonrpc":"2.0","id":9,"method":"no/such"}`, 9.0, -32601},
		{`{"jsonrpc":"2.0","id":10,"method":"tools/call"}`, 10.0, -32602},
		{`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":[]}`, 11.0, -32602},
		{`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":5}}`, 12.0, -32602},
		{`[{"jsonrpc":"2.0","id":13,"method":"ping"}]`, 13.0, -32600},
		{`[]`, nil, -32600},
		{`[1,2]`, nil, -32600},
		{`{"jsonrpc":"2.0","id":14,"method":"server/discover","params":{}}`, 14.0, -32601},
		{`{"jsonrpc":"2.0","id":15,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`, 15.0, -32022},
	}
	for _, tt := range tests {
		m := p.ask(tt.line)
		if m.Error == nil || m.Error.Code != tt.code || m.ID != tt.id || m.Error.Message == "" {
			t.Errorf("%q is answered with %+v (error %+v), want id %v and code %d", tt.line, m, m.Error, tt.id, tt.code)
		}
	}
	p.send(``, `   `, `{"jsonrpc":"2.0","method":"notifications/unknown"}`, `{"jsonrpc":"2.0","id":"memory-mcp-9","result":{}}`, `{"jsonrpc":"2.0","id":5,"error":{}}`)
	if m := p.ask(ping); m.ID != "p" || m.Error != nil {
		t.Errorf("afterwards a ping gives %+v", m)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

func TestEachRequestOfABatchIsAnswered(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":"b","method":"ping"}]`)
	if a, b := p.next(), p.next(); a.ID != 1.0 || b.ID != "b" || a.Error == nil || b.Error == nil {
		t.Errorf("got %+v and %+v", a, b)
	}
}

func TestBytesThatAreNotUTF8AreRefused(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	if m := p.ask(call(5, "memory_store", `{"content":"caf`+"\xe9"+` au lait is served at nine"}`)); m.Error == nil || m.ID != 5.0 {
		t.Errorf("got %+v", m)
	}
	if m := p.ask(ping); m.ID != "p" {
		t.Errorf("afterwards a ping gives %+v", m)
	}
}

func TestLineThatIsTooLongIsRefused(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{MaxLine: 100_000})
	long := strings.Repeat("x", 300_000)
	m := p.ask(call(77, "memory_store", `{"content":"`+long+`"}`))
	if m.Error == nil || m.ID != 77.0 || !strings.Contains(m.Error.Message, "100000") {
		t.Errorf("got %+v", m)
	}
	if m := p.ask(long); m.Error == nil || m.ID != nil {
		t.Errorf("got %+v", m)
	}
	if m := p.ask(ping); m.ID != "p" {
		t.Errorf("afterwards a ping gives %+v", m)
	}
	if m := p.ask(call(78, "memory_store", `{"content":"`+long[:70_000]+`"}`)); !m.Result.IsError || !strings.Contains(m.text(), "too long") {
		t.Errorf("a text that is too long gives %+v", m)
	}
}

func TestFinalLineNeedsNoEnd(t *testing.T) {
	env, _ := world(t, "app")
	lines := codexHello + "\n" + ready + "\r\n" + call(1, "memory_store", `{"content":"Uploads must go through the queue; direct uploads lose events.","topic":"gotchas"}`) +
		"\n" + call(2, "memory_query", `{"filter":"uploads"}`)
	for name, in := range map[string]io.Reader{"in one piece": strings.NewReader(lines), "byte by byte": iotest.OneByteReader(strings.NewReader(lines))} {
		var out bytes.Buffer
		if err := mcpserver.Serve(t.Context(), env, in, &out, mcpserver.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(got) != 3 {
			t.Fatalf("%s: %d answers\n%s", name, len(got), out.String())
		}
		last := answers(t, out.String())[2.0]
		if !strings.Contains(last.text(), "Uploads must go") {
			t.Errorf("%s: the query came before the store: %s", name, last.text())
		}
	}
}

// answers are the lines of the server by their id.
func answers(t *testing.T, out string) map[any]message {
	t.Helper()
	all := map[any]message{}
	for line := range strings.SplitSeq(strings.TrimSpace(out), "\n") {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("a line is not JSON (%v): %s", err, line)
		}
		all[m.ID] = m
	}
	return all
}

func TestStoreIsFinishedWhenTheInputEnds(t *testing.T) {
	for name, end := range map[string]func(p *peer, stop func()){
		"end of input": func(p *peer, _ func()) {
			if err := p.in.Close(); err != nil {
				p.t.Error(err)
			}
		},
		"signal": func(_ *peer, stop func()) { stop() },
	} {
		t.Run(name, func(t *testing.T) {
			env, m := world(t, "app")
			begun, goOn := make(chan struct{}), make(chan struct{})
			m.before = func(ctx context.Context, verb string) {
				if verb == "remember" {
					close(begun)
					<-goOn
					if ctx.Err() != nil {
						t.Error("the context of the call did not outlive the input")
					}
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			p := talk(t, ctx, env, mcpserver.Options{})
			p.ask(codexHello)
			p.send(call(1, "memory_store", `{"content":"Uploads must go through the queue; direct uploads lose events."}`))
			<-begun
			end(p, stop)
			select {
			case err := <-p.done:
				t.Fatalf("the server ended before the store: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			close(goOn)
			if got := p.next(); got.ID != 1.0 || got.Result.IsError {
				t.Errorf("got %+v", got)
			}
			if err := p.wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCallThatHangsDoesNotKeepTheServer(t *testing.T) {
	env, m := world(t, "app")
	release := make(chan struct{})
	defer close(release)
	m.before = func(context.Context, string) { <-release }
	p := talk(t, t.Context(), env, mcpserver.Options{Grace: 50 * time.Millisecond})
	p.send(call(1, "memory_query", `{"filter":"x"}`))
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

func TestDoneEndsTheServer(t *testing.T) {
	env, _ := world(t, "app")
	done := make(chan struct{})
	p := talk(t, t.Context(), env, mcpserver.Options{Done: done})
	p.ask(ping)
	close(done)
	if err := p.wait(); err != nil {
		t.Error(err)
	}
}

type brokenPipe struct{ after int }

func (b *brokenPipe) Write(p []byte) (int, error) {
	if b.after--; b.after < 0 {
		return 0, &os.PathError{Op: "write", Path: "|1", Err: io.ErrClosedPipe}
	}
	return len(p), nil
}

func TestBrokenOutputEndsTheServer(t *testing.T) {
	env, _ := world(t, "app")
	in, w := io.Pipe()
	defer w.Close()
	done := make(chan error, 1)
	go func() { done <- mcpserver.Serve(t.Context(), env, in, &brokenPipe{after: 1}, mcpserver.Options{}) }()
	for range 2 {
		if _, err := io.WriteString(w, ping+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the server did not end")
	}
}

func TestInputThatFailsIsAnError(t *testing.T) {
	env, _ := world(t, "app")
	bad := errors.New("the disk is on fire")
	in := io.MultiReader(strings.NewReader(ping+"\n"), iotest.ErrReader(bad))
	if err := mcpserver.Serve(t.Context(), env, in, io.Discard, mcpserver.Options{}); !errors.Is(err, bad) {
		t.Errorf("got %v", err)
	}
}

func TestCancelledCallIsGivenUp(t *testing.T) {
	env, m := world(t, "app")
	begun := make(chan struct{})
	m.before = func(ctx context.Context, verb string) {
		if verb == "recall" {
			close(begun)
			<-ctx.Done()
		}
	}
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.send(call(1, "memory_query", `{"filter":"x"}`))
	<-begun
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no longer of use"}}`)
	if got := p.next(); got.ID != 1.0 || !got.Result.IsError {
		t.Errorf("got %+v", got)
	}
}

func TestCallsAreAnsweredInOrderAndReadsSideBySide(t *testing.T) {
	env, m := world(t, "app")
	var reading, most atomic.Int32
	var together sync.WaitGroup
	together.Add(2)
	m.before = func(_ context.Context, verb string) {
		if verb != "recall" {
			return
		}
		n := reading.Add(1)
		defer reading.Add(-1)
		if n > most.Load() {
			most.Store(n)
		}
		together.Done()
		together.Wait() // stays until both reads are here
	}
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.send(
		call(1, "memory_store", `{"content":"Uploads must go through the queue; direct uploads lose events.","topic":"gotchas"}`),
		call(2, "memory_query", `{"filter":"uploads"}`),
		call(3, "memory_query", `{"filter":"uploads"}`),
	)
	for range 3 {
		if got := p.next(); got.ID != 1.0 && !strings.Contains(got.text(), "Uploads must go") {
			t.Errorf("a query came before the store: %+v", got)
		}
	}
	if most.Load() != 2 {
		t.Errorf("%d reads ran at once", most.Load())
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	const n = 60
	go func() {
		for i := range n {
			line := call(i, "memory_query", `{"filter":"number"}`)
			if i%2 == 0 {
				line = call(i, "memory_store", fmt.Sprintf(`{"content":"Service number %d listens on channel %d and never on another one."}`, i, 7*i))
			}
			if _, err := io.WriteString(p.in, line+"\n"); err != nil {
				return
			}
		}
	}()
	seen := map[any]bool{}
	for range n {
		m := p.next()
		if m.Error != nil || m.Result.IsError || seen[m.ID] {
			t.Fatalf("got %+v", m)
		}
		seen[m.ID] = true
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

func TestPanicIsReportedAndAnswered(t *testing.T) {
	env, m := world(t, "app")
	journal := crash.Open(t.TempDir(), crash.Options{})
	env.Journal = journal
	m.before = func(context.Context, string) { panic("boom") }
	p := talk(t, t.Context(), env, mcpserver.Options{})
	if got := p.ask(call(1, "memory_query", `{"filter":"x"}`)); !got.Result.IsError || !strings.Contains(got.text(), "memory_query panicked") {
		t.Errorf("got %+v", got)
	}
	all, err := journal.Reports()
	if err != nil || len(all) != 1 || all[0].Op != "memory_query" {
		t.Errorf("reports are %+v (%v)", all, err)
	}
	m.before = nil
	if got := p.ask(call(2, "memory_query", `{"filter":"x"}`)); got.Result.IsError {
		t.Errorf("afterwards: %+v", got)
	}
}

func TestNamesOfToolsAreMended(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	for i, name := range []string{"Memory_Query", "memory-query", "mcp__memory__memory_query", "query"} {
		if got := p.ask(call(i, name, `{"filter":"x"}`)); got.Error != nil || got.Result.IsError {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := p.ask(call(9, "memory_qury", `{}`))
	if got.Error == nil || got.Error.Code != -32602 || !strings.Contains(got.Error.Message, "memory_query") {
		t.Errorf("got %+v", got.Error)
	}
}

func TestArgumentsAsAgentsWriteThem(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.ask(codexHello)
	for i, args := range []string{
		`null`, `"uploads"`, `["uploads"]`, `"{\"filter\":\"uploads\"}"`, `{"arguments":{"query":"uploads"}}`, `{"filter":"uploads","maxResults":"5","lobe":null,"unknown":[1]}`,
	} {
		if got := p.ask(call(i, "memory_query", args)); got.Error != nil || got.Result.IsError {
			t.Errorf("%s: %+v", args, got)
		}
	}
	got := p.ask(call(50, "memory_query", `{"detail":"colour","format":"json"}`))
	if !got.Result.IsError || !strings.Contains(got.text(), "brief, standard, full") || !strings.Contains(got.text(), "memory_query(") {
		t.Errorf("got %+v", got)
	}
}

func TestReadOnlyOffersNoWritingTool(t *testing.T) {
	env, _ := world(t, "app")
	env.Facts = func() ops.Facts { return ops.Facts{Version: "1.2.3", ReadOnly: true} }
	p := talk(t, t.Context(), env, mcpserver.Options{})
	m := p.ask(codexHello)
	if strings.Contains(m.Result.Instructions, "memory_store") {
		t.Errorf("instructions are %q", m.Result.Instructions)
	}
	m = p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if len(m.Result.Tools) != 3 {
		t.Errorf("listed are %v", m.Result.Tools)
	}
	m = p.ask(call(2, "memory_store", `{"content":"x"}`))
	if !m.Result.IsError || !strings.Contains(m.text(), "read-only") {
		t.Errorf("got %+v", m)
	}
}
