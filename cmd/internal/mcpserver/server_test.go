package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/cmd/internal/mcpserver"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// memory is a real memory in a scratch folder, whose verbs can be held up.
type memory struct {
	*lobes.Set
	before func(ctx context.Context, verb string)
}

func (m *memory) Remember(ctx context.Context, by lobes.By, t lobes.Target, n []lobes.Note) (lobes.Remembered, error) {
	if m.before != nil {
		m.before(ctx, "remember")
	}
	return m.Set.Remember(ctx, by, t, n)
}

func (m *memory) Recall(ctx context.Context, t lobes.Target, q lobes.Query) (lobes.Answer, error) {
	if m.before != nil {
		m.before(ctx, "recall")
	}
	return m.Set.Recall(ctx, t, q)
}

// Bootstrap takes three steps and stores nothing.
func (m *memory) Bootstrap(ctx context.Context, _ lobes.By, _ lobes.Target, o lobes.BootstrapOptions) (lobes.Bootstrapped, error) {
	for i := 1; i <= 3 && o.Progress != nil; i++ {
		o.Progress(i, 3, "README.md")
	}
	return lobes.Bootstrapped{Lobe: "app"}, ctx.Err()
}

// world is a world with the lobes of the given names, in scratch folders.
func world(t *testing.T, names ...string) (*ops.Env, *memory) {
	t.Helper()
	dir := t.TempDir()
	specs := []lobes.Spec{{Name: "global", Dir: filepath.Join(dir, "global"), Global: true}}
	for _, n := range names {
		root := filepath.Join(dir, "src", n)
		if err := os.MkdirAll(root, 0o755); err != nil {
			t.Fatal(err)
		}
		specs = append(specs, lobes.Spec{Name: n, Root: root, Dir: filepath.Join(dir, "memory", n)})
	}
	m := &memory{Set: lobes.NewSet(specs, lobes.Options{Home: dir})}
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	env := &ops.Env{
		Current: func(context.Context) (ops.Memory, error) { return m, nil },
		Facts:   func() ops.Facts { return ops.Facts{Version: "1.2.3"} },
	}
	return env, m
}

// peer is the other end of a served conversation.
type peer struct {
	t    *testing.T
	in   *io.PipeWriter
	got  chan json.RawMessage
	done chan error

	mu    sync.Mutex
	lines []string
}

