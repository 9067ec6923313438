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
	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

// A teller is a summarizer that says what it is told to.
type teller struct {
	asked []told
	say   func(kind string, members []lobes.SummaryMember) (lobes.Summarized, error)
}

type told struct {
	kind    string
	members []lobes.SummaryMember
}

func (s *teller) Name() string { return "teller-1" }

func (s *teller) Summarize(_ context.Context, kind string, members []lobes.SummaryMember) (lobes.Summarized, error) {
	s.asked = append(s.asked, told{kind, members})
	if s.say != nil {
		return s.say(kind, members)
	}
	out := lobes.Summarized{Title: "What the members say", Body: "All of them say the same of the queue."}
	for i, m := range members {
		out.Quotes = append(out.Quotes, lobes.MemberQuote{Member: i, Words: strings.Fields(m.Text)[0]})
	}
	return out, nil
}

func withTeller(s *teller) func(*world) { return func(w *world) { w.options.Summarizer = s } }

func (w *world) tidy() lobes.Tidied {
	w.Helper()
	w.clock.pass(time.Minute)
	done, err := w.set.Work(context.Background(), w.in("a"), lobes.Working{Patient: true})
	if err != nil {
		w.Fatal(err)
	}
	return done.Tidied
}

// write stores a note of a session, and gives its id.
func (w *world) write(session string, n lobes.Note) string {
	w.Helper()
	w.clock.pass(time.Second)
	by := agent
	by.Session = session
	n.StoreAnyway = true
	r, err := w.set.Remember(context.Background(), by, w.in("a"), []lobes.Note{n})
	if err != nil || len(r.Stored) != 1 || r.Stored[0].Action != "created" {
		w.Fatalf("%+v, %v", r, err)
	}
	return r.Stored[0].ID
}

var queue = []string{
	"Uploads go through the queue, since direct uploads lose events at a restart.",
	"The queue of uploads is emptied by a worker, which tries direct uploads never.",
	"Events of uploads are kept in the queue until the worker has confirmed each.",
	"A restart of the worker keeps the queue of uploads and all events in it.",
	"Uploads that the queue refuses are told as events, and tried by the worker.",
	"The worker of the queue confirms uploads one by one, and keeps their events.",
	"Direct uploads pass by the queue and its worker, and lose all their events.",
}

// related writes some memories that belong together, each of a session.
func (w *world) related(n lobes.Note, sessions ...string) []string {
	w.Helper()
	var ids []string
	for i, session := range sessions {
		n := n
		n.Title, n.Text, n.Topic = fmt.Sprintf("Queue %d", i), queue[i], "architecture"
		ids = append(ids, w.write(session, n))
	}
	return ids
}

func (w *world) fileOf(id string) string {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.root("a"), ".git/memory/*", id+".md"))
	if err != nil || len(found) != 1 {
		w.Fatal(id, found, err)
	}
	return found[0]
}

func (w *world) entry(id string) entry.Entry {
	w.Helper()
	b, err := os.ReadFile(w.fileOf(id))
	if err != nil {
		w.Fatal(err)
	}
	e, err := entry.Parse(b)
	if err != nil {
		w.Fatal(err)
	}
	return e
}

func TestSummaryIsACandidateOfItsMembers(t *testing.T) {
	s := &teller{}
	w := newWorld(t, withTeller(s), "a")
	ids := w.related(lobes.Note{}, "x", "y", "y")
	done := w.tidy()
	if len(done.Summaries) != 1 || len(s.asked) != 1 || s.asked[0].kind != "summary" || len(s.asked[0].members) != 3 {
		t.Fatalf("%+v after %d questions", done, len(s.asked))
	}
	e := w.entry(done.Summaries[0].ID)
	if e.Kind != "summary" || e.Status != "candidate" || e.Trust.Confidence() > entry.AgentInferred.Confidence() || e.Topic != "architecture" {
		t.Errorf("%+v", e)
	}
	var origins []string
	for _, o := range e.DerivedFrom {
		id, revision, _ := strings.Cut(o, "@")
		if len(revision) != 16 {
			t.Errorf("member %q", o)
		}
		origins = append(origins, id)
		if !strings.Contains(e.Quote, id+": ") {
			t.Errorf("%s is not quoted in %q", id, e.Quote)
		}
	}
	if !slices.Equal(origins, sorted(ids)) {
		t.Errorf("made of %v, want %v", origins, ids)
	}
	chain, err := w.set.Why(t.Context(), w.in("a"), e.ID)
	if err != nil || len(chain.Ancestors) != 3 || chain.Changes[0].Actor != "teller-1" {
		t.Errorf("%+v, %v", chain, err)
	}
	// It is asked once, and what was made is no member of anything.
	w.write("z", lobes.Note{Topic: "architecture", Title: "What the members tell", Text: "All of them tell the same of the queue of uploads."})
	for range 2 {
		if again := w.tidy(); len(again.Summaries) != 0 || len(s.asked) != 1 {
			t.Errorf("again %+v after %d questions", again, len(s.asked))
		}
		w.open()
	}
}

