package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// vanishedOptions are shared by the two commands that say what became of files
// that went at once.
type vanishedOptions struct {
	lobe                   string
	vanished, dryRun, json bool
}

func newRestore(e *env) *cobra.Command {
	var o vanishedOptions
	var reason string
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
			base := map[string]any{"action": "restore"}
			set(base, "lobe", o.lobe)
			set(base, "reason", reason)
			set(base, "preview", o.dryRun)
			return e.each(c.Context(), base, args, o.json)
		},
	}
	o.flags(c, "put them all back")
	c.Flags().StringVar(&reason, "reason", "", "why; kept in the history")
	return c
}

func (o *vanishedOptions) flags(c *cobra.Command, vanished string) {
	c.Flags().StringVar(&o.lobe, "lobe", "", "the lobe that has them")
	c.Flags().BoolVar(&o.vanished, "vanished", false, "all entries whose files went at once: "+vanished)
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what would be done")
	c.Flags().BoolVar(&o.json, "json", false, "answer as JSON")
}

// names wants ids, or none with --vanished.
func (o *vanishedOptions) names(c *cobra.Command, args []string) error {
	switch {
	case o.vanished && len(args) > 0:
		return &UsageError{Command: c.CommandPath(), Err: errors.New("--vanished speaks of all that went, and takes no id")}
	case o.vanished && o.dryRun:
		return &UsageError{Command: c.CommandPath(), Err: errors.New("--vanished has no --dry-run"), Hint: Name + " diagnose tells which files went"}
	case o.vanished:
		return nil
	}
	return atLeast(1, "the id of an entry")(c, args)
}

// each makes the same correction of several entries, or one without an id.
func (e *env) each(ctx context.Context, base map[string]any, ids []string, asJSON bool) error {
	a := e.open()
	defer end(ctx, a, true)
	if len(ids) == 0 {
		return e.call(ctx, a, request{op: "memory_correct", args: base, json: asJSON, pretty: e.showCorrected})
	}
	for _, id := range ids {
		args := maps.Clone(base)
		args["id"] = id
		if err := e.call(ctx, a, request{op: "memory_correct", args: args, json: asJSON, pretty: e.showCorrected}); err != nil {
			return err
		}
	}
	return nil
}

type vanishedCall func(*app.App, context.Context, lobes.By, string) ([]lobes.Returned, error)

func (e *env) vanished(ctx context.Context, o vanishedOptions, verb string, call vanishedCall) error {
	a := e.open()
	defer end(ctx, a, true)
	all, err := call(a, ctx, e.by(a), o.lobe)
	switch {
	case err != nil:
		return e.explained(a, err)
	case len(all) == 0 && !o.json:
		return e.say("No entries vanished.")
	case o.json && all == nil:
		all = []lobes.Returned{}
	}
	if o.json {
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
