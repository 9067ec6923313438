package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// noteIn are the fields of one memory to store.
type noteIn struct {
	Title      string   `json:"title"`
	Content    string   `json:"content" free:"1" doc:"one insight that will hold in six months"`
	Topic      string   `json:"topic" words:"topic" doc:"user|preferences|gotchas|decisions|architecture|conventions|modules/NAME|recent-work|general"`
	Tags       []string `json:"tags"`
	Sources    []string `json:"sources" doc:"files it rests on"`
	References []string `json:"references" hide:"1" doc:"other files or names it speaks of"`
	Files      []string `json:"files" hide:"1"`
	Conditions []string `json:"conditions" list:"whole" hide:"1"`
	Kind       string   `json:"kind" doc:"fact|decision|preference|episode" mute:"1" enum:"fact|decision|preference|episode|experience|summary|checkpoint|task|context"`
	Trust      string   `json:"trust" enum:"user|agent-confirmed|agent-inferred" words:"trust"`
	Confidence *float64 `json:"confidence" hide:"1"`
	Importance *float64 `json:"importance" hide:"1"`
	Provenance string   `json:"provenance" hide:"1" enum:"save|checkpoint|debate|human"`
	Subject    string   `json:"subject" hide:"1"`
	Problem    string   `json:"problem" free:"1" hide:"1"`
	Solution   string   `json:"solution" free:"1" hide:"1"`
	Quote      string   `json:"quote" free:"1" hide:"1"`
	Branch     string   `json:"branch" hide:"1"`
	Expires    string   `json:"expires" doc:"a date, 30d; also validFrom, validUntil"`
	ValidFrom  string   `json:"validFrom" hide:"1" doc:"since when it holds in the world"`
	ValidUntil string   `json:"validUntil" hide:"1" doc:"until when"`
}

// entryIn is a noteIn inside a list, where few fields are published.
type entryIn struct {
	Title      string   `json:"title"`
	Content    string   `json:"content" free:"1"`
	Topic      string   `json:"topic" words:"topic" hide:"1"`
	Tags       []string `json:"tags" hide:"1"`
	Sources    []string `json:"sources" hide:"1"`
	References []string `json:"references" hide:"1"`
	Files      []string `json:"files" hide:"1"`
	Kind       string   `json:"kind" hide:"1" enum:"fact|decision|preference|episode|experience|summary|checkpoint|task|context"`
	Trust      string   `json:"trust" hide:"1" enum:"user|agent-confirmed|agent-inferred" words:"trust"`
}

type storeIn struct {
	noteIn
	Entries    []entryIn `json:"entries" doc:"several at once"`
	Scope      string    `json:"scope" hide:"1"`
	Lobe       string    `json:"lobe"`
	Durability string    `json:"durabilityDecision" enum:"default|store-anyway" words:"durability"`
	quiet
}

func storeOp() Op {
	return New(Op{
		Name: "memory_store", Title: "Store a memory", Effect: Adds, bare: "content",
		Doc: "Call when you learn something that a later session should know: a gotcha, decision, convention, or what the user prefers. " +
			"Only content is needed.",
		listed: []Profile{Default, Full}, aliases: aliases(ofFields, ofStore),
		example: `memory_store(content: "uploads must go through the queue, direct ones lose events", topic: "gotchas")`,
	}, func(ctx context.Context, env *Env, in storeIn) (answer, error) {
		notes, err := in.notes(env.now())
		if err != nil {
			return nil, err
		}
		return remember(ctx, env, in.Lobe, notes)
	})
}

// notes are the memories of a call: those of its list, with the call's own
// fields where one leaves them out, or the one of the call itself.
func (in storeIn) notes(now time.Time) ([]lobes.Note, error) {
	base, err := in.note(now)
	if err != nil {
		return nil, err
	}
	base.StoreAnyway = in.Durability == "store-anyway"
	switch fold(in.Scope) {
	case "project", "global":
		base.Scope = fold(in.Scope)
	default:
		base.Topic = either(base.Topic, topicWord(in.Scope))
	}
	var notes []lobes.Note
	if base.Text != "" || len(in.Entries) == 0 {
		notes = append(notes, base)
	}
	for _, e := range in.Entries {
		notes = append(notes, e.note(base))
	}
	if len(notes) == 1 && notes[0].Text == "" && notes[0].Title != "" && len(in.Entries) == 0 {
		notes[0].Text, notes[0].Title = notes[0].Title, ""
	}
	return notes, nil
}

func (in noteIn) note(now time.Time) (lobes.Note, error) {
	n := lobes.Note{
		Topic: in.Topic, Title: in.Title, Text: in.Content, Kind: in.Kind, Trust: in.Trust, Provenance: in.Provenance,
		Confidence: in.Confidence, Importance: in.Importance, Tags: in.Tags, Sources: in.Sources, References: in.References,
		Files: in.Files, Conditions: in.Conditions, Subject: in.Subject, Problem: in.Problem, Solution: in.Solution,
		Quote: in.Quote, Branch: in.Branch,
	}
	var err error
	for _, d := range []struct {
		when
		given string
		to    *string
	}{{expiresTime(), in.Expires, &n.Expires}, {fromTime(), in.ValidFrom, &n.ValidFrom}, {validUntil(), in.ValidUntil, &n.ValidUntil}} {
		if *d.to, err = d.text(d.given, now); err != nil {
			return lobes.Note{}, err
		}
	}
	return n, nil
}