func talk(t *testing.T, ctx context.Context, env *ops.Env, o mcpserver.Options) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, in: inW, got: make(chan json.RawMessage, 1000), done: make(chan error, 1)}
	go func() {
		p.done <- mcpserver.Serve(ctx, env, inR, outW, o)
		outW.Close()
	}()
	go func() {
		defer close(p.got)
		s := bufio.NewScanner(outR)
		s.Buffer(nil, 64<<20)
		for s.Scan() {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.mu.Unlock()
			p.got <- json.RawMessage(s.Text())
		}
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
	})
	return p
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(p.in, l+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// message is one line of the server.
type message struct {
	JSONRPC string `json:"jsonrpc"`
	ID      any    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
	Result  struct {
		ProtocolVersion   string            `json:"protocolVersion"`
		SupportedVersions []string          `json:"supportedVersions"`
		Instructions      string            `json:"instructions"`
		Capabilities      map[string]any    `json:"capabilities"`
		ServerInfo        map[string]any    `json:"serverInfo"`
		ResultType        string            `json:"resultType"`
		InputRequests     map[string]any    `json:"inputRequests"`
		Content           []content         `json:"content"`
		Structured        map[string]any    `json:"structuredContent"`
		IsError           bool              `json:"isError"`
		Tools             []map[string]any  `json:"tools"`
		Resources         []map[string]any  `json:"resources"`
		Templates         []map[string]any  `json:"resourceTemplates"`
		Contents          []map[string]any  `json:"contents"`
		Prompts           []map[string]any  `json:"prompts"`
		Messages          []json.RawMessage `json:"messages"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (m message) text() string {
	var b strings.Builder
	for _, c := range m.Result.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// next is the next line of the server.
func (p *peer) next() message {
	p.t.Helper()
	select {
	case line, ok := <-p.got:
		if !ok {
			p.t.Fatal("the server wrote nothing more")
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			p.t.Fatalf("a line is not JSON (%v): %s", err, line)
		}
		if m.JSONRPC != "2.0" {
			p.t.Fatalf("a line is not JSON-RPC: %s", line)
		}
		return m
	case <-time.After(20 * time.Second):
		p.t.Fatal("no answer")
	}
	panic("unreachable")
}

func (p *peer) ask(line string) message {
	p.t.Helper()
	p.send(line)
	return p.next()
}

// end closes the input and waits for the server.
func (p *peer) end() error {
	p.t.Helper()
	if err := p.in.Close(); err != nil {
		p.t.Fatal(err)
	}
	return p.wait()
}

func (p *peer) wait() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(20 * time.Second):
		p.t.Fatal("the server did not end")
	}
	return nil
}

func call(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2.1.332"},"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}%s}`

func modern(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, id, method, params, fmt.Sprintf(modernMeta, ""))
}

// The first messages of hosts, as they were seen on the wire.
const (
	codexHello    = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"codex-mcp-client","title":"Codex","version":"0.171.0"}}}`
	opencodeHello = `{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"opencode","version":"1.18.33"}},"jsonrpc":"2.0","id":0}`
	ready         = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func checkHello(t *testing.T, m message, version string) {
	t.Helper()
	if m.Error != nil || m.Result.ProtocolVersion != version {
		t.Fatalf("the handshake gave %+v", m)
	}
	if m.Result.ServerInfo["name"] != "memory-mcp" || m.Result.ServerInfo["version"] != "1.2.3" {
		t.Errorf("server info is %v", m.Result.ServerInfo)
	}
	checkOffer(t, m)
}

func checkOffer(t *testing.T, m message) {
	t.Helper()
	if s := m.Result.Instructions; len(s) > 2048 || !strings.Contains(s, "memory_context") || !strings.Contains(s, "app, global") {
		t.Errorf("instructions are %q", s)
	}
	for _, kind := range []string{"tools", "resources", "prompts"} {
		c, ok := m.Result.Capabilities[kind].(map[string]any)
		if _, changed := c["listChanged"]; !ok || changed {
			t.Errorf("capability %s is %v", kind, m.Result.Capabilities[kind])
		}
	}
}

func checkTools(t *testing.T, m message) {
	t.Helper()
	var names []string
	for _, tool := range m.Result.Tools {
		names = append(names, tool["name"].(string))
		a, _ := tool["annotations"].(map[string]any)
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := a[hint].(bool); !ok {
				t.Errorf("%s has no %s", tool["name"], hint)
			}
		}
	}
	if got := strings.Join(names, " "); got != "memory_context memory_query memory_store memory_correct memory_history memory_bootstrap" {
		t.Errorf("listed are %s", got)
	}
}

func TestHostsOfTheOlderEra(t *testing.T) {
	for version, hello := range map[string]string{"2025-06-18": codexHello, "2025-11-25": opencodeHello} {
		t.Run(version, func(t *testing.T) {
			env, _ := world(t, "app")
			p := talk(t, t.Context(), env, mcpserver.Options{})
			checkHello(t, p.ask(hello), version)
			p.send(ready)
			checkTools(t, p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
			m := p.ask(call(2, "memory_store", `{"content":"Uploads must go through the queue; direct uploads lose events.","topic":"gotchas"}`))
			if m.Result.IsError || !strings.Contains(m.text(), "lobe app") || m.Result.Structured != nil {
				t.Fatalf("store: %+v", m)
			}
			m = p.ask(call(3, "memory_query", `{"filter":"uploads"}`))
			if !strings.Contains(m.text(), "Uploads must go") {
				t.Errorf("query: %s", m.text())
			}
			m = p.ask(call(4, "memory_diagnose", `{}`))
			if !strings.Contains(m.text(), "Mode running") {
				t.Errorf("a tool that is not listed cannot be called: %+v", m)
			}
			if err := p.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHostOfTheStatelessEra(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{Session: "s-1"})
	m := p.ask(modern(`"server-discover-probe-1"`, "server/discover", ""))
	if m.ID != "server-discover-probe-1" || m.Error != nil || !strings.Contains(strings.Join(m.Result.SupportedVersions, " "), "2026-07-28") {
		t.Fatalf("discover: %+v", m)
	}
	checkOffer(t, m)
	checkTools(t, p.ask(modern("1", "tools/list", "")))
	m = p.ask(modern("2", "tools/call", `"name":"memory_store","arguments":{"content":"Releases are cut from main on Mondays by the bot.","topic":"conventions"}`))
	if m.Result.IsError || m.Result.ResultType != "complete" || !strings.Contains(m.text(), "Stored") {
		t.Fatalf("store: %+v", m)
	}
	m = p.ask(modern("3", "tools/call", `"name":"memory_query","arguments":{"filter":"releases","format":"json"}`))
	if m.Result.Structured["total"] != 1.0 {
		t.Errorf("query: %+v", m)
	}
	var same map[string]any
	if err := json.Unmarshal([]byte(m.text()), &same); err != nil || same["total"] != 1.0 {
		t.Errorf("the text is not the structure: %s", m.text())
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

func TestCallerIsNamedInBothEras(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.ask(codexHello)
	m := p.ask(call(1, "memory_store", `{"content":"Uploads must go through the queue; direct uploads lose events.","topic":"gotchas","format":"json"}`))
	if got := actor(m); got != "codex-mcp-client 0.171.0" {
		t.Errorf("actor is %q", got)
	}
	m = p.ask(modern("2", "tools/call", `"name":"memory_store","arguments":{"content":"Releases are cut from main on Mondays by the bot.","topic":"conventions","format":"json"}`))
	if got := actor(m); got != "claude-code 2.1.332" {
		t.Errorf("actor is %q", got)
	}
}

func actor(m message) string {
	stored, _ := m.Result.Structured["stored"].([]any)
	if len(stored) == 0 {
		return fmt.Sprint(m)
	}
	s, _ := stored[0].(map[string]any)["actor"].(string)
	return s
}
