package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/lobes"
)

func newDiff(e *env) *cobra.Command {
	var o windowOptions
	c := &cobra.Command{
		Use:     "diff [SINCE [UNTIL]]",
		Short:   "Show what was learned, revised and taken back since a time",
		GroupID: groupTime,
		Long: `Compare what was believed at two times: what was learned, revised (word by
word), retracted, promoted, and edited by hand. Without a time: the last week.

` + timesHelp,
		Example: `  memory-mcp diff monday
  memory-mcp diff "2 weeks ago" yesterday --topic gotchas`,
		Args: atMost(2),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.since = args[0]
			}
			if len(args) > 1 {
				o.until = args[1]
			}
			return e.run(c.Context(), request{op: "memory_history", args: o.arguments(e, "diff"), json: o.json, pretty: e.showDiff})
		},
	}
	o.flags(c, true)
	return c
}

// diffAnswer is the answer of a diff.
type diffAnswer struct {
	Lobes     []string       `json:"lobes"`
	From      string         `json:"from"` // "" is the beginning
	To        time.Time      `json:"to"`
	Learned   []lobes.Change `json:"learned"`
	Revised   []lobes.Change `json:"revised"`
	Retracted []lobes.Change `json:"retracted"`
	Promoted  []lobes.Change `json:"promoted"`
	Adopted   []lobes.Change `json:"adopted"`
	Confirmed int            `json:"confirmed"`
	Passed    int            `json:"passed"`
	Omitted   int            `json:"omitted"`
}

func (e *env) showDiff(structure []byte) error {
	var d diffAnswer
	if err := json.Unmarshal(structure, &d); err != nil {
		return err
	}
	t := e.terminal
	from := "the beginning"
	if at, err := time.Parse(time.RFC3339Nano, d.From); err == nil {
		from = e.local(at)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s in %s\n", from, e.local(d.To), either(strings.Join(d.Lobes, ", "), "no lobe"))
	total := 0
	for _, part := range []struct {
		name string
		list []lobes.Change
	}{{"revised", d.Revised}, {"retracted", d.Retracted}, {"learned", d.Learned}, {"adopted by hand", d.Adopted}, {"promoted", d.Promoted}} {
		if len(part.list) == 0 {
			continue
		}
		total += len(part.list)
		b.WriteString("\n" + t.bold(part.name) + "\n")
		for _, c := range part.list {
			b.WriteString(e.changeLines(c))
		}
	}
	if total == 0 {
		b.WriteString("nothing changed\n")
	}
	for _, rest := range []struct {
		n    int
		what string
	}{{d.Confirmed, "only confirmed"}, {d.Passed, "came and went in between"}, {d.Omitted, "not shown"}} {
		if rest.n > 0 {
			b.WriteString(t.faint(fmt.Sprintf("%d %s", rest.n, rest.what)) + "\n")
		}
	}
	return e.say(b.String())
}

// changeLines are a change over a few lines, with its difference.
func (e *env) changeLines(c lobes.Change) string {
	t := e.terminal
	facts := []string{c.ID, c.Topic, e.local(c.Recorded), "by " + either(c.Actor, "unknown")}
	if c.Session != "" {
		facts = append(facts, "session "+c.Session)
	}
	if c.Reason != "" {
		facts = append(facts, printable(c.Reason))
	}
	s := "  " + t.kind(c.Kind) + " " + printable(c.Title) + "\n    " + t.faint(strings.Join(facts, " · ")) + "\n"
	if len(c.Sources) > 0 {
		s += "    " + t.faint("sources: "+printable(strings.Join(c.Sources, ", "))) + "\n"
	}
	if c.Quote != "" {
		s += wrap(printable("“"+c.Quote+"”"), t.width, "    ") + "\n"
	}
	if len(c.Words) > 0 {
		s += t.words(c.Words, "    ") + "\n"
	}
	return s + t.fields(c)
}

// fields are what else a change made other. Of a new memory all is new, and
// some fields only repeat what the change tells.
func (t terminal) fields(c lobes.Change) string {
	s := ""
	for _, f := range c.Fields {
		if c.Kind == "learned" || f.Field == "created" || f.Field == "quote" || f.Field == "supersedes" {
			continue
		}
		s += "    " + t.faint(f.Field+":")
		if f.Old != "" {
			s += " " + t.removed(printable(f.Old))
		}
		if f.New != "" {
			s += " " + t.added(printable(f.New))
		}
		s += "\n"
	}
	return s
}
