package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"memory-mcp/cmd/internal/mcpserver"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// sealed is a memory that must not be touched.
type sealed struct{ ops.Memory }

func (sealed) Mode() string    { return lobes.Running }
func (sealed) Names() []string { return []string{"app", "global"} }

func TestHandshakeAndListsTouchNoLobe(t *testing.T) {
	env, _ := world(t, "app")
	env.Current = func(context.Context) (ops.Memory, error) { return sealed{}, nil }
	p := talk(t, t.Context(), env, mcpserver.Options{})
	checkHello(t, p.ask(codexHello), "2025-06-18")
	checkOffer(t, p.ask(modern(`"server-discover-probe-1"`, "server/discover", "")))
	checkTools(t, p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	for _, list := range []string{"resources/list", "resources/templates/list", "prompts/list"} {
		if m := p.ask(`{"jsonrpc":"2.0","id":2,"method":"` + list + `"}`); m.Error != nil {
			t.Errorf("%s: %+v", list, m.Error)
		}
	}
}

func TestToolListIsSmallAndStable(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	var lists []string
	for range 3 {
		p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		p.mu.Lock()
		lists = append(lists, p.lines[len(p.lines)-1])
		p.mu.Unlock()
	}
	if lists[0] != lists[1] || lists[1] != lists[2] {
		t.Error("the list changes between two calls")
	}
	if n := len(lists[0]) / 4; n > 1500 {
		t.Errorf("the list takes %d tokens, at most 1500", n)
	}
	if strings.Contains(lists[0], `\u003`) {
		t.Errorf("the list is escaped for web pages: %s", lists[0])
	}
}

func TestInstructionsNameTheFirstLobes(t *testing.T) {
	var names []string
	for c := 'a'; c <= 'z'; c++ {
		names = append(names, "lobe-"+string(c))
	}
	env, _ := world(t, names...)
	p := talk(t, t.Context(), env, mcpserver.Options{})
	s := p.ask(codexHello).Result.Instructions
	if !strings.Contains(s, "global, lobe-a, ") || !strings.Contains(s, "lobe-k, and 15 more") || len(s) > 2048 {
		t.Errorf("instructions are %q", s)
	}
	env.Facts = func() ops.Facts { return ops.Facts{Profile: ops.Verbs} }
	p = talk(t, t.Context(), env, mcpserver.Options{})
	if s := p.ask(codexHello).Result.Instructions; strings.Contains(s, "memory_context") || !strings.Contains(s, "recall") {
		t.Errorf("instructions are %q", s)
	}
}

// asking is a world with two lobes of which the call names none.
func asking(t *testing.T) (env *ops.Env, root string) {
	t.Helper()
	env, m := world(t, "app", "web")
	infos := m.List(t.Context(), lobes.Target{})
	i := slices.IndexFunc(infos, func(x lobes.LobeInfo) bool { return x.Name == "web" })
	return env, infos[i].Root
}

const storeWeb = `{"content":"Uploads must go through the queue; direct uploads lose events.","topic":"gotchas"}`

func TestRootsOfTheOlderEra(t *testing.T) {
	env, root := asking(t)
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.ask(opencodeHello)
	p.send(call(1, "memory_store", storeWeb))
	q := p.next()
	if q.Method != "roots/list" {
		t.Fatalf("got %+v", q)
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": map[string]any{"roots": []any{map[string]any{"uri": fileURI(root)}}}})
	if err != nil {
		t.Fatal(err)
	}
	if m := p.ask(string(answer)); !strings.Contains(m.text(), "lobe web") {
		t.Errorf("got %+v", m)
	}
	if m := p.ask(call(2, "memory_store", `{"content":"Releases are cut from main on Mondays by the bot."}`)); !strings.Contains(m.text(), "lobe web") {
		t.Errorf("the roots were not remembered: %+v", m)
	}
}

func TestRootsOfTheStatelessEra(t *testing.T) {
	env, root := asking(t)
	p := talk(t, t.Context(), env, mcpserver.Options{})
	m := p.ask(modern("1", "tools/call", `"name":"memory_store","arguments":`+storeWeb))
	if m.Result.ResultType != "input_required" || len(m.Result.InputRequests) != 1 {
		t.Fatalf("got %+v", m)
	}
	m = p.ask(modern("2", "tools/call", `"name":"memory_store","arguments":`+storeWeb+`,"inputResponses":{"roots":{"roots":[{"uri":"`+fileURI(root)+`"}]}}`))
	if m.Result.IsError || !strings.Contains(m.text(), "lobe web") {
		t.Errorf("got %+v", m)
	}
	m = p.ask(modern("3", "tools/call", `"name":"memory_query","arguments":{"filter":"uploads"}`))
	if !strings.Contains(m.text(), "lobes web, global") && !strings.Contains(m.text(), "| web |") {
		t.Errorf("got %s", m.text())
	}
}

func TestClientWithoutRootsIsNotAsked(t *testing.T) {
	env, _ := asking(t)
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.ask(codexHello)
	m := p.ask(call(1, "memory_store", storeWeb))
	if !m.Result.IsError || !strings.Contains(m.text(), `"app" or "web"`) {
		t.Errorf("got %+v", m)
	}
	m = p.ask(call(2, "memory_store", `{"content":"Uploads must go through the queue; direct uploads lose events.","lobe":"wbe"}`))
	if !m.Result.IsError || !strings.Contains(m.text(), "Nearest: web") {
		t.Errorf("got %+v", m)
	}
}

func fileURI(path string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return u.String()
}

func TestProgressIsTold(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.ask(codexHello)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_bootstrap","arguments":{},"_meta":{"progressToken":"t1"}}}`)
	var seen []any
	for {
		m := p.next()
		if m.Method == "" {
			if m.ID != 1.0 || m.Result.IsError {
				t.Errorf("got %+v", m)
			}
			break
		}
		params, _ := m.Params.(map[string]any)
		if m.Method != "notifications/progress" || params["progressToken"] != "t1" || params["total"] != 3.0 {
			t.Errorf("got %+v", m)
		}
		seen = append(seen, params["progress"])
	}
	if !reflect.DeepEqual(seen, []any{1.0, 3.0}) {
		t.Errorf("progress is %v: the first and the last step were expected", seen)
	}
}

func TestSessionOfTheHost(t *testing.T) {
	env, m := world(t, "app")
	spy := &spying{Memory: m}
	env.Current = func(context.Context) (ops.Memory, error) { return spy, nil }
	p := talk(t, t.Context(), env, mcpserver.Options{Session: "from-environment"})
	p.ask(codexHello)
	p.ask(call(1, "memory_store", storeWeb))
	p.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_store","arguments":"x","_meta":{"host/sessionId":"from-call"}}}`)
	if got := []string{spy.by[0].Session, spy.by[1].Session, spy.by[0].Role}; !reflect.DeepEqual(got, []string{"from-environment", "from-call", "assistant"}) {
		t.Errorf("got %q", got)
	}
}

// TestAConnectionStandsForASession: most hosts do not tell their session, and
// what was done in one is undone and forgotten all the same.
func TestAConnectionStandsForASession(t *testing.T) {
	env, m := world(t, "app")
	spy := &spying{Memory: m}
	env.Current = func(context.Context) (ops.Memory, error) { return spy, nil }
	first := talk(t, t.Context(), env, mcpserver.Options{})
	first.ask(codexHello)
	stored := first.ask(call(1, "memory_store", storeWeb)).text()
	first.ask(call(2, "memory_store", `"Releases are cut from main on Mondays by the bot."`))
	second := talk(t, t.Context(), env, mcpserver.Options{})
	second.ask(codexHello)
	second.ask(call(1, "memory_store", `"Fixtures live beside the package that they test."`))
	a, b, c := spy.by[0], spy.by[1], spy.by[2]
	if a.Session != "" || a.Connection == "" || b.Connection != a.Connection || c.Connection == a.Connection {
		t.Fatalf("got %+v", spy.by)
	}
	id := regexp.MustCompile(`[a-z]+-[0-9a-f]{8}`).FindString(stored)
	if got := second.ask(call(2, "memory_history", `{"action":"why","id":"`+id+`"}`)).text(); !strings.Contains(got, "session "+a.Connection) {
		t.Errorf("%q does not tell %s", got, a.Connection)
	}
	undone := second.ask(call(3, "memory_correct", `{"action":"undo","session":"`+a.Connection+`"}`)).text()
	if strings.Count(undone, "is undone") != 2 || !strings.Contains(undone, id) {
		t.Errorf("undone: %s", undone)
	}
}

type spying struct {
	ops.Memory
	by []lobes.By
}

func (s *spying) Remember(ctx context.Context, by lobes.By, t lobes.Target, n []lobes.Note) (lobes.Remembered, error) {
	s.by = append(s.by, by)
	return s.Memory.Remember(ctx, by, t, n)
}

// dial connects mcp-go's client.
func dial(t *testing.T, env *ops.Env) *client.Client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcpserver.Serve(t.Context(), env, inR, outW, mcpserver.Options{})
		outW.Close()
	}()
	c := client.NewClient(transport.NewIO(outR, inW, io.NopCloser(strings.NewReader(""))))
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		inW.Close()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the server did not end")
		}
		c.Close()
	})
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = "2025-11-25"
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClientOfTheLibrary(t *testing.T) {
	env, m := world(t, "app")
	c := dial(t, env)
	tools, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(tools.Tools) != 6 {
		t.Fatalf("tools are %v (%v)", tools, err)
	}
	request := mcp.CallToolRequest{}
	request.Params.Name = "memory_store"
	request.Params.Arguments = map[string]any{"content": "Uploads must go through the queue; direct uploads lose events.", "topic": "gotchas", "format": "json"}
	r, err := c.CallTool(t.Context(), request)
	if err != nil || r.IsError {
		t.Fatalf("got %+v (%v)", r, err)
	}
	var stored lobes.Remembered
	b, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &stored)
	}
	if err != nil || len(stored.Stored) != 1 {
		t.Fatalf("got %s (%v)", b, err)
	}
	one := stored.Stored[0]
	if text, err := os.ReadFile(one.Path); err != nil || !strings.Contains(string(text), "lose events") {
		t.Errorf("the file holds %q (%v)", text, err)
	}
	checkResources(t, c, one)
	checkPrompts(t, c)
	if len(m.Names()) != 2 {
		t.Errorf("lobes are %v", m.Names())
	}
}

