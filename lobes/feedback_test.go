package lobes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store"
	"memory-mcp/store/entry"
)

func (w *world) feedback(by lobes.By, t lobes.Target, f lobes.Feedback) lobes.GivenFeedback {
	w.Helper()
	w.clock.pass(time.Second)
	g, err := w.set.Feedback(context.Background(), by, t, f)
	if err != nil {
		w.Fatal(err)
	}
	return g
}

func (w *world) timeline(t lobes.Target, window lobes.Window) []lobes.Change {
	w.Helper()
	a, err := w.set.Timeline(context.Background(), t, window)
	if err != nil {
		w.Fatal(err)
	}
	return a.Changes
}

// What feedback comes to, by who says it of what.
func TestFeedbackComesTo(t *testing.T) {
	for _, c := range []struct {
		kind, status, trust, verdict string
		by                           lobes.By
		effect, after                string
	}{
		{"", "", "", lobes.Helpful, agent, lobes.EffectCounted, "active"},
		{"", "", "", lobes.Wrong, agent, lobes.EffectReview, "review"},
		{"", "", "", lobes.Outdated, agent, lobes.EffectReview, "review"},
		{"", "", "", lobes.Counterexample, agent, lobes.EffectReview, "review"},
		{"", "candidate", "", lobes.Wrong, agent, lobes.EffectReview, "review"},
		{"", "candidate", "", lobes.Helpful, agent, lobes.EffectCounted, "candidate"},
		{"", "review", "", lobes.Wrong, agent, lobes.EffectCounted, "review"},
		{"", "", "user", lobes.Wrong, agent, lobes.EffectObjection, "active"},
		{"", "", "user", lobes.Outdated, agent, lobes.EffectObjection, "active"},
		{"", "", "user", lobes.Wrong, person, lobes.EffectReview, "review"},
		{"", "", "user", lobes.Helpful, agent, lobes.EffectCounted, "active"},
		{"experience", "", "", lobes.Counterexample, agent, lobes.EffectCandidate, "candidate"},
		{"experience", "candidate", "", lobes.Counterexample, agent, lobes.EffectCounted, "candidate"},
		{"experience", "", "user", lobes.Counterexample, agent, lobes.EffectObjection, "active"},
		{"experience", "", "", lobes.Wrong, agent, lobes.EffectReview, "review"},
		{"experience", "candidate", "", lobes.Helpful, agent, lobes.EffectCounted, "candidate"},
	} {
		name := fmt.Sprint(c.kind, " ", c.status, " ", c.trust, " is ", c.verdict, " for ", c.by.Actor)
		w := newWorld(t, nil, "a")
		s := w.entryOf(c.kind, c.status, c.trust)
		g := w.feedback(c.by, w.in("a"), lobes.Feedback{ID: s, Verdict: c.verdict, Task: "move the queue", Note: "It was so."})
		if g.Effect != c.effect || g.Status != c.after {
			t.Errorf("%s: %s, %s; want %s, %s", name, g.Effect, g.Status, c.effect, c.after)
		}
		if got := w.statusOf(s); got != c.after {
			t.Errorf("%s: the file says %q, want %q", name, got, c.after)
		}
		if (g.Proof != nil) != (c.kind == "experience") {
			t.Errorf("%s: proof %+v", name, g.Proof)
		}
	}
}

// entryOf writes an entry as an agent does, and gives it a kind and a status, or
// a trust as a person does.
func (w *world) entryOf(kind, status, trust string) string {
	w.Helper()
	w.clock.pass(time.Second)
	s := w.stored(w.in("a"), lobes.Note{Topic: "gotchas", Title: "Queue", Text: "Uploads go through the queue."})
	c := lobes.Correction{ID: s.ID, Action: "edit"}
	for value, at := range map[string]**string{kind: &c.Kind, trust: &c.Trust, status: &c.Status} {
		if value != "" {
			*at = &value
		}
	}
	if c.Kind != nil || c.Trust != nil || c.Status != nil {
		w.clock.pass(time.Second)
		by := agent
		if trust == "user" {
			by = person
		}
		if _, err := w.set.Correct(context.Background(), by, w.in("a"), c); err != nil {
			w.Fatal(err)
		}
	}
	return s.ID
}

