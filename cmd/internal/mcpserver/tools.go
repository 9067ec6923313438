package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// addTools offers every operation. Which of them are listed is decided when
// the list is asked for; the others can be called nevertheless.
func (c *conn) addTools() {
	for _, o := range ops.All() {
		c.mcp.AddTool(tool(o), c.call)
	}
}

func tool(o ops.Op) mcp.Tool {
	t := mcp.NewToolWithRawSchema(o.Name, o.Doc, o.Schema())
	t.Title = o.Title
	h := o.Hints()
	t.Annotations = mcp.ToolAnnotation{
		ReadOnlyHint: &h.ReadOnly, DestructiveHint: &h.Destructive, IdempotentHint: &h.Idempotent, OpenWorldHint: &h.OpenWorld,
	}
	return t
}

func (c *conn) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
		listed := c.facts().Listed(c.broken(ctx))
		r.Tools = make([]mcp.Tool, 0, len(listed))
		for _, o := range listed {
			r.Tools = append(r.Tools, tool(o))
		}
	})
	h.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, r *mcp.InitializeResult) {
		r.Instructions = c.instructions(ctx)
	})
	h.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, r *mcp.DiscoverResult) {
		r.Instructions = c.instructions(ctx)
	})
	return h
}

// broken tells whether the lobes are degraded, as far as is known by now.
func (c *conn) broken(ctx context.Context) bool {
	m, err := c.env.Current(ctx)
	return err != nil || m.Mode() != lobes.Running
}

// calling is what a tool's handler is told beside the request.
type calling struct {
	turn *turn
}

type callingKey struct{}

// toolsCall gives a tool call its place among the others. A name that is
// written in another way is mended, one that nobody has is answered with the
// nearest.
func (c *conn) toolsCall(ctx context.Context, e envelope, line []byte) {
	name, mended := c.nameOf(e, line)
	o, ok := ops.Find(name)
	if !ok {
		_, fault := ops.Call(ctx, c.env, name, nil)
		c.out.message(newFailure(e.ID, invalidParams, fault.Error()))
		return
	}
	turn := c.order.next(o.Effect.Writes())
	ctx = context.WithValue(ctx, callingKey{}, calling{turn})
	c.begin(func() {
		defer turn.end()
		c.answer(ctx, e, mended)
	})
}

// nameOf is the name of the tool that is called, and the message with that
// name as the tool itself writes it.
func (c *conn) nameOf(e envelope, line []byte) (string, []byte) {
	var params map[string]json.RawMessage
	if err := json.Unmarshal(e.Params, &params); err != nil {
		return "", line
	}
	var name string
	if err := json.Unmarshal(params["name"], &name); err != nil {
		return "", line
	}
	o, ok := ops.Find(name)
	if !ok || o.Name == name {
		return name, line
	}
	params["name"] = json.RawMessage(`"` + o.Name + `"`)
	mended := map[string]any{"jsonrpc": e.JSONRPC, "id": e.ID, "method": e.Method, "params": params}
	b, err := json.Marshal(mended)
	if err != nil {
		return name, line
	}
	return o.Name, b
}

// call runs an operation.
func (c *conn) call(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if told, ok := ctx.Value(callingKey{}).(calling); ok {
		if err := told.turn.wait(ctx); err != nil {
			return nil, err
		}
	}
	env, asked := c.world(ctx, r)
	reply, fault := ops.Call(ctx, env, r.Params.Name, r.Params.RawArguments)
	if *asked {
		return new(server.InputRequestBuilder).Roots(rootsKey).ToolResult(), nil
	}
	if fault != nil {
		return failed(reply, fault), nil
	}
	result, err := answered(reply)
	if env.Used != nil && err == nil {
		env.Used(ctx, env.By, reply.Use(r.Params.Name, textOf(result)))
	}
	return result, err
}

// textOf is the text of an answer.
func textOf(r *mcp.CallToolResult) string {
	for _, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

func answered(r ops.Reply) (*mcp.CallToolResult, error) {
	if !r.AsJSON {
		return mcp.NewToolResultText(r.Text()), nil
	}
	b, err := r.JSON()
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultStructured(json.RawMessage(b), string(b)), nil
}

func failed(r ops.Reply, f *ops.Fault) *mcp.CallToolResult {
	if !r.AsJSON {
		return mcp.NewToolResultError(f.Error())
	}
	whole := map[string]any{"error": f}
	b, err := json.Marshal(whole)
	if err != nil {
		return mcp.NewToolResultError(f.Error())
	}
	result := mcp.NewToolResultStructured(json.RawMessage(b), string(b))
	result.IsError = true
	return result
}

// world is the world of one call: who calls, from where, and who hears how far
// it is.
func (c *conn) world(ctx context.Context, r mcp.CallToolRequest) (env *ops.Env, asked *bool) {
	own := *c.env
	own.By = c.caller(ctx, r.Params.Meta)
	own.Roots, asked = c.rootsFor(r)
	if r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil {
		own.Progress = c.progress(r.Params.Meta.ProgressToken)
	}
	return &own, asked
}

// caller says who calls: the client as it names itself, in its session.
func (c *conn) caller(ctx context.Context, meta *mcp.Meta) lobes.By {
	by := c.env.By
	info := c.session.GetClientInfo()
	if modern := server.RequestProtocolInfoFromContext(ctx); modern != nil && modern.ClientInfo != nil {
		info = *modern.ClientInfo
	}
	if info.Name != "" {
		by.Actor = strings.TrimSpace(oneLine(info.Name, 80) + " " + oneLine(info.Version, 40))
	}
	if by.Role == "" {
		by.Role = "assistant"
	}
	by.Connection = c.id
	if c.o.Session != "" {
		by.Session = c.o.Session
	}
	if id := sessionOf(meta); id != "" {
		by.Session = id
	}
	return by
}

// sessionOf finds the id of the host's session in the metadata of a call.
func sessionOf(meta *mcp.Meta) string {
	if meta == nil {
		return ""
	}
	for key, v := range meta.AdditionalFields {
		name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key[strings.LastIndexByte(key, '/')+1:]))
		if id, ok := v.(string); ok && name == "sessionid" {
			return oneLine(id, 200)
		}
	}
	return ""
}

// oneLine keeps what a client says of itself short and on one line.
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// progressPause is the least time between two notes of progress.
const progressPause = 100 * time.Millisecond

// progress tells the client how far a call is, not more often than it can be
// of use.
func (c *conn) progress(token mcp.ProgressToken) func(done, total int, what string) {
	var mu sync.Mutex
	var last time.Time
	return func(done, total int, what string) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); done < total && now.Sub(last) < progressPause {
			return
		} else {
			last = now
		}
		params := map[string]any{"progressToken": token, "progress": done, "message": what}
		if total > 0 {
			params["total"] = total
		}
		c.out.message(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": "notifications/progress", "params": params})
	}
}