func checkResources(t *testing.T, c *client.Client, one lobes.Stored) {
	t.Helper()
	read := func(uri string) (string, error) {
		request := mcp.ReadResourceRequest{}
		request.Params.URI = uri
		r, err := c.ReadResource(t.Context(), request)
		if err != nil || len(r.Contents) != 1 {
			return "", err
		}
		return r.Contents[0].(mcp.TextResourceContents).Text, nil
	}
	text, err := read("memory://lobes")
	var list struct{ Lobes []lobes.LobeInfo }
	if err != nil || json.Unmarshal([]byte(text), &list) != nil || len(list.Lobes) != 2 {
		t.Errorf("lobes are %s (%v)", text, err)
	}
	if text, err = read("memory://entry/app/" + one.ID); err != nil || !strings.Contains(text, "lose events") {
		t.Errorf("the entry is %q (%v)", text, err)
	}
	near := one.ID[:len(one.ID)-1] + "0"
	if near == one.ID {
		near = one.ID[:len(one.ID)-1] + "1"
	}
	for uri, want := range map[string]string{
		"memory://entry/app/arch-00000000": "arch-00000000", "memory://entry/no/" + one.ID: `"no"`, "memory://entry/%zz/x": "memory://entry/%zz/x",
		"memory://nothing": "memory://nothing", "memory://entry/app/" + near: "Nearest: " + one.ID,
	} {
		text, err := read(uri)
		if !errors.Is(err, mcp.ErrResourceNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %q (%v)", uri, text, err)
		}
	}
}

