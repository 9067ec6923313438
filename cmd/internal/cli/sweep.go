package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/hook"
	"memory-mcp/cmd/internal/hosts"
	"memory-mcp/crash"
	"memory-mcp/lobes"
)

type sweepOptions struct {
	home, dir, memoryFile string
	material              hook.Material
	spool                 bool
}

func newSweep(e *env) *cobra.Command {
	var o sweepOptions
	c := &cobra.Command{
		Use:   "sweep",
		Short: "Keep what was said in a session and stored by nobody",
		Long: `Look through the transcript of a session for decisions, corrections, preferences
and root causes that nobody stored, and store at most ` + fmt.Sprint(hook.MostSwept) + ` of them as candidates, which
only an explicit search finds. Hooks start this when a session ends; a transcript
that was swept before adds nothing. With --memory-file, take over a file that the
host wrote into its own memory.`,
		Hidden: true,
		Args:   noArguments,
		RunE:   func(c *cobra.Command, _ []string) error { return e.sweep(c.Context(), o) },
	}
	f := c.Flags()
	f.StringVar(&o.material.Host, "host", "", "whose session it was")
	f.StringVar(&o.material.Session, "session", "", "the session's id")
	f.StringVar(&o.material.Path, "transcript", "", "the `FILE` in which the host keeps the session")
	f.StringVar(&o.memoryFile, "memory-file", "", "a `FILE` of the host's own memory")
	f.StringVar(&o.dir, "dir", "", "the folder that the session worked in")
	f.StringVar(&o.home, "home", "", "the memory's home, as MEMORY_MCP_HOME")
	f.BoolVar(&o.spool, "spool", false, "the transcript is a copy for this sweep alone: remove it")
	return c
}

// sweepTime is how long a sweep may take: it runs when nobody waits for it.
const sweepTime = 5 * time.Minute

func (e *env) sweep(ctx context.Context, o sweepOptions) (err error) {
	if (o.material.Path == "") == (o.memoryFile == "") {
		return &UsageError{Command: Name + " sweep", Err: errors.New("give either --transcript or --memory-file")}
	}
	e.withHome(o.home)
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	a := e.openFor(false, either(o.dir, e.Dir))
	defer end(ctx, a, true)
	defer func() { e.logHook(a.Home(), o.material.Host, "sweep", err) }()
	var receipt hook.Swept
	err = a.Guard(crash.Doing{Op: "sweep", Phase: "running", Writes: true}, func() error {
		set, err := a.Current(ctx)
		if err != nil {
			return err
		}
		receipt, err = e.sweepWith(ctx, e.hookFor(a, set, ""), o)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range append(receipt.Stored, receipt.Conflicts...) {
		if err := e.sayf("%s %s %q | lobe %s | %s | %s\n", s.Action, s.ID, printable(s.Title), s.Lobe, s.Topic, either(s.Status, "active")); err != nil {
			return err
		}
	}
	if receipt.Waiting {
		return e.say("the lobe is full: what was found waits in its .inbox")
	}
	recorded := ""
	if receipt.Recorded > 0 {
		recorded = ", " + counted(receipt.Recorded, "text", "texts") + " recorded for a model"
	}
	return e.sayf("%d stored, %d known, %d there before, %d left out%s\n",
		len(receipt.Stored)+len(receipt.Conflicts), receipt.Known, receipt.Unchanged, receipt.Refused, recorded)
}

func (e *env) sweepWith(ctx context.Context, h *hook.Hook, o sweepOptions) (swept hook.Swept, err error) {
	if o.memoryFile != "" {
		swept.Receipt, err = h.Mirror(ctx, o.material.Host, o.material.Session, o.memoryFile)
		return swept, err
	}
	if o.spool {
		defer func() { err = errors.Join(err, os.Remove(o.material.Path)) }()
	}
	return h.Sweep(ctx, o.material)
}

// hookFor is what answers events and sweeps, on the lobes of a running program.
func (e *env) hookFor(a *app.App, set *lobes.Set, subject string) *hook.Hook {
	return &hook.Hook{
		Set: set, Target: lobes.Target{Dirs: a.Target("").Dirs}, Now: e.Now, Subject: subject, Memory: a.Home(),
		Generates: a.Generates(),
		Machine:   hosts.Machine{OS: runtime.GOOS, Home: e.Home, Getenv: e.Getenv},
		Start:     func(args ...string) error { return e.startAlone(a.Home(), args) },
	}
}

// startAlone starts this program once more, so that it outlives the host.
func (e *env) startAlone(home string, args []string) error {
	if e.Executable == "" {
		return errors.New("the program's own path is not known")
	}
	if home != "" && e.Getenv("MEMORY_MCP_HOME") != "" {
		args = append(args, "--home", home)
	}
	return hook.Detach(e.Executable, args, withoutHost(os.Environ()))
}

// withoutHost leaves out what hosts say about the project of the session that
// is over: the sweep is told where to look.
func withoutHost(environment []string) []string {
	var kept []string
	for _, v := range environment {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasSuffix(name, "_PROJECT_DIR") && name != "WORKSPACE_FOLDER_PATHS" {
			kept = append(kept, v)
		}
	}
	return kept
}
