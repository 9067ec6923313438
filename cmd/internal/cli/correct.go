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
	validFrom, toLobe, toTopic, quote            string
	sources                                      []string
	dryRun                                       bool
	title, kind, trust, status, subject, expires string
	tags                                         []string
	confidence, importance                       float64
	json                                         bool
}

func correctActions() []string {
	return []string{"append", "replace", "supersede", "edit", "confirm", "archive", "move", "undo", "restore", "delete", "erase"}
}

func newCorrect(e *env) *cobra.Command {
	var o correctOptions
	c := &cobra.Command{
		Use:     "correct ID ACTION [TEXT... | -]",
		Short:   "Change, confirm or take back a memory",
		GroupID: groupCare,
		Long: `Change one memory. Its old text stays in the history.

  append TEXT     add a text at the end
  replace TEXT    the text was never right: another one takes its place
  supersede TEXT  it was right until --valid-from (now): a new memory takes over
  edit            set the fields given as options: --title --tag --trust ...
  confirm         it still holds
  archive         out of the present, and kept
  move            to another place: --to-topic, --to-lobe
  undo            take its last change back
  restore         put back what was taken back
  delete          take it back (as forget does)
  erase           its content goes for good, from the history too`,
		Example: `  memory-mcp correct gotcha-3f7a2b1c append "also on Windows"
  memory-mcp correct arch-3f7a2b1c supersede "deploys via Fly.io" --valid-from 2026-06-01
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
	f.StringVar(&o.validFrom, "valid-from", "", "supersede: since when the new text holds")
	f.StringVar(&o.toTopic, "to-topic", "", "move: the topic")
	f.StringVar(&o.toLobe, "to-lobe", "", "move: the lobe")
	f.StringSliceVar(&o.sources, "source", nil, "a file that the new text rests on; may be repeated")
	f.StringVar(&o.quote, "quote", "", "words of the source of the new text")
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what would be done")
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
		"validFrom": o.validFrom, "toLobe": o.toLobe, "toTopic": o.toTopic, "quote": o.quote,
	} {
		set(a, name, value)
	}
	setList(a, "sources", o.sources)
	set(a, "preview", o.dryRun)
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
	if o.action != "append" && o.action != "replace" && o.action != "supersede" && len(args) == 0 {
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

// correctedLines tell what became of one entry.
func (e *env) correctedLines(r lobes.Corrected) string {
	t := e.terminal
	s := t.green(strings.ToUpper(r.Action[:1])+r.Action[1:]) + " " + t.bold(printable(r.Title)) + "\n"
	s += "  " + r.ID + ", " + r.Topic + " in lobe " + r.Lobe
	if r.Supersedes != "" {
		s += ", took the place of " + r.Supersedes
	}
	if r.ValidFrom != nil {
		s += ", valid from " + e.local(*r.ValidFrom)
	}
	if r.From != nil {
		s += ", was in lobe " + r.From.Lobe + ", " + r.From.Topic
	}
	switch r.Action {
	case "deleted":
		return s + "\n  " + t.faint("its history stays: "+Name+" restore "+r.ID+" --lobe "+r.Lobe) + "\n"
	case "erased":
		return s + "\n  " + t.faint("nothing is left of "+strings.Join(r.Erased, ", ")+" but the id and the time") + "\n"
	}
	return s + "\n  " + t.faint(r.Path) + "\n"
}

// undoneLines tell what an undo did besides, what it left alone, and what an
// erasing cannot reach.
func (e *env) undoneLines(r lobes.Corrected) string {
	t := e.terminal
	s := ""
	for _, u := range r.Undone {
		s += t.green("Undone") + " " + printable(u.Title) + "\n  " + u.ID + " in lobe " + u.Lobe + ", " + u.Kind + " by " + either(u.Actor, "somebody") + " on " + e.local(u.Recorded) + "\n"
	}
	for _, l := range r.Skipped {
		s += t.yellow("Left alone") + " " + printable(l.Title) + "\n  " + l.ID + " in lobe " + l.Lobe + ", changed by " + either(l.Actor, "somebody") + " on " + e.local(l.Recorded) + "\n"
	}
	for _, l := range r.Left {
		s += t.yellow("not reached: "+printable(l)) + "\n"
	}
	return s
}

// showCorrected prints the answer of a correction for a person.
func (e *env) showCorrected(structure []byte) error {
	var r lobes.Corrected
	if err := json.Unmarshal(structure, &r); err != nil {
		return err
	}
	t := e.terminal
	var b strings.Builder
	if r.Preview {
		b.WriteString(t.yellow("Preview, nothing was done") + "\n")
	}
	if r.ID != "" && r.Action != "" {
		b.WriteString(e.correctedLines(r))
	}
	b.WriteString(e.undoneLines(r))
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
