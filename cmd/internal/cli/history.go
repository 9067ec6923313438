package cli

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/lobes"
)

// windowOptions say which changes are asked for.
type windowOptions struct {
	lobe, topic, actor, session, since, until, before string
	limit, maxTokens                                  int
	json                                              bool
}

// timesHelp tells how times are written, in the help of each command that
// takes one.
const timesHelp = `Times are dates (2026-06-09), instants (2026-06-09T12:00:00Z) or words: "2 weeks
ago", yesterday, "last monday", "last month", 3h, 昨天, 上周一. A day or another
period counts from its start in --since, and to its end everywhere else.`

func (o *windowOptions) flags(c *cobra.Command, times bool) {
	f := c.Flags()
	if times {
		f.StringVar(&o.since, "since", "", "only what was recorded from this time on")
		f.StringVar(&o.until, "until", "", "only what was recorded up to this time")
		f.StringVar(&o.topic, "topic", "", "only this topic, or a prefix such as modules")
		f.StringVar(&o.actor, "actor", "", "only what this client, or outside, wrote")
		f.StringVar(&o.session, "session", "", "only what was written in this session")
		f.IntVarP(&o.limit, "limit", "n", 0, "at most so many changes")
	}
	f.StringVar(&o.lobe, "lobe", "", `a lobe's name, or "*" for all; the current project's when absent`)
	f.IntVar(&o.maxTokens, "max-tokens", 0, "size of the answer in tokens")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
}

func (o *windowOptions) arguments(e *env, action string) map[string]any {
	a := map[string]any{"action": action}
	for name, value := range map[string]string{
		"lobe": o.lobe, "topic": o.topic, "actor": o.actor, "session": o.session, "since": o.since, "until": o.until, "before": o.before,
	} {
		set(a, name, value)
	}
	set(a, "limit", o.limit)
	set(a, "maxTokens", o.maxTokens)
	if o.maxTokens == 0 && (o.json || e.terminal.is) {
		a["maxTokens"] = roomyTokens
	}
	return a
}

func newHistory(e *env) *cobra.Command {
	var o windowOptions
	c := &cobra.Command{
		Use:     "history [ID]",
		Short:   "List all changes, newest first",
		GroupID: groupTime,
		Long: `List what was stored, corrected, edited by hand and taken back, newest first;
with an id, of that memory only.

` + timesHelp,
		Example: `  memory-mcp history
  memory-mcp history gotcha-3f7a2b1c
  memory-mcp history --since "last monday" --actor outside`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			a := o.arguments(e, "timeline")
			set(a, "id", joined(args))
			return e.run(c.Context(), request{op: "memory_history", args: a, json: o.json, pretty: e.showTimeline(o)})
		},
	}
	o.flags(c, true)
	c.Flags().StringVar(&o.before, "before", "", "go on where an earlier page ended")
	return c
}

// timelineAnswer is the answer of a timeline.
type timelineAnswer struct {
	Lobes   []string       `json:"lobes"`
	Changes []lobes.Change `json:"changes"`
	Next    string         `json:"next"`
}

func (e *env) showTimeline(o windowOptions) func([]byte) error {
	return func(structure []byte) error {
		var answer timelineAnswer
		if err := json.Unmarshal(structure, &answer); err != nil {
			return err
		}
		if len(answer.Changes) == 0 {
			return e.say("No changes in " + either(strings.Join(answer.Lobes, ", "), "no lobe") + ".")
		}
		t := &table{head: []string{"WHEN", "WHAT", "ID", "TITLE", "BY"}, elastic: 3}
		t.style = func(column int, cell string) string {
			if column == 1 {
				return e.terminal.kind(cell)
			}
			return cell
		}
		for _, c := range answer.Changes {
			t.add(e.local(c.Recorded), c.Kind, c.ID, c.Title+reason(c), either(c.Actor, "unknown"))
		}
		out := t.render(e.terminal)
		if answer.Next != "" {
			out += e.terminal.faint("earlier ones: "+Name+" history --before "+answer.Next) + "\n"
		}
		return e.say(out)
	}
}

func reason(c lobes.Change) string {
	if c.Reason == "" {
		return ""
	}
	return " (" + c.Reason + ")"
}

// local is a time as a person reads it, in their own zone.
func (e *env) local(t time.Time) string {
	return t.In(e.Now().Location()).Format("2006-01-02 15:04")
}

// kind paints the word for what a change was.
func (t terminal) kind(s string) string {
	switch strings.TrimSpace(s) {
	case "learned", "restored", "promoted":
		return t.green(s)
	case "retracted", "erased", "archived":
		return t.red(s)
	case "revised", "superseded", "undone", "moved":
		return t.yellow(s)
	}
	return s
}
