package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/hook"
	"memory-mcp/crash"
)

type hookOptions struct{ home, subject string }

func newHook(e *env) *cobra.Command {
	var o hookOptions
	c := &cobra.Command{
		Use:   "hook HOST",
		Short: "Answer an event of an agent's host, from standard input",
		Long: `Answer an event of an agent's host: the host starts this command at moments of a
session, with the event on standard input, and puts the answer before the model.
Nothing that goes wrong here disturbs the session: the answer is then empty, the
exit code is 0, and a line in ~/.memory-mcp/` + hook.LogName + ` tells why.`,
		Hidden:             true,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(c *cobra.Command, args []string) error {
			host := ""
			if len(args) > 0 {
				host = args[0]
			}
			return e.hook(c.Context(), host, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.home, "home", "", "the memory's home, as MEMORY_MCP_HOME")
	f.StringVar(&o.subject, "subject", "", "recall only memories about this subject")
	return c
}

// withHome is the environment with another home of the memory.
func (e *env) withHome(home string) {
	if home == "" || !filepath.IsAbs(home) {
		return
	}
	outer := e.Getenv
	e.Getenv = func(name string) string {
		if name == "MEMORY_MCP_HOME" {
			return home
		}
		return outer(name)
	}
}

// hook answers one event within the deadline, or with silence. It never fails.
func (e *env) hook(ctx context.Context, host string, o hookOptions) error {
	e.withHome(o.home)
	// A process of a moment is gone before it would need its garbage collected.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(mostHookMemory)
	ctx, cancel := context.WithTimeout(ctx, hook.Deadline)
	defer cancel()
	answers := make(chan []byte, 1)
	go func() { answers <- e.answerHook(ctx, host, o) }()
	select {
	case answer := <-answers:
		if len(answer) > 0 {
			// A host that does not read it any more has no use for it.
			if _, err := e.Stdout.Write(answer); err != nil {
				return nil
			}
		}
	case <-ctx.Done():
		e.logHook(e.openQuietly(e.Dir).Home(), host, "", fmt.Errorf("no answer within %v", hook.Deadline))
	}
	return nil
}

// mostHookMemory is from where on garbage is collected in a hook all the same.
const mostHookMemory = 256 << 20

// openQuietly opens the program so that nothing is said: hosts show what a
// hook writes.
func (e *env) openQuietly(dir string) *app.App {
	quiet := *e
	if e.Getenv("MEMORY_MCP_DEBUG") != "1" {
		quiet.World.Stderr = nil
	}
	return quiet.openFor(false, dir)
}

func (e *env) logHook(home, host, event string, failure error) {
	if err := hook.Log(home, e.Now(), host, event, failure); err != nil && e.Getenv("MEMORY_MCP_DEBUG") == "1" {
		fmt.Fprintln(e.Stderr, Name+": hook:", failure, err)
	}
}

// answerHook reads the event and gives the document to print. A panic is
// written down as any other failure.
func (e *env) answerHook(ctx context.Context, host string, o hookOptions) (answer []byte) {
	var event hook.Event
	home := ""
	var failure error
	defer func() {
		if r := recover(); r != nil {
			answer, failure = nil, fmt.Errorf("panic (%T)", r)
		}
		e.logHook(home, host, event.Name, failure)
	}()
	input, err := io.ReadAll(io.LimitReader(e.Stdin, hook.MaxInput+1))
	if err != nil || len(input) > hook.MaxInput {
		return nil
	}
	var ok bool
	if event, ok = hook.Read(host, input, e.Getenv); !ok {
		return nil
	}
	a := e.openQuietly(e.hookDir(event))
	home = a.Home()
	defer func() { failure = errors.Join(failure, a.Leave()) }()
	var said hook.Answer
	failure = a.Guard(crash.Doing{Op: "hook " + event.Host, Phase: event.Name}, func() error {
		set, err := a.Current(ctx)
		if err != nil {
			return err
		}
		said, err = e.hookFor(a, set, o.subject).Answer(ctx, event)
		return err
	})
	answer, err = event.Encode(said)
	failure = errors.Join(failure, err)
	return answer
}

// hookDir is where the person works: as the event says, else where the hook
// was started.
func (e *env) hookDir(event hook.Event) string {
	if info, err := os.Stat(event.Dir); event.Dir != "" && err == nil && info.IsDir() {
		return event.Dir
	}
	return e.Dir
}

// bare is the program without a command: its help, unless a host has started a
// hook of ours and dropped the arguments, as some do with hooks that they find
// in another host's files.
func (e *env) bare(c *cobra.Command) error {
	for _, name := range []string{"COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"} {
		if e.Getenv(name) != "" && !isTerminal(e.Stdin) {
			return e.hook(c.Context(), "", hookOptions{})
		}
	}
	return c.Help()
}