func TestGroupsThatAreNone(t *testing.T) {
	detail, candidate := lobes.Note{Durability: "task_detail"}, "candidate"
	for name, make := range map[string]func(*world){
		"two":            func(w *world) { w.related(lobes.Note{}, "x", "y") },
		"one source":     func(w *world) { w.related(lobes.Note{}, "x", "x", "x", "x") },
		"unknown source": func(w *world) { w.related(lobes.Note{}, "", "", "") },
		"one session said it all": func(w *world) {
			w.related(lobes.Note{Sources: []string{"session:s#4"}}, "x", "y", "z")
		},
		"details of tasks": func(w *world) { w.related(detail, "x", "y", "z") },
		"a checkpoint":     func(w *world) { w.related(lobes.Note{Kind: "checkpoint"}, "x", "y", "z") },
		"candidates": func(w *world) {
			for _, id := range w.related(lobes.Note{}, "x", "y", "z") {
				w.correct(w.in("a"), lobes.Correction{ID: id, Action: "edit", Status: &candidate})
			}
		},
		"strangers": func(w *world) {
			for i, text := range []string{"Uploads go through the queue.", "Spaces, not tabs, in every file.", "The licence is kept in the root."} {
				w.write(fmt.Sprint(i), lobes.Note{Topic: "architecture", Title: text, Text: text})
			}
		},
		"long ones": func(w *world) {
			for i := range 3 {
				w.write(fmt.Sprint(i), lobes.Note{Topic: "architecture", Title: fmt.Sprint("Queue ", i), Text: fmt.Sprint(i, " ") + strings.Repeat(queue[i]+" ", 90)})
			}
		},
	} {
		s := &teller{}
		w := newWorld(t, withTeller(s), "a")
		make(w)
		if done := w.tidy(); len(s.asked) != 0 || len(done.Summaries) != 0 {
			t.Errorf("%s: %+v", name, s.asked)
		}
	}
}

// Whatever is there: a group has 3 to 6 members of 2 sources at least, each whole
// and an active memory, and none is told twice.
func TestGroupLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &teller{}
		w := newWorld(t, withTeller(s), "a")
		n := rapid.IntRange(3, len(queue)).Draw(rt, "memories")
		may := map[string]bool{}
		for i := range n {
			detail := rapid.IntRange(0, 4).Draw(rt, "detail") == 0
			note := lobes.Note{Topic: "architecture", Title: fmt.Sprint("Queue ", i), Text: queue[i]}
			if detail {
				note.Durability = "task_detail"
			}
			w.write(rapid.SampledFrom([]string{"x", "y", "z", ""}).Draw(rt, "session"), note)
			may[note.Title+"\n"+note.Text] = !detail
		}
		for range 2 {
			w.tidy()
		}
		seen := map[string]bool{}
		for _, asked := range s.asked {
			sources := map[string]bool{}
			for _, m := range asked.members {
				if !may[m.Text] || seen[m.Text] {
					rt.Fatalf("%q is a member", m.Text)
				}
				seen[m.Text], sources[m.Source] = true, true
			}
			if n := len(asked.members); n < 3 || n > 6 || len(sources) < 2 {
				rt.Fatalf("%d members of %d sources", n, len(sources))
			}
		}
		w.shut()
	})
}

// A model that declines, or that cannot do it, is not asked again about the same
// states, not by another process either.
func TestGroupsThatComeToNothing(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		asked int
		kind  string
	}{
		"declined":  {&lobes.DeclinedError{}, 1, entry.RecordDeclined},
		"unfounded": {&lobes.UnfoundedError{What: "an invented quote"}, 3, entry.RecordFailed},
	} {
		s := &teller{say: func(string, []lobes.SummaryMember) (lobes.Summarized, error) { return lobes.Summarized{}, c.err }}
		w := newWorld(t, withTeller(s), "a")
		ids := w.related(lobes.Note{}, "x", "y", "z")
		for range 6 {
			w.tidy()
			w.open()
		}
		if len(s.asked) != c.asked {
			t.Errorf("%s: asked %d times, want %d", name, len(s.asked), c.asked)
		}
		found := w.timeline(w.in("a"), lobes.Window{ID: ids[0]})
		if found[0].Kind != c.kind || !slices.Equal(found[0].Entries, sorted(ids)) || found[0].Actor != "teller-1" {
			t.Errorf("%s: %+v", name, found[0])
		}
		// Another text is another question.
		s.say = nil
		w.correct(w.in("a"), lobes.Correction{ID: ids[0], Action: "append", Text: "The queue keeps uploads for a day."})
		if done := w.tidy(); len(done.Summaries) != 1 {
			t.Errorf("%s: after a change %+v", name, done)
		}
	}
}

