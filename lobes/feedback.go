package lobes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// The verdicts of a [Feedback].
const (
	Helpful        = "helpful"        // it was used, and that went well
	Wrong          = "wrong"          // it was never right
	Outdated       = "outdated"       // it was right, and is not any more
	Counterexample = "counterexample" // an experience was followed, and that went badly
)

// Verdicts are all verdicts.
func Verdicts() []string { return []string{Helpful, Wrong, Outdated, Counterexample} }

// The fields of a record of feedback, and of one that takes another back.
const (
	verdictField = "verdict"
	taskField    = "task"
	recordField  = "record"
)

// A Feedback is what somebody says of a memory after using it.
type Feedback struct {
	ID      string
	Verdict string
	Task    string // that it was used for, in a line
	Session string // "" is that of the call
	Note    string
}

// What feedback came to.
const (
	EffectCounted   = "counted"   // it is known, and changes nothing yet
	EffectReview    = "review"    // the memory waits for a person
	EffectObjection = "objection" // the memory is a person's: both sides are shown
	EffectActive    = "active"    // the experience has proved itself
	EffectCandidate = "candidate" // the experience has to prove itself anew
)

// GivenFeedback is the answer of [Set.Feedback].
type GivenFeedback struct {
	ID      string `json:"id"`
	Lobe    string `json:"lobe"`
	Topic   string `json:"topic"`
	Title   string `json:"title"`
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Verdict string `json:"verdict"`
	Effect  string `json:"effect"`
	Status  string `json:"status"` // of the memory from now on
	// Of an experience: what speaks for it and against it since it has its
	// present text, and what it needs.
	Proof    *Proof   `json:"proof,omitempty"`
	Masked   []string `json:"masked"`
	Warnings []string `json:"warnings"`
}

// Proof is what feedback says of an experience.
type Proof struct {
	Tasks    int `json:"tasks"` // that it helped in
	Sessions int `json:"sessions"`
	Counter  int `json:"counter"` // examples against it
	// NeedTasks and NeedSessions make it active, if nothing speaks against it.
	NeedTasks    int `json:"need_tasks"`
	NeedSessions int `json:"need_sessions"`
}

// An experience is active after it helped in so many tasks of so many sessions.
const (
	needTasks    = 3
	needSessions = 2
)

func (p *Proof) enough() bool {
	return p.Tasks >= p.NeedTasks && p.Sessions >= p.NeedSessions && p.Counter == 0
}

// The lengths in characters of what goes with feedback.
const (
	mostNote = 4000
	mostTask = 300
)

// Feedback keeps what somebody says of a memory. Nothing is ever deleted by it:
// helpful counts; wrong and outdated put the memory before a person, unless it
// is a person's word and an agent says so: then the objection is shown beside
// it. An experience becomes active by success, and a candidate again by a
// counterexample. An undo takes it back.
func (s *Set) Feedback(ctx context.Context, by By, t Target, f Feedback) (GivenFeedback, error) {
	if err := s.writable("give feedback"); err != nil {
		return GivenFeedback{}, err
	}
	var c cleaner
	if err := f.check(&c); err != nil {
		return GivenFeedback{}, err
	}
	r, err := s.holder(ctx, t, f.ID)
	if err != nil {
		return GivenFeedback{}, err
	}
	by.Session = cmp.Or(f.Session, by.Session)
	rec := entry.Record{
		Kind: entry.RecordFeedback, Recorded: s.o.Now().UTC(), Actor: by.Actor, Session: cmp.Or(by.Session, by.Connection), Role: by.Role,
		Entries: []string{f.ID}, Fields: map[string]string{verdictField: f.Verdict}, Text: f.Note,
	}
	if f.Task != "" {
		rec.Fields[taskField] = f.Task
	}
	earlier, err := r.feedback(ctx, store.RecordFilter{Entry: f.ID})
	if err != nil {
		return GivenFeedback{}, err
	}
	var out GivenFeedback
	_, err = r.store.Write(ctx, by.store(""), func(tx *store.Tx) error {
		h, ok := tx.View().ID(f.ID)
		if !ok {
			return &store.UnknownIDError{ID: f.ID, Dir: r.lobe.spec.Dir}
		}
		if h.Broken != nil {
			return &store.BrokenError{ID: f.ID, Path: r.path(h), Cause: h.Broken}
		}
		if err := tx.Record(rec); err != nil {
			return err
		}
		out, err = r.judged(h, append(slices.Clone(earlier), rec), by)
		if err != nil || out.Effect == EffectCounted || out.Effect == EffectObjection {
			return err
		}
		tx.Note(feedbackReason + f.Verdict) // the note is the record's alone: it can be erased there
		return tx.Update(entry.OpEdit, f.ID, func(e entry.Entry) (entry.Entry, error) {
			e.Status = written(out.Status)
			return e, nil
		})
	})
	if err != nil {
		return GivenFeedback{}, err
	}
	r.lobe.written.Store(true)
	if f.Verdict == Helpful {
		r.lobe.use(f.ID)
	}
	r.lobe.note(s)
	out.Masked, out.Warnings = orEmpty(c.masked), orEmpty(out.Warnings)
	if f.Verdict == Helpful && out.Proof != nil && f.Task == "" {
		out.Warnings = append(out.Warnings, "without a task it does not count for the experience")
	}
	return out, nil
}