func (w *world) statusOf(id string) string {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.root("a"), ".git/memory/*", id+".md"))
	if err != nil || len(found) != 1 {
		w.Fatal(found, err)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		w.Fatal(err)
	}
	e, err := entry.Parse(b)
	if err != nil {
		w.Fatal(err)
	}
	if e.Status == "" {
		return "active"
	}
	return e.Status
}

func TestFeedbackIsRefused(t *testing.T) {
	w := newWorld(t, nil, "a")
	id := w.entryOf("", "", "")
	for name, f := range map[string]lobes.Feedback{
		"no id": {Verdict: "wrong"}, "no verdict": {ID: id}, "another verdict": {ID: id, Verdict: "wrongly"}, "unknown": {ID: "gotcha-none", Verdict: "wrong"},
		"a long note": {ID: id, Verdict: "wrong", Note: strings.Repeat("x", 4001)}, "a long task": {ID: id, Verdict: "wrong", Task: strings.Repeat("x", 301)},
		"NUL": {ID: id, Verdict: "wrong", Note: "a\x00"},
	} {
		if g, err := w.set.Feedback(t.Context(), agent, w.in("a"), f); err == nil {
			t.Errorf("%s: %+v", name, g)
		}
	}
	_, err := w.set.Feedback(t.Context(), agent, w.in("a"), lobes.Feedback{ID: id, Verdict: "wrng"})
	if e := wants[*entry.WordError](t, "a near verdict", err); e != nil && e.Near != "wrong" {
		t.Errorf("near %q", e.Near)
	}
	if n := len(w.timeline(w.in("a"), lobes.Window{})); n != 1 {
		t.Errorf("%d changes", n)
	}
	w.options.ReadOnly = true
	w.open()
	_, err = w.set.Feedback(t.Context(), agent, w.in("a"), lobes.Feedback{ID: id, Verdict: "wrong"})
	wants[*lobes.ReadOnlyError](t, "read-only", err)
}

// An experience becomes active by success in three tasks and two sessions, and
// by nothing less.
func TestExperiencesProveThemselves(t *testing.T) {
	say := func(session, task, verdict string) lobes.Feedback {
		return lobes.Feedback{Verdict: verdict, Task: task, Session: session}
	}
	good, bad := lobes.Helpful, lobes.Counterexample
	for name, c := range map[string]struct {
		said []lobes.Feedback
		want string
	}{
		"enough":                         {[]lobes.Feedback{say("x", "1", good), say("x", "2", good), say("y", "3", good)}, "active"},
		"one session":                    {[]lobes.Feedback{say("x", "1", good), say("x", "2", good), say("x", "3", good), say("x", "4", good)}, "candidate"},
		"two tasks":                      {[]lobes.Feedback{say("x", "1", good), say("y", "2", good), say("z", "1", good), say("z", "2", good)}, "candidate"},
		"one task in other letters":      {[]lobes.Feedback{say("x", "Aa", good), say("y", "aa", good), say("z", "AA", good)}, "candidate"},
		"no tasks":                       {[]lobes.Feedback{say("x", "", good), say("y", "", good), say("z", "", good)}, "candidate"},
		"a counterexample before":        {[]lobes.Feedback{say("x", "0", bad), say("x", "1", good), say("x", "2", good), say("y", "3", good)}, "candidate"},
		"a counterexample in between":    {[]lobes.Feedback{say("x", "1", good), say("x", "2", good), say("z", "0", bad), say("y", "3", good)}, "candidate"},
		"a counterexample after":         {[]lobes.Feedback{say("x", "1", good), say("x", "2", good), say("y", "3", good), say("z", "0", bad)}, "candidate"},
		"more success after that":        {[]lobes.Feedback{say("x", "1", good), say("x", "2", good), say("y", "3", good), say("z", "0", bad), say("z", "4", good)}, "candidate"},
		"a person puts it before itself": {[]lobes.Feedback{say("x", "1", good), say("x", "2", good), say("z", "0", lobes.Wrong), say("y", "3", good)}, "review"},
	} {
		w := newWorld(t, nil, "a")
		id := w.entryOf("experience", "candidate", "")
		for _, f := range c.said {
			f.ID = id
			w.feedback(agent, w.in("a"), f)
		}
		if got := w.statusOf(id); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What helped before the text was another one says nothing of the present text.
func TestProofIsOfThePresentText(t *testing.T) {
	w := newWorld(t, nil, "a")
	id := w.entryOf("experience", "candidate", "")
	for i := range 2 {
		w.feedback(agent, w.in("a"), lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: fmt.Sprint(i), Session: fmt.Sprint(i)})
	}
	w.clock.pass(time.Second)
	w.correct(w.in("a"), lobes.Correction{ID: id, Action: "replace", Text: "Uploads go through the second queue, and wait there."})
	if g := w.feedback(agent, w.in("a"), lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "2"}); g.Effect != lobes.EffectCounted || g.Proof.Tasks != 1 {
		t.Errorf("%+v, %+v", g, g.Proof)
	}
	w.clock.pass(time.Second)
	w.correct(w.in("a"), lobes.Correction{ID: id, Action: "confirm"})
	w.feedback(agent, w.in("a"), lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "3"})
	if g := w.feedback(agent, w.in("a"), lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "4", Session: "other"}); g.Effect != lobes.EffectActive || g.Proof.Tasks != 3 || g.Proof.Sessions != 2 {
		t.Errorf("%+v, %+v", g, g.Proof)
	}
}