// A model that cannot be asked costs nothing: the group is asked about later.
func TestATellerThatIsNotThere(t *testing.T) {
	for name, err := range map[string]error{"unasked": &lobes.UnaskedError{Cause: errors.New("spent")}, "broken": errors.New("connection refused")} {
		s := &teller{say: func(string, []lobes.SummaryMember) (lobes.Summarized, error) { return lobes.Summarized{}, err }}
		w := newWorld(t, withTeller(s), "a")
		w.related(lobes.Note{}, "x", "y", "z")
		for range 5 {
			if done := w.tidy(); done.Stopped == "" || len(done.Summaries) > 0 || done.Failed > 0 {
				t.Fatalf("%s: %+v", name, done)
			}
		}
		s.say = nil
		if done := w.tidy(); len(done.Summaries) != 1 || done.Stopped != "" {
			t.Errorf("%s: then %+v", name, done)
		}
	}
}

// A member's change puts a summary before a person, who settles it by looking; a
// member that goes for good takes it along.
func TestSummariesFollowTheirMembers(t *testing.T) {
	for name, change := range map[string]lobes.Correction{
		"replaced": {Action: "replace", Text: "Uploads go to the bucket."}, "taken back": {Action: "delete"}, "archived": {Action: "archive"},
		"superseded": {Action: "supersede", Text: "Uploads go to the bucket now."},
	} {
		w := newWorld(t, withTeller(&teller{}), "a")
		ids := w.related(lobes.Note{}, "x", "y", "z")
		id := w.tidy().Summaries[0].ID
		w.clock.pass(time.Second)
		w.correct(w.in("a"), lobes.Correction{ID: ids[1], Action: "confirm"})
		if done := w.tidy(); len(done.Review) != 0 {
			t.Errorf("a confirmed member: %+v", done)
		}
		w.clock.pass(time.Second)
		change.ID = ids[1]
		w.correct(w.in("a"), change)
		if done := w.tidy(); !slices.Equal(done.Review, []string{id}) || w.statusOf(id) != "review" {
			t.Errorf("%s: %+v, %s", name, done, w.statusOf(id))
		}
		active := "active"
		w.clock.pass(time.Second)
		if _, err := w.set.Correct(t.Context(), person, w.in("a"), lobes.Correction{ID: id, Action: "edit", Status: &active}); err != nil {
			t.Fatal(err)
		}
		if done := w.tidy(); len(done.Review) != 0 {
			t.Errorf("%s: after a person looked: %+v", name, done)
		}
		c, err := w.set.Correct(t.Context(), person, w.in("a"), lobes.Correction{ID: ids[0], Action: "erase"})
		if err != nil || !slices.Contains(c.Erased, id) {
			t.Errorf("%s: erased %+v, %v", name, c.Erased, err)
		}
	}
}

// Without a model what was made by one is still set aside.
func TestSummariesAreSetAsideWithoutAModel(t *testing.T) {
	w := newWorld(t, withTeller(&teller{}), "a")
	ids := w.related(lobes.Note{}, "x", "y", "z")
	id := w.tidy().Summaries[0].ID
	w.options.Summarizer = nil
	w.open()
	w.correct(w.in("a"), lobes.Correction{ID: ids[0], Action: "delete"})
	if w.tidy(); w.statusOf(id) != "review" {
		t.Errorf("it is %s", w.statusOf(id))
	}
}

