package lobes_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// A ruler is a judge that says what it is told to.
type ruler struct {
	relation  lobes.Relation
	procedure bool
	err       error
	asked     []string
}

func (j *ruler) Name() string { return "ruler" }

func (j *ruler) ask(what string, a, b lobes.JudgedSide) error {
	pair := sorted([]string{a.ID, b.ID})
	j.asked = append(j.asked, what+" "+strings.Join(pair, " "))
	return j.err
}

func (j *ruler) SameProcedure(_ context.Context, a, b lobes.JudgedSide) (bool, error) {
	return j.procedure, j.ask("procedure", a, b)
}

func (j *ruler) Relation(_ context.Context, a, b lobes.JudgedSide) (lobes.Relation, error) {
	return j.relation, j.ask("relation", a, b)
}

func (j *ruler) SameProject(_ context.Context, a, b lobes.JudgedSide) (bool, error) {
	return false, j.ask("project", a, b)
}

func withRuler(j *ruler) func(*world) { return func(w *world) { w.options.Judge = j } }

// rivals are two memories of which one may be wrong, the older one first.
func (w *world) rivals(trust string) (older, newer string) {
	w.Helper()
	older = w.write("x", lobes.Note{Topic: "architecture", Title: "Port of the gateway", Text: "The gateway listens on port 8080 and validates tokens.", Trust: trust})
	w.clock.pass(48 * time.Hour)
	newer = w.write("y", lobes.Note{Topic: "architecture", Title: "The gateway's port", Text: "The gateway listens on port 8443 and validates tokens."})
	return older, newer
}

func TestJudgeSetsAside(t *testing.T) {
	for name, c := range map[string]struct {
		judge        ruler
		trust        string
		older, newer string
	}{
		"nothing":                         {ruler{}, "", "active", "active"},
		"conflict":                        {ruler{relation: lobes.RelationConflict}, "", "review", "review"},
		"newer":                           {ruler{relation: lobes.RelationNewer}, "", "superseded", "active"},
		"conflict with a person's word":   {ruler{relation: lobes.RelationConflict}, "user", "active", "review"},
		"newer than a person's word":      {ruler{relation: lobes.RelationNewer}, "user", "active", "active"},
		"failure":                         {ruler{relation: lobes.RelationConflict, err: errors.New("429")}, "", "active", "active"},
		"a relation that does not exist ": {ruler{relation: "promote"}, "", "active", "active"},
	} {
		j := c.judge
		w := newWorld(t, withRuler(&j), "a")
		older, newer := w.rivals(c.trust)
		done := w.tidy()
		if a, b := w.statusOf(older), w.statusOf(newer); a != c.older || b != c.newer {
			t.Errorf("%s: the older is %s, the newer %s; want %s, %s", name, a, b, c.older, c.newer)
		}
		if len(j.asked) != 1 {
			t.Errorf("%s: asked %v", name, j.asked)
		}
		if c.older == "superseded" {
			h := w.timeline(w.in("a"), lobes.Window{ID: older})
			if !slices.Equal(done.Superseded, []string{older}) || h[0].Actor != "judge ruler" || h[0].Reason != "a newer value is in "+newer {
				t.Errorf("%s: %+v, %+v", name, done, h[0])
			}
			w.clock.pass(time.Second)
			if w.correct(w.in("a"), lobes.Correction{ID: older, Action: "undo"}); w.statusOf(older) != "active" {
				t.Errorf("%s: its undo leaves %s", name, w.statusOf(older))
			}
		}
	}
}