// An undo takes back the last thing that happened: what was said, and what that changed.
func TestFeedbackIsUndone(t *testing.T) {
	w := newWorld(t, nil, "a")
	in := w.in("a")
	id := w.entryOf("experience", "candidate", "")
	for i := range 3 {
		w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: fmt.Sprint(i), Session: fmt.Sprint(i)})
	}
	w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Counterexample, Note: "It hung."})
	undo := func() lobes.Corrected {
		t.Helper()
		w.clock.pass(time.Second)
		return w.correct(in, lobes.Correction{ID: id, Action: "undo"})
	}
	if undo(); w.statusOf(id) != "active" {
		t.Errorf("the counterexample's undo leaves %s", w.statusOf(id))
	}
	if undo(); w.statusOf(id) != "candidate" {
		t.Errorf("the third success's undo leaves %s", w.statusOf(id))
	}
	if u := undo(); u.Undone[0].Kind != entry.RecordFeedback || u.Title != "Queue" || w.statusOf(id) != "candidate" {
		t.Errorf("the second success's undo is %+v", u)
	}
	// One success is left: two more tasks are needed.
	if g := w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "1", Session: "1"}); g.Proof.Tasks != 2 || g.Proof.Counter != 0 {
		t.Errorf("left %+v", g.Proof)
	}
	// All of a session at once.
	w.clock.pass(time.Second)
	c, err := w.set.Correct(t.Context(), agent, in, lobes.Correction{Action: "undo", Session: "0"})
	if err != nil || len(c.Undone) != 1 || c.Undone[0].ID != id {
		t.Errorf("%+v, %v", c, err)
	}
	if g := w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "9", Session: "1"}); g.Proof.Tasks != 2 || g.Proof.Sessions != 1 {
		t.Errorf("left %+v", g.Proof)
	}
}

