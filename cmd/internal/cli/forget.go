package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

type forgetOptions struct {
	lobe, reason   string
	vanished, json bool
}

func newForget(e *env) *cobra.Command {
	var o forgetOptions
	c := &cobra.Command{
		Use:     "forget ID... | --vanished",
		Short:   "Take memories back; their history stays",
		GroupID: groupCare,
		Long: `Take memories back: they are not recalled any more, and their history stays,
so that "restore" can put them back.

--vanished is for a lobe of which many files went at once: it says that they
were meant to go.`,
		Example: "  memory-mcp forget gotcha-3f7a2b1c",
		Args:    o.names,
		RunE: func(c *cobra.Command, args []string) error {
			if o.vanished {
				return e.vanished(c.Context(), o, "Forgotten", (*app.App).ForgetVanished)
			}
			return e.forget(c.Context(), o, args)
		},
	}
	o.flags(c, "they were meant to go")
	c.Flags().StringVar(&o.reason, "reason", "", "why; kept in the history")
	return c
}

func newRestore(e *env) *cobra.Command {
	var o forgetOptions
	c := &cobra.Command{
		Use:     "restore ID... | --vanished",
		Short:   "Put back what was taken back",
		GroupID: groupCare,
		Long: `Put memories back that were taken back, as they were last.

--vanished puts back all files of a lobe that went at once.`,
		Example: "  memory-mcp restore gotcha-3f7a2b1c",
		Args:    o.names,
		RunE: func(c *cobra.Command, args []string) error {
			if o.vanished {
				return e.vanished(c.Context(), o, "Restored", (*app.App).RestoreVanished)
			}
			return e.restore(c.Context(), o, args)
		},
	}
	o.flags(c, "put them all back")
	return c
}

func (o *forgetOptions) flags(c *cobra.Command, vanished string) {
	c.Flags().StringVar(&o.lobe, "lobe", "", "the lobe that has them")
	c.Flags().BoolVar(&o.vanished, "vanished", false, "all entries whose files went at once: "+vanished)
	c.Flags().BoolVar(&o.json, "json", false, "answer as JSON")
}

// names wants ids, or none with --vanished.
func (o *forgetOptions) names(c *cobra.Command, args []string) error {
	if o.vanished && len(args) > 0 {
		return &UsageError{Command: c.CommandPath(), Err: errors.New("--vanished speaks of all that went, and takes no id")}
	}
	if o.vanished {
		return nil
	}
	return atLeast(1, "the id of an entry")(c, args)
}

func (e *env) forget(ctx context.Context, o forgetOptions, ids []string) error {
	a := e.open()
	defer end(ctx, a, true)
	for _, id := range ids {
		args := map[string]any{"id": id, "action": "delete"}
		set(args, "lobe", o.lobe)
		set(args, "reason", o.reason)
		if err := e.call(ctx, a, request{op: "memory_correct", args: args, json: o.json, pretty: e.showCorrected}); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) restore(ctx context.Context, o forgetOptions, ids []string) error {
	a := e.open()
	defer end(ctx, a, true)
	back, err := a.Restore(ctx, e.by(a), o.lobe, ids)
	return firstOf(e.returned(o, "Restored", back), e.explained(a, err))
}

type vanishedCall func(*app.App, context.Context, lobes.By, string) ([]lobes.Returned, error)

func (e *env) vanished(ctx context.Context, o forgetOptions, verb string, call vanishedCall) error {
	a := e.open()
	defer end(ctx, a, true)
	all, err := call(a, ctx, e.by(a), o.lobe)
	switch {
	case err != nil:
		return e.explained(a, err)
	case len(all) == 0 && !o.json:
		return e.say("No entries vanished.")
	}
	return e.returned(o, verb, all)
}

func (e *env) returned(o forgetOptions, verb string, all []lobes.Returned) error {
	if o.json {
		if all == nil {
			all = []lobes.Returned{}
		}
		return e.say(compact(map[string]any{strings.ToLower(verb): all}))
	}
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "%s %s in lobe %s: %s\n", e.terminal.green(verb), r.ID, r.Lobe, e.terminal.faint(r.Path))
	}
	return e.say(b.String())
}

// explained adds to an error what to do about it.
func (e *env) explained(a *app.App, err error) error {
	if err == nil {
		return nil
	}
	var fault *ops.Fault
	if errors.As(err, &fault) {
		return err
	}
	return a.Env(e.by(a), true).Explain(err)
}
