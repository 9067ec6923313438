package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

type undoOptions struct {
	lobe, reason, session string
	dryRun, json          bool
}

func newUndo(e *env) *cobra.Command {
	var o undoOptions
	c := &cobra.Command{
		Use:     "undo ID... | --session SESSION",
		Short:   "Take the last change of a memory back, or all that a session did",
		GroupID: groupTime,
		Long: `Put a memory back to what it was before its last change. That is a change too:
nothing is lost, and a second undo takes back the change before.

--session takes back all that one session did. What somebody else changed since
is left alone and listed. "history" tells the sessions.`,
		Example: `  memory-mcp undo arch-3f7a2b1c
  memory-mcp undo --session s-42 --dry-run`,
		Args: o.names,
		RunE: func(c *cobra.Command, args []string) error { return e.undo(c.Context(), o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.session, "session", "", "all that this session did")
	f.StringVar(&o.lobe, "lobe", "", "the lobe that has the entry")
	f.StringVar(&o.reason, "reason", "", "why; kept in the history")
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what would be done")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}

func (o *undoOptions) names(c *cobra.Command, args []string) error {
	if o.session != "" && len(args) > 0 {
		return &UsageError{Command: c.CommandPath(), Err: errors.New("--session speaks of all that it did, and takes no id")}
	}
	if o.session != "" {
		return nil
	}
	return atLeast(1, "the id of an entry")(c, args)
}

func (e *env) undo(ctx context.Context, o undoOptions, ids []string) error {
	base := map[string]any{"action": "undo"}
	set(base, "lobe", o.lobe)
	set(base, "reason", o.reason)
	set(base, "session", o.session)
	set(base, "preview", o.dryRun)
	return e.each(ctx, base, ids, o.json)
}