// Nothing is asked twice, by another process neither; another text is another question.
func TestJudgeIsAskedOnce(t *testing.T) {
	j := &ruler{}
	w := newWorld(t, withRuler(j), "a")
	older, _ := w.rivals("")
	for range 3 {
		w.tidy()
		w.open()
	}
	if len(j.asked) != 1 {
		t.Fatalf("asked %v", j.asked)
	}
	w.correct(w.in("a"), lobes.Correction{ID: older, Action: "append", Text: "It is set in the file gateway.toml."})
	if w.tidy(); len(j.asked) != 2 {
		t.Errorf("asked %v", j.asked)
	}
	// What failed is asked again.
	j.err = errors.New("down")
	w.correct(w.in("a"), lobes.Correction{ID: older, Action: "append", Text: "Since May."})
	for range 2 {
		w.tidy()
	}
	if len(j.asked) != 4 {
		t.Errorf("asked %v", j.asked)
	}
}

// Another process looks only at what has changed since all was looked through.
func TestWhatWasLookedThroughStaysSo(t *testing.T) {
	j := &ruler{}
	w := newWorld(t, withRuler(j), "a")
	w.rivals("")
	// What was written last is looked at again: the clock of files has ticks.
	last := w.fileOf(w.write("z", lobes.Note{Topic: "conventions", Title: "Last", Text: "Spaces, not tabs."}))
	if err := os.Chtimes(last, time.Time{}, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	w.tidy()
	state := filepath.Join(w.root("a"), ".git/memory/.state")
	for _, c := range []struct {
		lost  []string
		asked int
	}{{[]string{"tidy"}, 1}, {[]string{"tidy", "sown"}, 2}} {
		for _, name := range c.lost {
			if err := os.Remove(filepath.Join(state, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		w.open()
		if w.tidy(); len(j.asked) != c.asked {
			t.Errorf("without %v: asked %d times, want %d", c.lost, len(j.asked), c.asked)
		}
	}
}

// Only pairs that are alike, of one topic and both active are asked about.
func TestJudgeIsAskedAboutFew(t *testing.T) {
	j := &ruler{}
	w := newWorld(t, withRuler(j), "a")
	w.write("x", lobes.Note{Topic: "architecture", Title: "Port", Text: "The gateway listens on port 8080 and validates tokens."})
	w.write("x", lobes.Note{Topic: "conventions", Title: "Port", Text: "The gateway listens on port 8443 and validates tokens."})
	w.write("x", lobes.Note{Topic: "architecture", Title: "Files", Text: "Every upload is stored twice, in two buckets."})
	w.write("x", lobes.Note{Topic: "architecture", Kind: "episode", Title: "Port again", Text: "The gateway listened on port 8443 and validated tokens."})
	if w.tidy(); len(j.asked) != 0 {
		t.Errorf("asked %v", j.asked)
	}
}

// A judge may join episodes that the rule keeps apart, but never those of other
// conditions; when it fails the rule holds.
func TestJudgeJoinsEpisodes(t *testing.T) {
	for name, c := range map[string]struct {
		judge ruler
		spoil func(i int, n *lobes.Note)
		want  int
	}{
		"yes": {ruler{procedure: true}, func(i int, n *lobes.Note) { n.Text += strings.Repeat(" It took 4 minutes.", i) }, 1},
		"no":  {ruler{}, func(i int, n *lobes.Note) { n.Text += strings.Repeat(" It took 4 minutes.", i) }, 0},
		"other conditions": {ruler{procedure: true}, func(i int, n *lobes.Note) {
			if i == 0 {
				n.Conditions = nil
			}
		}, 0},
		"failure, and the rule says yes": {ruler{err: errors.New("down")}, func(int, *lobes.Note) {}, 1},
		"failure, and the rule says no":  {ruler{procedure: true, err: errors.New("down")}, func(i int, n *lobes.Note) { n.Text += strings.Repeat(" It took 4 minutes.", i) }, 0},
	} {
		j := c.judge
		w := newWorld(t, func(w *world) { w.options.Judge, w.options.Summarizer = &j, &teller{} }, "a")
		w.episodes(c.spoil)
		if done := w.tidy(); len(done.Experiences) != c.want {
			t.Errorf("%s: %+v after %v", name, done, j.asked)
		}
	}
}
