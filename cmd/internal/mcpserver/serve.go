package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"memory-mcp/cmd/internal/ops"
)

// Name is what the server calls itself.
const Name = "memory-mcp"

// Options of a server. The zero value works.
type Options struct {
	// Session is the id of the host's session, for hosts that tell it in the
	// environment rather than with each call.
	Session string
	// Done ends the server as the end of the input does; nil is never.
	Done <-chan struct{}
	// Log hears what goes wrong; nil discards it.
	Log *slog.Logger
	// MaxLine is the length in bytes of the longest line that is read; 0 is 8 MiB.
	MaxLine int
	// Grace is how long calls that have begun may take after the end of the
	// input; 0 is 2 s.
	Grace time.Duration
	// Begin hears that a call begins, and what it returns that the call ended;
	// nil is without.
	Begin func() (end func())
}

func (o Options) complete() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxLine <= 0 {
		o.MaxLine = 8 << 20
	}
	if o.Grace <= 0 {
		o.Grace = 2 * time.Second
	}
	if o.Begin == nil {
		o.Begin = func() func() { return func() {} }
	}
	return o
}

// Serve answers the client at the other end of in and out, until the input
// ends, the output breaks, ctx ends or Done is closed. All of these are
// orderly, and no error. Env is the world of each call; who calls, the
// client's roots and progress are put into a copy of it.
//
// A read from in that blocks cannot be interrupted: when ctx ends it is left
// behind.
func Serve(ctx context.Context, env *ops.Env, in io.Reader, out io.Writer, o Options) error {
	o = o.complete()
	c := newConn(ctx, env, out, o)
	defer c.cancel()
	if err := c.mcp.RegisterSession(c.ctx, c.session); err != nil {
		return err
	}
	defer c.mcp.UnregisterSession(c.ctx, c.session.SessionID())
	go c.forward()

	lines := make(chan input)
	go read(bufio.NewReaderSize(in, readBuffer), o.MaxLine, lines, c.ctx.Done())
	err := c.loop(ctx, lines)
	c.drain()
	return err
}

const readBuffer = 64 << 10

// loop handles lines until there are no more, or nobody is left to answer.
func (c *conn) loop(ctx context.Context, lines <-chan input) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.o.Done:
			return nil
		case <-c.out.broken:
			return nil
		case l, ok := <-lines:
			switch {
			case !ok:
				return nil
			case l.err != nil && errors.Is(l.err, io.EOF):
				return nil
			case l.err != nil:
				return l.err
			case l.tooLong:
				c.refuse(l)
			default:
				c.handle(l.text)
			}
		}
	}
}

// drain lets calls that have begun finish, on a context that outlives the
// input. Requests that wait for something to happen are ended at once.
func (c *conn) drain() {
	c.endStreams()
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	grace := time.NewTimer(c.o.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		c.o.Log.Warn("calls were still running when the server ended")
	}
}

func newServer(version string, hooks *server.Hooks) *server.MCPServer {
	return server.NewMCPServer(Name, version,
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithHooks(hooks),
		server.WithTitle("Memory"),
		server.WithDescription("Remembers what earlier sessions learned about a project and its user, as Markdown files."),
	)
}
