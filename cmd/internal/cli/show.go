package cli

import (
	"github.com/spf13/cobra"
)

func newShow(e *env) *cobra.Command {
	var o searchOptions
	c := &cobra.Command{
		Use:     "show ID...",
		Short:   "Print memories in full",
		GroupID: groupDaily,
		Example: "  memory-mcp show gotcha-3f7a2b1c",
		Args:    atLeast(1, "the id of an entry"),
		RunE: func(c *cobra.Command, args []string) error {
			a := map[string]any{"id": args, "branch": "*", "status": "*", "maxTokens": roomyTokens}
			set(a, "lobe", o.lobe)
			set(a, "asOf", o.asOf)
			set(a, "validAt", o.validAt)
			if o.maxTokens > 0 {
				a["maxTokens"] = o.maxTokens
			}
			return e.run(c.Context(), request{op: "memory_query", args: a, json: o.json, pretty: o.shown(e)})
		},
	}
	c.Flags().StringVar(&o.lobe, "lobe", "", `a lobe's name, or "*" for all`)
	o.times(c)
	c.Flags().IntVar(&o.maxTokens, "max-tokens", 0, "size of the answer in tokens")
	c.Flags().BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}