func checkPrompts(t *testing.T, c *client.Client) {
	t.Helper()
	all, err := c.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	if err != nil || len(all.Prompts) == 0 {
		t.Fatalf("prompts are %v (%v)", all, err)
	}
	for _, p := range all.Prompts {
		request := mcp.GetPromptRequest{}
		request.Params.Name = p.Name
		request.Params.Arguments = map[string]string{"task": "uploads"}
		r, err := c.GetPrompt(t.Context(), request)
		if err != nil || len(r.Messages) != 1 || p.Description == "" {
			t.Errorf("%+v gives %+v (%v)", p, r, err)
			continue
		}
		text := r.Messages[0].Content.(mcp.TextContent).Text
		if p.Name != "harvest" && !strings.Contains(text, "Uploads must go") {
			t.Errorf("%s says %q", p.Name, text)
		}
	}
	if r, err := c.GetPrompt(t.Context(), mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: "recall"}}); err == nil {
		t.Errorf("recall without a task gives %+v", r)
	}
}

func TestSignsOfCodeAreNotEscaped(t *testing.T) {
	env, _ := world(t, "app")
	p := talk(t, t.Context(), env, mcpserver.Options{})
	p.ask(codexHello)
	p.ask(call(1, "memory_store", `{"content":"Compare with a<b && c>d, and write the backslash-u form as \\u003c in JSON.","topic":"conventions"}`))
	m := p.ask(call(2, "memory_query", `{"filter":"compare","detail":"full"}`))
	if !strings.Contains(m.text(), `a<b && c>d`) || !strings.Contains(m.text(), `form as \u003c in`) {
		t.Errorf("got %s", m.text())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.lines {
		if strings.Contains(strings.ReplaceAll(line, `\\u003c`, ""), `\u00`) {
			t.Errorf("escaped for web pages: %s", line)
		}
	}
}
