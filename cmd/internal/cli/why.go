package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/lobes"
)

func newWhy(e *env) *cobra.Command {
	var o windowOptions
	c := &cobra.Command{
		Use:     "why ID",
		Short:   "Tell why a memory is believed: its whole chain",
		GroupID: groupTime,
		Long: `Tell how a memory came to be what it is: each change with who made it, when,
in which session, on what grounds; what it took the place of or was made of,
and what took its place.`,
		Example: "  memory-mcp why arch-3f7a2b1c",
		Args:    exactly(1, "the id of an entry"),
		RunE: func(c *cobra.Command, args []string) error {
			a := o.arguments(e, "why")
			a["id"] = args[0]
			return e.run(c.Context(), request{op: "memory_history", args: a, json: o.json, pretty: e.showWhy})
		},
	}
	o.flags(c, false)
	return c
}

// whyAnswer is the answer of a why.
type whyAnswer struct {
	ID          string         `json:"id"`
	Lobe        string         `json:"lobe"`
	State       string         `json:"state"`
	MovedTo     string         `json:"moved_to"`
	Entry       *hit           `json:"entry"`
	Changes     []lobes.Change `json:"changes"`
	Beside      []lobes.Change `json:"beside"`
	Ancestors   []lobes.Link   `json:"ancestors"`
	Descendants []lobes.Link   `json:"descendants"`
	Omitted     int            `json:"omitted"`
}

func (e *env) showWhy(structure []byte) error {
	var w whyAnswer
	if err := json.Unmarshal(structure, &w); err != nil {
		return err
	}
	t := e.terminal
	var b strings.Builder
	if w.Entry != nil {
		b.WriteString(e.card(*w.Entry, true))
	} else {
		b.WriteString(t.bold(w.ID) + " in lobe " + w.Lobe + " is " + t.red(w.State) + "\n")
	}
	if w.MovedTo != "" {
		b.WriteString("  moved to lobe " + w.MovedTo + ": " + Name + " why " + w.ID + " --lobe " + w.MovedTo + "\n")
	}
	b.WriteString("\n" + t.bold("how it came about") + "\n")
	for _, c := range w.Changes {
		b.WriteString(e.changeLines(c))
	}
	if len(w.Beside) > 0 {
		b.WriteString("\n" + t.yellow("beside it, not believed") + "\n")
	}
	for _, c := range w.Beside {
		b.WriteString(e.changeLines(c))
	}
	b.WriteString(e.links("took the place of, or was made of", w.Ancestors))
	b.WriteString(e.links("its place was taken by, or of it was made", w.Descendants))
	if w.Omitted > 0 {
		b.WriteString(t.faint(counted(w.Omitted, "link is", "links are")+" not shown") + "\n")
	}
	return e.say(b.String())
}

// links are the entries that one hangs together with.
func (e *env) links(head string, all []lobes.Link) string {
	if len(all) == 0 {
		return ""
	}
	t := e.terminal
	s := "\n" + t.bold(head) + "\n"
	for _, l := range all {
		facts := []string{strings.ReplaceAll(l.Relation, "_", " ") + " " + l.ID, l.State}
		if !l.Recorded.IsZero() {
			facts = append(facts, e.local(l.Recorded))
		}
		if l.Actor != "" {
			facts = append(facts, "by "+l.Actor)
		}
		if l.Session != "" {
			facts = append(facts, "session "+l.Session)
		}
		if l.ValidFrom != nil {
			facts = append(facts, "valid from "+e.local(*l.ValidFrom))
		}
		if l.ValidUntil != nil {
			facts = append(facts, "valid until "+e.local(*l.ValidUntil))
		}
		if len(l.Sources) > 0 {
			facts = append(facts, "sources "+strings.Join(l.Sources, ", "))
		}
		s += "  " + printable(either(l.Title, l.ID)) + "\n    " + t.faint(printable(strings.Join(facts, " · "))) + "\n"
		if l.Excerpt != "" {
			s += wrap(printable(l.Excerpt), t.width, "    ") + "\n"
		}
	}
	return s
}