// The timeline tells what is no state of an entry, in its place, and pages over it.
func TestTimelineTellsRecords(t *testing.T) {
	w := newWorld(t, nil, "a")
	in := w.in("a")
	id := w.entryOf("", "", "user")
	w.clock.pass(time.Second)
	other := w.stored(in, lobes.Note{Topic: "architecture", Title: "Layers", Text: "The store is below the lobes."})
	w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "t", Session: "s8"})
	w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Wrong, Note: "Not\nany more."})
	w.feedback(agent, in, lobes.Feedback{ID: other.ID, Verdict: lobes.Wrong})
	s, err := store.Open(filepath.Join(w.root("a"), ".git/memory"), store.Options{Now: w.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.pass(time.Second)
	if err := s.Record(t.Context(), store.By{Actor: "a model"}, entry.Record{Kind: "blend", Entries: []string{id, other.ID}, Fields: map[string]string{"zeal": "1"}}); err != nil {
		t.Fatal(err)
	}
	all := w.timeline(in, lobes.Window{})
	var kinds []string
	for _, c := range all {
		kinds = append(kinds, c.Kind)
	}
	if got := strings.Join(kinds, " "); got != "blend revised feedback feedback feedback learned revised learned" && got != "blend feedback revised feedback feedback learned revised learned" {
		t.Errorf("%s", got)
	}
	if c := all[0]; c.ID != id || !slices.Equal(c.Entries, []string{id, other.ID}) || c.Reason != "zeal 1" || c.Title != "Queue" || c.Topic != "gotchas" || c.Actor != "a model" {
		t.Errorf("%+v", c)
	}
	said := all[slices.Index(kinds, "feedback"):]
	if c := said[1]; c.Kind == "feedback" && c.Reason != "wrong: Not any more." && said[2].Reason != "wrong: Not any more." {
		t.Errorf("%+v", said)
	}
	for what, window := range map[string]lobes.Window{
		"5 feedback of it": {ID: id}, "1 helpful, task t": {Session: "s8"}, "3 zeal 1": {Topic: "architecture"}, "1 zeal": {Actor: "a model"},
	} {
		n := 0
		for _, c := range w.timeline(in, window) {
			if c.Op == "record" || !strings.HasPrefix(what, "1") {
				n++
			}
		}
		if want := int(what[0] - '0'); n != want {
			t.Errorf("%s: %d changes", what, n)
		}
	}
	// Page by page it is the same.
	var paged []lobes.Change
	for before := ""; ; {
		a, err := w.set.Timeline(t.Context(), in, lobes.Window{Limit: 1, Before: before})
		if err != nil {
			t.Fatal(err)
		}
		paged = append(paged, a.Changes...)
		if before = a.Next; before == "" {
			break
		}
	}
	if len(paged) != len(all) {
		t.Errorf("%d changes by pages, %d at once", len(paged), len(all))
	}
	for i := range min(len(paged), len(all)) {
		if paged[i].Mark() != all[i].Mark() {
			t.Errorf("change %d is %+v by pages, %+v at once", i, paged[i], all[i])
		}
	}
	chain, err := w.set.Why(t.Context(), in, id)
	if err != nil || len(chain.Records) != 3 || chain.Records[0].Reason != "helpful, task t" {
		t.Errorf("%+v, %v", chain.Records, err)
	}
}

// What an agent says against a person's word is shown until somebody answers.
func TestObjectionsAreShown(t *testing.T) {
	w := newWorld(t, nil, "a")
	in := w.in("a")
	id := w.entryOf("", "", "user")
	w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Outdated, Note: "It is Redis now."})
	if o := w.brief(in).Objections; len(o) != 1 || o[0].ID != id || o[0].Note != "It is Redis now." || o[0].Verdict != lobes.Outdated || o[0].Title != "Queue" {
		t.Fatalf("%+v", o)
	}
	w.clock.pass(time.Second)
	w.correct(in, lobes.Correction{ID: id, Action: "confirm"})
	if o := w.brief(in).Objections; len(o) != 0 {
		t.Errorf("after it was confirmed: %+v", o)
	}
	w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Outdated})
	w.clock.pass(time.Second)
	w.correct(in, lobes.Correction{ID: id, Action: "undo"})
	if o := w.brief(in).Objections; len(o) != 0 {
		t.Errorf("after its undo: %+v", o)
	}
}