// check brings feedback into its one form.
func (f *Feedback) check(c *cleaner) (err error) {
	f.ID, f.Verdict = strings.TrimSpace(f.ID), strings.ToLower(strings.TrimSpace(f.Verdict))
	if f.ID == "" {
		return &ValueError{Field: "id", Why: "it is empty"}
	}
	if !slices.Contains(Verdicts(), f.Verdict) {
		near := append(textanalysis.Nearest(f.Verdict, Verdicts(), 1), "")
		return &entry.WordError{What: "verdict", Given: f.Verdict, Near: near[0], Known: Verdicts()}
	}
	if f.Task, err = c.line("task", f.Task); err != nil {
		return err
	}
	if f.Note, err = c.text("note", f.Note); err != nil {
		return err
	}
	if f.Session, err = c.line("session", f.Session); err != nil {
		return err
	}
	for field, most := range map[string]struct {
		text string
		most int
	}{"task": {f.Task, mostTask}, "session": {f.Session, mostTask}, "note": {f.Note, mostNote}} {
		if n := utf8.RuneCountInString(most.text); n > most.most {
			return &ValueError{Field: field, Value: clip(most.text, 80), Why: fmt.Sprintf("it has %d characters, at most %d are kept", n, most.most)}
		}
	}
	return nil
}

// feedbackReason begins the reason of a state that feedback led to.
const feedbackReason = "feedback: "

// written is a status as a file has it: active is not written.
func written(status string) string {
	if status == "active" {
		return ""
	}
	return status
}

// judged tells what the last of an entry's feedback comes to.
func (r reading) judged(h *store.Head, all []entry.Record, by By) (GivenFeedback, error) {
	e := &h.Entry
	rec := all[len(all)-1]
	out := GivenFeedback{
		ID: e.ID, Lobe: r.lobe.name, Topic: e.Topic, Title: e.Title, Path: r.path(h), Kind: e.Kind,
		Verdict: rec.Fields[verdictField], Effect: EffectCounted, Status: cmp.Or(e.Status, "active"),
	}
	experience := e.Kind == "experience"
	if experience {
		since, err := r.textSince(e.ID)
		if err != nil {
			return out, err
		}
		out.Proof = proofOf(all, since)
	}
	switch {
	case out.Verdict != Helpful && personal(e) && by.Role != "user":
		out.Effect = EffectObjection
	case out.Verdict == Helpful:
		if experience && e.Status == "candidate" && out.Proof.enough() {
			out.Effect, out.Status = EffectActive, "active"
		}
	case out.Verdict == Counterexample && experience:
		if out.Status == "active" {
			out.Effect, out.Status = EffectCandidate, "candidate"
		}
	case out.Status == "active" || out.Status == "candidate":
		out.Effect, out.Status = EffectReview, "review"
	}
	return out, nil
}

// personal tells whether an entry is a person's word. What has its trust only
// from its topic is not.
func personal(e *entry.Entry) bool { return trustOf(e) == entry.User && e.TrustFrom != "topic" }

// proofOf counts the feedback on an experience since a time.
func proofOf(all []entry.Record, since time.Time) *Proof {
	p := &Proof{NeedTasks: needTasks, NeedSessions: needSessions}
	tasks, sessions := map[string]bool{}, map[string]bool{}
	for _, r := range all {
		if r.Recorded.Before(since) {
			continue
		}
		switch r.Fields[verdictField] {
		case Helpful:
			if task := strings.ToLower(r.Fields[taskField]); task != "" {
				tasks[task] = true
				sessions[cmp.Or(r.Session, r.Actor)] = true
			}
		case Counterexample, Wrong, Outdated:
			p.Counter++
		}
	}
	p.Tasks, p.Sessions = len(tasks), len(sessions)
	return p
}

// textSince is since when an entry has its text and holds under its conditions.
func (r reading) textSince(id string) (time.Time, error) {
	all, err := r.store.Revisions(id)
	if err != nil {
		return time.Time{}, err
	}
	var since time.Time
	var was entry.Entry
	for _, rev := range all {
		if rev.Gone() || rev.Op == entry.OpLate {
			continue
		}
		is, err := entry.ParseFile(rev.Path, rev.Recorded, rev.Head)
		if err != nil {
			continue // the text of a person who is in the middle of it
		}
		if !sameClaim(&was, &is.Entry) || since.IsZero() {
			since = rev.Recorded
		}
		was = is.Entry
	}
	return since, nil
}

// sameClaim tells whether two states of an entry say the same under the same
// conditions.
func sameClaim(a, b *entry.Entry) bool {
	return a.Title == b.Title && sameText(a, b) && slices.Equal(a.Conditions, b.Conditions)
}

// feedback gives the feedback that a filter asks for and nobody took back, the
// oldest first.
func (r reading) feedback(ctx context.Context, f store.RecordFilter) ([]entry.Record, error) {
	f.Kinds = []string{entry.RecordFeedback}
	all, err := r.store.Records(ctx, f)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	taken, err := r.store.Records(ctx, store.RecordFilter{Kinds: []string{entry.RecordWithdrawn}})
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, w := range taken {
		gone[w.Fields[recordField]] = true
	}
	return slices.DeleteFunc(all, func(r entry.Record) bool { return gone[r.Key()] }), nil
}
