package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/crash"
	"memory-mcp/lobes"
)

type workOptions struct {
	once, retry, pause, resume bool
	lobe                       string
	json                       bool
}

func newWork(e *env) *cobra.Command {
	var o workOptions
	c := &cobra.Command{
		Use:     "work --once | --pause | --resume",
		Short:   "Find memories in the raw material that waits",
		GroupID: groupCare,
		Long: `Look through the raw material that waits in the inbox, with the model for
generation that is configured, and store what it says. A server of an agent does
this by itself; here it is done at once, and when the command returns every text
that was there is settled: stored, or given up with the reason after three tries.
--retry takes up again what was given up. --pause stops the work in every server
until --resume; what is recorded meanwhile waits.`,
		Example: "  memory-mcp work --once --retry\n  memory-mcp work --pause --lobe '*'",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return within(c, e.work(c.Context(), o)) },
	}
	f := c.Flags()
	f.BoolVar(&o.once, "once", false, "work until all that waits is settled, and end")
	f.BoolVar(&o.retry, "retry", false, "take up again what was given up")
	f.BoolVar(&o.pause, "pause", false, "stop the work in the background, in every process")
	f.BoolVar(&o.resume, "resume", false, "let it go on")
	f.StringVar(&o.lobe, "lobe", "", "the lobe to work at; the current project's when absent, * for all")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}

func (e *env) work(ctx context.Context, o workOptions) error {
	switch {
	case o.pause && (o.resume || o.once), o.resume && o.once:
		return &UsageError{Err: errors.New("--once, --pause and --resume exclude each other"), Hint: "give one of them"}
	case o.pause || o.resume:
		return e.pauseWork(ctx, o)
	case !o.once:
		return &UsageError{Err: errors.New("work runs in the servers of agents; here it is done with --once"), Hint: Name + " work --once"}
	}
	a := e.openWorking()
	defer end(ctx, a, true)
	ctx, stop := context.WithCancel(ctx)
	wait := a.Lend(ctx)
	defer func() {
		stop()
		wait()
	}()
	var done lobes.Worked
	err := a.Guard(crash.Doing{Op: "work", Phase: "running", Writes: true}, func() error {
		set, err := a.Current(ctx)
		if err != nil {
			return err
		}
		w := lobes.Working{Patient: true, Retry: o.retry}
		if !o.json {
			w.Done = func(s lobes.Settled) { e.tellSettled(a, s) }
		}
		done, err = set.Work(ctx, a.Target(o.lobe), w)
		return err
	})
	if err != nil {
		return a.Env(e.by(a), true).Explain(err)
	}
	return e.worked(o, done)
}

// pauseWork stops the work in the background, or lets it go on.
func (e *env) pauseWork(ctx context.Context, o workOptions) error {
	a := e.open()
	defer end(ctx, a, true)
	set, err := a.Current(ctx)
	if err != nil {
		return err
	}
	changed, err := set.Pause(ctx, e.by(a), a.Target(o.lobe), o.pause)
	if err != nil {
		return a.Env(e.by(a), true).Explain(err)
	}
	if o.json {
		return e.say(compact(map[string]any{"lobes": changed, "paused": o.pause}))
	}
	done := map[bool]string{true: "paused", false: "resumed"}[o.pause]
	if len(changed) == 0 {
		return e.sayf("nothing to do: it is %s already", map[bool]string{true: "paused", false: "going on"}[o.pause])
	}
	return e.sayf("%s: the work at the inbox of %s", done, strings.Join(changed, ", "))
}

func (e *env) tellSettled(a *app.App, s lobes.Settled) {
	if err := e.say(settledText(s)); err != nil {
		a.Log().Debug("what was settled cannot be told", "cause", err)
	}
}

func settledText(s lobes.Settled) string {
	var b strings.Builder
	for _, all := range [][]lobes.Stored{s.Stored, s.Confirmed} {
		for _, x := range all {
			fmt.Fprintf(&b, "%s %s %q | lobe %s | %s | %s\n", x.Action, x.ID, printable(x.Title), x.Lobe, x.Topic, either(x.Status, "active"))
		}
	}
	for _, why := range slices.Sorted(maps.Keys(s.Dropped)) {
		fmt.Fprintf(&b, "dropped %d: %s\n", s.Dropped[why], why)
	}
	if s.Failed != "" {
		fmt.Fprintf(&b, "given up %s: %s\n", s.Item, printable(s.Failed))
	}
	return b.String()
}

// worked tells what is left. What could not be settled is a failure.
func (e *env) worked(o workOptions, done lobes.Worked) error {
	var err error
	gaveUp := slices.ContainsFunc(done.Items, func(s lobes.Settled) bool { return s.Failed != "" })
	switch {
	case done.Left > 0:
		err = &HintedError{Err: errors.New(either(done.Stopped, "what is left has no room")), Hint: Name + " diagnose", Code: ops.ExitFailure}
	case gaveUp:
		err = &HintedError{Err: errors.New("some of it was given up and is kept"), Hint: Name + " work --once --retry", Code: ops.ExitFailure}
	}
	if o.json {
		return errors.Join(e.say(compact(done)), err)
	}
	known, refused := 0, 0
	for _, s := range done.Items {
		known, refused = known+s.Known, refused+s.Refused
	}
	text := fmt.Sprintf("%s settled, %d known, %d left out; %d left, %d given up\n", counted(len(done.Items), "text", "texts"), known, refused, done.Left, done.Failed)
	return errors.Join(e.say(text+tidiedText(done.Tidied)), err)
}
