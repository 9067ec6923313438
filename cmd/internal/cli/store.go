package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/lobes"
)

type storeOptions struct {
	title, topic, kind, trust, scope, lobe           string
	branch, subject, expires, validFrom, validUntil  string
	quote, problem, solution, provenance, durability string
	tags, sources, references, files, conditions     []string
	confidence, importance                           float64
	anyway, json                                     bool
}

func newStore(e *env) *cobra.Command {
	var o storeOptions
	c := &cobra.Command{
		Use:     "store TEXT... | -",
		Short:   "Store a memory",
		GroupID: groupDaily,
		Long: `Store a memory. Only the text is needed: topic, title, lobe and trust are
derived, and the answer tells how. With "-", or without a text, standard input
is read.

Trust is "user" when a person types at a terminal, and the topic's own
("agent-inferred" for most) when a program or an agent runs the command;
--trust states it.`,
		Example: `  memory-mcp store "uploads must go through the queue, direct ones lose events" --topic gotchas
  git log -1 --format=%B | memory-mcp store - --topic decisions --tag storage`,
		RunE: func(c *cobra.Command, args []string) error { return runStore(c, e, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.topic, "topic", "", "user, preferences, gotchas, decisions, architecture, conventions, modules/NAME, recent-work, general")
	f.StringVar(&o.title, "title", "", "a short line; made from the text when absent")
	f.StringVar(&o.kind, "kind", "", "fact, decision, preference, episode, experience, summary, checkpoint, task, context")
	f.StringSliceVar(&o.tags, "tag", nil, "a tag; may be repeated")
	f.StringSliceVar(&o.sources, "source", nil, "a file that it rests on; may be repeated")
	f.StringSliceVar(&o.references, "reference", nil, "another file or name it speaks of; may be repeated")
	f.StringSliceVar(&o.files, "file", nil, "a file that it is about; may be repeated")
	f.StringArrayVar(&o.conditions, "condition", nil, `when it holds, such as "os: linux"; may be repeated`)
	f.StringVar(&o.scope, "scope", "", "project, or global for every project")
	f.StringVar(&o.trust, "trust", "", "user, agent-confirmed, agent-inferred")
	f.StringVar(&o.lobe, "lobe", "", "the lobe to store into; the current project's when absent")
	f.StringVar(&o.branch, "branch", "", "of recent work; the current one when absent")
	f.StringVar(&o.subject, "subject", "", "whom or what it is about")
	f.StringVar(&o.expires, "expires", "", "a date after which it is not recalled")
	f.StringVar(&o.validFrom, "valid-from", "", "the date from which it holds")
	f.StringVar(&o.validUntil, "valid-until", "", "the date until which it holds")
	f.StringVar(&o.quote, "quote", "", "the words of the source")
	f.StringVar(&o.problem, "problem", "", "what was wrong")
	f.StringVar(&o.solution, "solution", "", "what helped")
	f.StringVar(&o.provenance, "provenance", "", "save, checkpoint, debate, human")
	f.Float64Var(&o.confidence, "confidence", 0, "how sure it is, 0 to 1")
	f.Float64Var(&o.importance, "importance", 0, "how much it matters, 0 to 1; 0.5 is neutral")
	f.BoolVar(&o.anyway, "anyway", false, "store it although it looks short-lived")
	f.StringVar(&o.durability, "durability-decision", "", "store-anyway is the same as --anyway")
	f.StringSliceVar(&o.tags, "tags", nil, "the same as --tag")
	f.StringSliceVar(&o.sources, "sources", nil, "the same as --source")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	for _, name := range []string{"durability-decision", "tags", "sources", "quote", "problem", "solution", "provenance"} {
		hide(c, name)
	}
	return c
}

func runStore(c *cobra.Command, e *env, o storeOptions, args []string) error {
	text, err := e.text(args, "the text to store")
	if err != nil {
		return within(c, err)
	}
	if o.trust == "" && e.person() {
		o.trust = "user"
	}
	return e.run(c.Context(), request{op: "memory_store", args: o.arguments(c, text), json: o.json, pretty: e.showStored})
}

func (o storeOptions) arguments(c *cobra.Command, text string) map[string]any {
	a := map[string]any{"content": text}
	for name, value := range map[string]string{
		"title": o.title, "topic": o.topic, "kind": o.kind, "trust": o.trust, "scope": o.scope, "lobe": o.lobe,
		"branch": o.branch, "subject": o.subject, "expires": o.expires, "validFrom": o.validFrom, "validUntil": o.validUntil,
		"quote": o.quote, "problem": o.problem, "solution": o.solution, "provenance": o.provenance, "durabilityDecision": o.durability,
	} {
		set(a, name, value)
	}
	for name, list := range map[string][]string{
		"tags": o.tags, "sources": o.sources, "references": o.references, "files": o.files, "conditions": o.conditions,
	} {
		setList(a, name, list)
	}
	if c.Flags().Changed("confidence") {
		a["confidence"] = o.confidence
	}
	if c.Flags().Changed("importance") {
		a["importance"] = o.importance
	}
	if o.anyway {
		a["durabilityDecision"] = "store-anyway"
	}
	return a
}

// showStored prints the answer of a store for a person.
func (e *env) showStored(structure []byte) error {
	var r lobes.Remembered
	if err := json.Unmarshal(structure, &r); err != nil {
		return err
	}
	t := e.terminal
	var b strings.Builder
	for _, s := range r.Stored {
		b.WriteString(t.green(strings.ToUpper(s.Action[:1])+s.Action[1:]) + " " + t.bold(printable(s.Title)) + "\n")
		b.WriteString(e.storedLines(s))
	}
	for _, s := range r.Confirmed {
		b.WriteString(t.green("Known already, confirmed") + " " + t.bold(printable(s.Title)) + "\n" + e.storedLines(s))
	}
	for _, m := range r.Masked {
		b.WriteString(t.yellow("masked before it was written: "+m) + "\n")
	}
	for _, w := range r.Warnings {
		b.WriteString(t.yellow(printable(strings.TrimSpace(w))) + "\n")
	}
	for _, s := range r.Similar {
		b.WriteString(t.faint(fmt.Sprintf("similar (%.0f%%): %s  %s", s.Similarity*100, s.ID, printable(s.Title))) + "\n")
	}
	for _, s := range r.Preferences {
		b.WriteString(t.faint(fmt.Sprintf("may bear on it: %s  %s", s.ID, printable(s.Title))) + "\n")
	}
	return e.say(b.String())
}

func (e *env) storedLines(s lobes.Stored) string {
	line := fmt.Sprintf("  %s, %s in lobe %s, %s %.2f", s.ID, s.Topic, s.Lobe, s.Trust, s.Confidence)
	if len(s.Derived) > 0 {
		line += ", chosen for you: " + strings.Join(s.Derived, ", ")
	}
	if s.Status != "" && s.Status != "active" {
		line += ", held for review"
	}
	return line + "\n  " + e.terminal.faint(s.Path) + "\n"
}

// within names the command in a usage error.
func within(c *cobra.Command, err error) error {
	if usage, ok := err.(*UsageError); ok && usage.Command == "" {
		usage.Command = c.CommandPath()
	}
	return err
}