// Forgetting reaches what was said, by session and by actor.
func TestForgettingReachesRecords(t *testing.T) {
	for _, erase := range []bool{false, true} {
		w := newWorld(t, nil, "a")
		in := w.in("a")
		id := w.entryOf("experience", "candidate", "")
		w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "1", Session: "s7", Note: "zanzibar"})
		w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "2", Session: "s8"})
		f := lobes.Forgetting{Session: "s7", Erase: erase}
		shown, err := w.set.Forget(t.Context(), person, in, f)
		if err != nil || shown.Records != 1 || shown.Applied || len(shown.Matches) != 0 {
			t.Fatalf("%+v, %v", shown, err)
		}
		f.Apply, f.Token = true, shown.Token
		w.clock.pass(time.Second)
		done, err := w.set.Forget(t.Context(), person, in, f)
		if err != nil || !done.Applied || done.Records != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
		if again, err := w.set.Forget(t.Context(), person, in, lobes.Forgetting{Session: "s7", Erase: erase}); err != nil || again.Records != 0 {
			t.Errorf("erase %v, once more: %+v, %v", erase, again, err)
		}
		if g := w.feedback(agent, in, lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "3", Session: "s9"}); g.Proof.Tasks != 2 {
			t.Errorf("erase %v: %+v", erase, g.Proof)
		}
		left := 0
		for _, name := range w.files(filepath.Join(w.root("a"), ".git/memory/.records")) {
			if b, err := os.ReadFile(name); err != nil || strings.Contains(string(b), "zanzibar") {
				left++
			}
		}
		if left != map[bool]int{false: 1, true: 0}[erase] {
			t.Errorf("erase %v: %d files hold what was forgotten", erase, left)
		}
	}
}

// An export with history carries the records, and an import takes them once.
func TestCopiesCarryRecords(t *testing.T) {
	w := newWorld(t, nil, "a", "b")
	id := w.entryOf("experience", "candidate", "")
	w.feedback(agent, w.in("a"), lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: "1", Note: "As told."})
	all, err := w.set.Copies(t.Context(), w.in("a"), true)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := w.set.Copies(t.Context(), w.in("a"), false); err != nil || len(plain) != 1 {
		t.Errorf("without history: %+v, %v", plain, err)
	}
	for round, want := range []int{1, 0} {
		for _, preview := range []bool{true, false} {
			a, err := w.set.Accept(t.Context(), person, w.in("b"), all, preview)
			if err != nil || a.Records != want {
				t.Errorf("round %d, preview %v: %+v, %v", round, preview, a, err)
			}
		}
	}
	if c := w.timeline(w.in("b"), lobes.Window{ID: id}); len(c) == 0 || c[0].Kind != entry.RecordFeedback || c[0].Reason != "helpful, task 1: As told." {
		t.Errorf("%+v", c)
	}
	var stats lobes.LobeStats
	if s, err := w.set.Stats(t.Context(), w.in("b")); err == nil {
		stats = s[0]
	}
	if stats.RecordFiles != 1 || stats.RecordBytes == 0 {
		t.Errorf("%+v", stats)
	}
}

// Feedback on an entry that is erased goes with it.
func TestErasingTakesFeedbackAlong(t *testing.T) {
	w := newWorld(t, nil, "a")
	id := w.entryOf("", "", "")
	w.feedback(agent, w.in("a"), lobes.Feedback{ID: id, Verdict: lobes.Helpful, Note: "zanzibar"})
	if _, err := w.set.Correct(t.Context(), person, w.in("a"), lobes.Correction{ID: id, Action: "erase"}); err != nil {
		t.Fatal(err)
	}
	if names := w.files(filepath.Join(w.root("a"), ".git/memory/.records")); len(names) != 0 {
		t.Errorf("left %v", names)
	}
	_, err := w.set.Feedback(t.Context(), agent, w.in("a"), lobes.Feedback{ID: id, Verdict: lobes.Wrong})
	if unknown := new(store.UnknownIDError); err == nil || errors.As(err, &unknown) && !unknown.Erased {
		t.Errorf("%v", err)
	}
}
