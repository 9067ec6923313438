package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
)

func newContext(e *env) *cobra.Command {
	var o searchOptions
	var g gateOptions
	c := &cobra.Command{
		Use:     "context [TASK...]",
		Short:   "Recall for a task, or the briefing",
		GroupID: groupDaily,
		Long: `With a task in plain words: the memories that bear on it, best first.
Without one: the briefing of a session, as an agent gets it at its start.`,
		Example: `  memory-mcp context
  memory-mcp context add retry to the upload client`,
		RunE: func(c *cobra.Command, args []string) error {
			if g.on {
				return e.gated(c.Context(), o, g, joined(args))
			}
			a := o.arguments()
			set(a, "context", joined(args))
			o.roomy(e, a)
			return e.run(c.Context(), request{op: "memory_context", args: a, json: o.json, pretty: e.showContext(o, len(args) > 0)})
		},
	}
	o.flags(c)
	c.Flags().BoolVar(&g.on, "gate", false, "print only what a hook would show to a prompt of these words, or nothing")
	c.Flags().BoolVar(&g.explain, "explain", false, "with --gate: say why on standard error")
	return c
}

func (e *env) showContext(o searchOptions, task bool) func([]byte) error {
	if task || o.asOf != "" || o.validAt != "" {
		return o.shown(e)
	}
	return e.showBriefing
}

func (e *env) showBriefing(structure []byte) error {
	var b briefingAnswer
	if err := json.Unmarshal(structure, &b); err != nil {
		return err
	}
	t := e.terminal
	var out strings.Builder
	out.WriteString(t.bold(counted(b.Entries, "memory", "memories")) + " in " + either(strings.Join(b.Lobes, ", "), "no lobe") + "\n")
	for _, n := range b.Notices {
		out.WriteString(t.yellow(printable(n)) + "\n")
	}
	for _, d := range b.Degraded {
		out.WriteString(t.red("lobe "+d.Name+" is degraded: "+d.Cause) + "\n")
		for _, r := range d.Remedy {
			out.WriteString("  " + r + "\n")
		}
	}
	if b.Empty {
		out.WriteString("Nothing is remembered yet: memory-mcp setup reads the repository, memory-mcp store TEXT adds a memory.\n")
		return e.say(out.String())
	}
	topic := ""
	for _, h := range b.Results {
		if h.Topic != topic {
			topic = h.Topic
			out.WriteString("\n" + t.cyan(topic) + "\n")
		}
		out.WriteString("  " + e.briefLine(h) + "\n")
	}
	if len(b.StaleFirst) > 0 {
		out.WriteString("\n" + t.yellow("check these, they are stale") + "\n")
	}
	for _, h := range b.StaleFirst {
		out.WriteString("  " + e.briefLine(h) + "\n")
	}
	if b.Omitted > 0 {
		out.WriteString(t.faint(counted(b.Omitted, "more is", "more are")+" not shown: memory-mcp ls") + "\n")
	}
	return e.say(out.String())
}

// briefLine is a memory in one line that fits the terminal.
func (e *env) briefLine(h hit) string {
	left := printable(h.Title)
	right := "  " + h.ID
	if e.terminal.width > 0 {
		left = cutTo(left, max(20, e.terminal.width-displayWidth(right)-4))
	}
	return left + e.terminal.faint(right)
}