func (e entryIn) note(base lobes.Note) lobes.Note {
	n := base
	n.Title, n.Text = e.Title, e.Content
	n.Topic = either(e.Topic, base.Topic)
	n.Kind = either(e.Kind, base.Kind)
	n.Trust = either(e.Trust, base.Trust)
	for _, l := range []struct {
		own []string
		to  *[]string
	}{{e.Tags, &n.Tags}, {e.Sources, &n.Sources}, {e.References, &n.References}, {e.Files, &n.Files}} {
		if len(l.own) > 0 {
			*l.to = l.own
		}
	}
	if n.Text == "" {
		n.Text, n.Title = n.Title, ""
	}
	return n
}

// stored is the answer of a store.
type stored struct {
	lobes.Remembered
}

func remember(ctx context.Context, env *Env, lobe string, notes []lobes.Note) (answer, error) {
	var paths [][]string
	for _, n := range notes {
		paths = append(paths, n.Sources, n.References, n.Files)
	}
	r, err := on(ctx, env, env.target(lobe, paths...), func(m Memory, t lobes.Target) (lobes.Remembered, error) {
		return m.Remember(ctx, env.By, t, notes)
	})
	if err != nil {
		return nil, refusal(err, notes)
	}
	for _, all := range [][]lobes.Related{r.Similar, r.Preferences} {
		for i := range all {
			all[i].Title = safeLine(all[i].Title)
			all[i].Excerpt = safeLine(all[i].Excerpt)
		}
	}
	for _, all := range [][]lobes.Stored{r.Stored, r.Confirmed} {
		for i := range all {
			all[i].Title = safeLine(all[i].Title)
		}
	}
	return &stored{r}, nil
}

// refused is a durability refusal with the text that it is about, so that the
// ready call can hold it.
type refused struct {
	*lobes.EphemeralError
	text, title string
	several     bool
}

func (r *refused) Unwrap() error { return r.EphemeralError }

func refusal(err error, notes []lobes.Note) error {
	var e *lobes.EphemeralError
	if !errors.As(err, &e) || len(notes) == 0 {
		return err
	}
	r := &refused{EphemeralError: e, text: notes[0].Text, title: notes[0].Title, several: len(notes) > 1}
	for _, n := range notes {
		if e.Title != "" && (n.Title == e.Title || strings.HasPrefix(n.Text, strings.TrimSuffix(e.Title, "…"))) {
			r.text, r.title = n.Text, n.Title
			break
		}
	}
	return r
}

func (s *stored) shrink() bool {
	switch {
	case len(s.Similar) > 0:
		s.Similar = s.Similar[:len(s.Similar)-1]
	case len(s.Preferences) > 0:
		s.Preferences = s.Preferences[:len(s.Preferences)-1]
	default:
		return false
	}
	return true
}

func (s *stored) text(p *page) {
	for _, e := range s.Stored {
		p.line("%s", storedLine(e))
	}
	for _, e := range s.Confirmed {
		p.line("Known already, confirmed: %s %q | lobe %s | %s | %s", e.ID, e.Title, e.Lobe, e.Topic, e.Path)
	}
	if len(s.Masked) > 0 {
		p.line("MASKED before it was written: %s. Keep secrets out of memories.", strings.Join(s.Masked, ", "))
	}
	for _, w := range s.Warnings {
		p.line("WARNING: %s", strings.TrimSpace(w))
	}
	s.similar(p)
	if len(s.Similar) == 0 || len(s.Warnings) == 0 {
		s.preferences(p) // more than two hints at once tire the reader
	}
}

func storedLine(e lobes.Stored) string {
	verb := "Stored"
	if e.Action == "replaced" {
		verb = "Replaced the text of"
	}
	trust := fmt.Sprintf("%s %.2f", e.Trust, e.Confidence)
	if e.TrustFrom != "" {
		trust += fmt.Sprintf(" (by its %s; written by %s)", e.TrustFrom, either(e.Actor, "an unnamed client"))
	}
	line := fmt.Sprintf("%s %s %q | lobe %s | %s | %s | revision %s | %s", verb, e.ID, e.Title, e.Lobe, e.Topic, trust, e.Revision, e.Path)
	if e.Branch != "" {
		line += " | branch " + e.Branch
	}
	if len(e.Derived) > 0 {
		line += " | chosen for you: " + strings.Join(e.Derived, ", ")
	}
	if e.Status == "review" {
		line += " | HELD for a person's review"
	}
	if len(e.Signals) > 0 {
		line += " | labelled, it speaks to the model: " + strings.Join(e.Signals, ", ")
	}
	if e.Adopted {
		line += " | an edit made by hand was kept in the history first"
	}
	return line
}

// similar is the first of at most two hints.
func (s *stored) similar(p *page) {
	if len(s.Similar) == 0 || len(s.Stored) == 0 {
		return
	}
	top, id := s.Similar[0], s.Stored[0].ID
	p.line("SIMILAR: %s %q (%.0f%% alike, %.2f)%s", top.ID, top.Title, top.Similarity*100, top.Confidence, others(len(s.Similar)-1))
	p.block(fence(top.ID+" of lobe "+top.Lobe, cut(top.Excerpt, 120)))
	p.line("Same thing: %s then %s. Otherwise leave both.",
		p.correct(top.ID, "append", "what is new"), p.correct(id, "delete", ""))
}

func others(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// preferences is the last hint.
func (s *stored) preferences(p *page) {
	if len(s.Preferences) == 0 {
		return
	}
	var lines []string
	for _, r := range s.Preferences {
		lines = append(lines, fmt.Sprintf("- %s %q: %s", r.ID, r.Title, cut(r.Excerpt, 120)))
	}
	p.line("PREFERENCES that may bear on it:")
	p.block(fence("lobe "+s.Preferences[0].Lobe+", preferences", strings.Join(lines, "\n")))
}
