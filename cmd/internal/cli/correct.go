package cli

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/lobes"
)

type correctOptions struct {
	action, text, lobe, revision, reason         string
	title, kind, trust, status, subject, expires string
	tags                                         []string
	confidence, importance                       float64
	json                                         bool
}

func correctActions() []string { return []string{"append", "replace", "edit", "confirm", "delete"} }

func newCorrect(e *env) *cobra.Command {
	var o correctOptions
	c := &cobra.Command{
		Use:     "correct ID append|replace|edit|confirm|delete [TEXT... | -]",
		Short:   "Change, confirm or take back a memory",
		GroupID: groupCare,
		Long: `Change one memory. Its old text stays in the history.

  append TEXT   add a text at the end
  replace TEXT  the text was never right: another one takes its place
  edit          set the fields given as options: --title --tag --trust ...
  confirm       it still holds
  delete        take it back (as forget does)`,
		Example: `  memory-mcp correct gotcha-3f7a2b1c append "also on Windows"
  memory-mcp correct arch-3f7a2b1c edit --title "Build system" --tag build`,
		Args: atLeast(1, "the id of an entry"),
		RunE: func(c *cobra.Command, args []string) error { return runCorrect(c, e, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.action, "action", "", "the same as the second argument")
	f.StringVar(&o.text, "text", "", "the same as TEXT")
	f.StringVar(&o.lobe, "lobe", "", "the lobe that has the entry")
	f.StringVar(&o.revision, "revision", "", "refuse when the entry has another revision by now")
	f.StringVar(&o.reason, "reason", "", "why; kept in the history")
	f.StringVar(&o.title, "title", "", "edit: the title")
	f.StringSliceVar(&o.tags, "tag", nil, "edit: the tags; may be repeated")
	f.StringSliceVar(&o.tags, "tags", nil, "the same as --tag")
	f.StringVar(&o.kind, "kind", "", "edit: the kind")
	f.StringVar(&o.trust, "trust", "", "edit: user, agent-confirmed, agent-inferred")
	f.StringVar(&o.status, "status", "", "edit: active, candidate, review, pending, archived")
	f.StringVar(&o.subject, "subject", "", "edit: whom or what it is about")
	f.StringVar(&o.expires, "expires", "", "edit: a date after which it is not recalled")
	f.Float64Var(&o.confidence, "confidence", 0, "edit: how sure it is, 0 to 1")
	f.Float64Var(&o.importance, "importance", 0, "edit: how much it matters, 0 to 1")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	hide(c, "tags")
	return c
}

func runCorrect(c *cobra.Command, e *env, o correctOptions, args []string) error {
	id, rest := args[0], args[1:]
	if o.action == "" && len(rest) > 0 {
		if !slices.Contains(correctActions(), rest[0]) {
			return &UsageError{Command: c.CommandPath(), Err: errors.New("there is no action " + quote(rest[0])),
				Hint: "it is one of " + strings.Join(correctActions(), ", ")}
		}
		o.action, rest = rest[0], rest[1:]
	}
	text, err := e.correction(o, rest)
	if err != nil {
		return within(c, err)
	}
	a := map[string]any{"id": id}
	for name, value := range map[string]string{
		"action": o.action, "correction": text, "lobe": o.lobe, "revision": o.revision, "reason": o.reason,
	} {
		set(a, name, value)
	}
	o.fields(c, a)
	return e.run(c.Context(), request{op: "memory_correct", args: a, json: o.json, pretty: e.showCorrected})
}

// correction is the text of the actions that need one.
func (e *env) correction(o correctOptions, args []string) (string, error) {
	if o.text != "" && o.text != "-" {
		return o.text, nil
	}
	if o.text == "-" {
		args = []string{"-"}
	}
	if o.action != "append" && o.action != "replace" && len(args) == 0 {
		return "", nil
	}
	return e.text(args, "the text")
}

// fields are those that were given: an empty one is taken away.
func (o correctOptions) fields(c *cobra.Command, a map[string]any) {
	for name, value := range map[string]any{
		"title": o.title, "kind": o.kind, "trust": o.trust, "status": o.status, "subject": o.subject, "expires": o.expires,
		"confidence": o.confidence, "importance": o.importance,
	} {
		if c.Flags().Changed(name) {
			a[name] = value
		}
	}
	if c.Flags().Changed("tag") || c.Flags().Changed("tags") {
		a["tags"] = o.tags
	}
}

// showCorrected prints the answer of a correction for a person.
func (e *env) showCorrected(structure []byte) error {
	var r lobes.Corrected
	if err := json.Unmarshal(structure, &r); err != nil {
		return err
	}
	t := e.terminal
	var b strings.Builder
	b.WriteString(t.green(strings.ToUpper(r.Action[:1])+r.Action[1:]) + " " + t.bold(printable(r.Title)) + "\n")
	b.WriteString("  " + r.ID + ", " + r.Topic + " in lobe " + r.Lobe + "\n")
	if r.Action == "deleted" {
		b.WriteString("  " + t.faint("its history stays: "+Name+" restore "+r.ID+" --lobe "+r.Lobe) + "\n")
	} else {
		b.WriteString("  " + t.faint(r.Path) + "\n")
	}
	if r.Adopted {
		b.WriteString("  your edit of the file was kept in the history first\n")
	}
	for _, m := range r.Masked {
		b.WriteString(t.yellow("masked before it was written: "+m) + "\n")
	}
	for _, w := range r.Warnings {
		b.WriteString(t.yellow(printable(strings.TrimSpace(w))) + "\n")
	}
	return e.say(b.String())
}
