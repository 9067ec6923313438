package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"
)

func newAsOf(e *env) *cobra.Command {
	var o searchOptions
	c := &cobra.Command{
		Use:     "asof TIME [FILTER...]",
		Short:   "Search what was believed at a time",
		GroupID: groupTime,
		Long: `Search what was believed at a time: memories as they were recorded then, even
if they were corrected or taken back since. --valid-at asks in addition what
held in the world at that time, as believed then; it is TIME when absent.

` + timesHelp,
		Example: `  memory-mcp asof 2026-06-09 deploys
  memory-mcp asof "2 weeks ago" --topic decisions
  memory-mcp asof now deploys --valid-at 2026-06-01`,
		Args: atLeast(1, "the time"),
		RunE: func(c *cobra.Command, args []string) error {
			a := o.arguments()
			a["asOf"] = args[0]
			set(a, "filter", joined(args[1:]))
			if o.detail == "" && e.terminal.is {
				a["detail"] = "standard"
			}
			if o.branch == "" {
				a["branch"] = "*"
			}
			o.roomy(e, a)
			return e.run(c.Context(), request{op: "memory_query", args: a, json: o.json, pretty: e.showThen})
		},
	}
	o.flags(c)
	hide(c, "as-of")
	c.Flags().IntVar(&o.offset, "offset", 0, "skip so many")
	c.Flags().StringVar(&o.status, "status", "", `active, candidate, review, or "*"`)
	return c
}

// showThen prints what was believed at a time, for a person.
func (e *env) showThen(structure []byte) error {
	var times struct {
		AsOf    string `json:"as_of"`
		ValidAt string `json:"valid_at"`
	}
	if err := json.Unmarshal(structure, &times); err != nil {
		return err
	}
	head := "as believed at " + times.AsOf
	if times.ValidAt != times.AsOf {
		head += ", valid at " + times.ValidAt
	}
	if err := e.say(e.terminal.faint(head)); err != nil {
		return err
	}
	return e.showFound(structure)
}