// Episodes become an experience that nobody sees before it has a text, and has
// to prove itself then; a member's change has it told anew.
func TestExperiencesAreToldOfEpisodes(t *testing.T) {
	s := &teller{say: func(string, []lobes.SummaryMember) (lobes.Summarized, error) {
		return lobes.Summarized{}, &lobes.UnaskedError{Cause: errors.New("not ready")}
	}}
	w := newWorld(t, withTeller(s), "a")
	ids := w.episodes(func(int, *lobes.Note) {})
	done := w.tidy()
	if len(done.Waiting) != 1 || w.statusOf(done.Waiting[0]) != "pending" {
		t.Fatalf("%+v", done)
	}
	id := done.Waiting[0]
	for _, q := range []lobes.Query{{Filter: "waits"}, {Status: "*", Filter: "Experience"}, {Text: "experience episodes"}} {
		for _, r := range w.recall(w.in("a"), q).Results {
			if r.Entry.ID == id {
				t.Errorf("%+v shows it", q)
			}
		}
	}
	s.say = nil
	if done = w.tidy(); len(done.Experiences) != 1 || done.Experiences[0].ID != id || w.statusOf(id) != "candidate" {
		t.Fatalf("%+v, %s", done, w.statusOf(id))
	}
	if e := w.entry(id); e.Body != "All of them say the same of the queue." || !slices.Equal(e.Conditions, []string{"os: linux"}) || len(e.DerivedFrom) != 3 || e.Kind != "experience" {
		t.Errorf("%+v", e)
	}
	asked := len(s.asked)
	if w.tidy(); len(s.asked) != asked {
		t.Error("it is told twice")
	}
	for i := range 3 {
		w.feedback(agent, w.in("a"), lobes.Feedback{ID: id, Verdict: lobes.Helpful, Task: fmt.Sprint(i), Session: fmt.Sprint(i)})
	}
	if w.statusOf(id) != "active" {
		t.Errorf("after success it is %s", w.statusOf(id))
	}
	w.clock.pass(time.Second)
	w.correct(w.in("a"), lobes.Correction{ID: ids[0], Action: "append", Text: "The queue was slow that day."})
	s.say = func(string, []lobes.SummaryMember) (lobes.Summarized, error) {
		return lobes.Summarized{Title: "Told anew", Body: "The queue may be slow."}, nil
	}
	if done = w.tidy(); len(done.Experiences) != 1 || w.statusOf(id) != "candidate" || w.entry(id).Body != "The queue may be slow." {
		t.Errorf("after a member's change: %+v, %s", done, w.statusOf(id))
	}
	// With too few members left it is a person's.
	w.clock.pass(time.Second)
	w.correct(w.in("a"), lobes.Correction{ID: ids[0], Action: "delete"})
	if w.tidy(); w.statusOf(id) != "review" {
		t.Errorf("without a member it is %s", w.statusOf(id))
	}
}

// episodes writes three of one procedure, each of a session.
func (w *world) episodes(change func(i int, n *lobes.Note)) []string {
	w.Helper()
	var ids []string
	for i := range 3 {
		n := lobes.Note{Topic: "architecture", Kind: "episode", Title: "Queue" + strings.Repeat("e", i), Conditions: []string{"os: linux"},
			Text: "The uploads were moved to the queue; the worker was restarted" + strings.Repeat(" again", i) + "."}
		change(i, &n)
		ids = append(ids, w.write(fmt.Sprint("s", i), n))
	}
	return ids
}

// By rule only episodes of the same conditions, versions, negations and numbers
// make an experience.
func TestEpisodesThatAreNoExperience(t *testing.T) {
	for name, spoil := range map[string]func(*lobes.Note){
		"conditions": func(n *lobes.Note) { n.Conditions = []string{"os: darwin"} },
		"numbers":    func(n *lobes.Note) { n.Text += " It took 40 minutes." },
		"negations":  func(n *lobes.Note) { n.Text += " It did not work." },
		"":           func(*lobes.Note) {},
	} {
		w := newWorld(t, withTeller(&teller{}), "a")
		w.episodes(func(i int, n *lobes.Note) {
			if i == 1 {
				spoil(n)
			}
		})
		if done := w.tidy(); (len(done.Experiences) == 1) != (name == "") {
			t.Errorf("other %s: %+v", name, done)
		}
	}
}

// A file whose time has not come yet does not hide what changes until then from
// the processes that come after.
func TestAFileOfTheFutureHidesNoGroup(t *testing.T) {
	s := &teller{}
	w := newWorld(t, withTeller(s), "a")
	ahead := w.write("x", lobes.Note{Topic: "gotchas", Title: "Port", Text: "It listens on 8080 and on nothing else."})
	at := time.Now().AddDate(1, 0, 0)
	if err := os.Chtimes(w.fileOf(ahead), at, at); err != nil {
		t.Fatal(err)
	}
	w.tidy()
	w.open()
	w.related(lobes.Note{}, "x", "y", "z")
	if done := w.tidy(); len(done.Summaries) != 1 {
		t.Errorf("%+v after %d questions", done, len(s.asked))
	}
}
