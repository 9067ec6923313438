package cli

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/mcpserver"
)

func newServe(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "serve",
		Short:   "Speak the Model Context Protocol on standard input and output",
		GroupID: groupSetup,
		Long: `Serve an agent over the Model Context Protocol. This is what an agent's host
starts; "memory-mcp setup" shows how to tell it.

The program ends when its input ends, its output breaks, its parent goes, or
on SIGTERM and SIGINT. Standard output carries the protocol and nothing else;
log lines go to standard error (MEMORY_MCP_DEBUG=1 for more).`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runServe(c.Context(), e) },
	}
}

// graceTime is how long a call that is being answered may take when the
// program is told to end.
const graceTime = 2 * time.Second

// errParentGone ends a server whose parent is gone.
var errParentGone = errors.New("the parent process is gone")

func runServe(ctx context.Context, e *env) error {
	out, err := claim(e.Stdout, e.Stderr)
	if err != nil {
		return err
	}
	// A broken pipe is an error of a write, here and on standard error, and
	// never the end of the process in the middle of a call.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := e.openFor(true, e.Dir)
	defer end(ctx, a, true)
	if e.Parent != 0 {
		go func() {
			orphaned(ctx, e.Parent, graceTime)
			cancel(errParentGone)
		}()
	}
	err = e.serve(ctx, a, out)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		a.Log().Info("the server ends", "because", cause)
	}
	return err
}

// serve answers calls until the input ends, the output breaks or ctx ends.
func (e *env) serve(ctx context.Context, a *app.App, out io.Writer) error {
	o := mcpserver.Options{Session: a.Session(), Log: a.Log(), Begin: a.Begin, Grace: graceTime}
	a.Run(ctx)
	return ended(mcpserver.Serve(ctx, a.Server(), e.Stdin, out, o))
}

// ended tells a failure from the ways in which a conversation ends.
func ended(err error) error {
	for _, normal := range []error{io.EOF, io.ErrClosedPipe, io.ErrUnexpectedEOF, syscall.EPIPE, context.Canceled} {
		if errors.Is(err, normal) {
			return nil
		}
	}
	return err
}
