package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/crash"
)

// conn is the conversation with one client.
type conn struct {
	o       Options
	id      string // names the connection in the history
	env     *ops.Env
	mcp     *server.MCPServer
	session *session
	out     *output
	roots   rootsOfClient

	ctx        context.Context // of calls: it outlives the input
	cancel     context.CancelFunc
	streams    context.Context // of requests that wait for something to happen
	endStreams context.CancelFunc

	running sync.WaitGroup // calls that have begun
	slots   chan struct{}  // bounds how many run at once
	order   order
}

// mostAtOnce bounds the calls that run side by side.
const mostAtOnce = 32

// idLength is the length of a connection's name, of 32 letters and digits each.
const idLength = 10

func newConn(ctx context.Context, env *ops.Env, out io.Writer, o Options) *conn {
	c := &conn{o: o, id: "mcp-" + strings.ToLower(rand.Text()[:idLength]), env: env, out: newOutput(out, o.Log), slots: make(chan struct{}, mostAtOnce)}
	c.session = newSession(c.out)
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.streams, c.endStreams = context.WithCancel(c.ctx)
	c.mcp = newServer(c.facts().Version, c.hooks())
	c.addTools()
	c.addResources()
	c.addPrompts()
	return c
}

func (c *conn) facts() ops.Facts {
	if c.env.Facts == nil {
		return ops.Facts{}
	}
	return c.env.Facts()
}

// envelope is what is looked at before a message is handed on.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// handle takes one line of the client.
func (c *conn) handle(line []byte) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	if len(line) == 0 {
		return
	}
	if !json.Valid(line) {
		c.out.message(newFailure(nil, parseError, "this line is not JSON; each message is one line of JSON"))
		return
	}
	if !utf8.Valid(line) { // a decoder would put other characters in the place of the bytes
		c.out.message(newFailure(idOf(line), parseError, "this line is not UTF-8 and was not taken; JSON is UTF-8"))
		return
	}
	if line[0] == '[' {
		c.refuseBatch(line)
		return
	}
	var e envelope
	if err := json.Unmarshal(line, &e); err != nil {
		c.out.message(newFailure(nil, invalidRequest, "this line is not a JSON-RPC message: "+err.Error()))
		return
	}
	switch {
	case e.Method == "" && (e.Result != nil || e.Error != nil):
		c.session.answered(e)
	case e.Method == "":
		c.out.message(newFailure(e.ID, invalidRequest, "the message has no method"))
	case !isID(e.ID) && e.ID != nil && string(e.ID) != "null":
		c.out.message(newFailure(nil, invalidRequest, "the id of a request is a text or a number"))
	case !isID(e.ID):
		c.notification(line)
	default:
		c.request(e, line)
	}
}

// refuse answers a line that is too long to be read.
func (c *conn) refuse(l input) {
	c.out.message(newFailure(idOf(l.text), invalidRequest,
		fmt.Sprintf("this line is longer than %d bytes and was not read; store several short memories instead of one long", c.o.MaxLine)))
}

// refuseBatch answers each request of a batch: the protocol has none since
// 2025-06-18, and nobody should wait for an answer that does not come.
func (c *conn) refuseBatch(line []byte) {
	const message = "the messages of a batch are not taken; send each on a line of its own"
	var all []envelope
	if err := json.Unmarshal(line, &all); err != nil {
		all = nil
	}
	told := false
	for _, e := range all {
		if isID(e.ID) && e.Method != "" {
			c.out.message(newFailure(e.ID, invalidRequest, message))
			told = true
		}
	}
	if !told {
		c.out.message(newFailure(nil, invalidRequest, message))
	}
}

// notification is handled at once: it may cancel what is running.
func (c *conn) notification(line []byte) {
	c.guard("notification", nil, func() mcp.JSONRPCMessage {
		c.mcp.HandleMessage(c.mcp.WithContext(c.ctx, c.session), line)
		return nil
	})
}

// request answers a request. The handshake is answered before the next line is
// read; all else runs by itself.
func (c *conn) request(e envelope, line []byte) {
	ctx := c.mcp.WithContext(c.ctx, c.session)
	switch mcp.MCPMethod(e.Method) {
	case mcp.MethodInitialize, mcp.MethodServerDiscover, mcp.MethodPing:
		c.answer(ctx, e, line)
	case mcp.MethodSubscriptionsListen:
		go c.answer(c.mcp.WithContext(c.streams, c.session), e, line)
	case mcp.MethodToolsCall:
		c.toolsCall(ctx, e, line)
	default:
		c.begin(func() { c.answer(ctx, e, line) })
	}
}

// begin runs a call by itself, at most some at once. When all places are taken
// the client has to wait: nothing of it is read meanwhile.
func (c *conn) begin(call func()) {
	c.running.Add(1)
	c.slots <- struct{}{}
	go func() {
		defer c.running.Done()
		defer func() { <-c.slots }()
		call()
	}()
}

func (c *conn) answer(ctx context.Context, e envelope, line []byte) {
	end := c.o.Begin()
	defer end()
	o := &outcome{}
	ctx = context.WithValue(ctx, outcomeKey{}, o)
	c.guard(e.Method, e.ID, func() mcp.JSONRPCMessage { return o.coded(c.mcp.HandleMessage(ctx, line)) })
}

// guard runs f and writes what it gives. A panic in it is written down and
// answered; the conversation goes on.
func (c *conn) guard(method string, id json.RawMessage, f func() mcp.JSONRPCMessage) {
	var answer mcp.JSONRPCMessage
	run := func() error {
		answer = f()
		return nil
	}
	var err error
	if c.env.Journal != nil && method != string(mcp.MethodToolsCall) {
		err = c.env.Journal.Guard(crash.Doing{Op: method, Phase: "running"}, run)
	} else {
		err = c.recovered(method, run)
	}
	switch {
	case err != nil && id != nil:
		c.out.message(newFailure(id, internalError, err.Error()))
	case answer != nil:
		c.out.message(answer)
	}
}

// recovered is the guard of a tool call, whose work has a guard of its own, and
// of a server without a journal.
func (c *conn) recovered(method string, run func() error) (err error) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		err = fmt.Errorf("%s panicked", method)
		c.o.Log.Error("a request panicked", "method", method, "value", v)
		if c.env.Journal != nil {
			err = c.env.Journal.Guard(crash.Doing{Op: method, Phase: "answering"}, func() error { panic(v) })
		}
	}()
	return run()
}
