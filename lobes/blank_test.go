package lobes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store"
)

// hash is the revision that a change left.
func hash(c lobes.Change) string { return c.Key[strings.LastIndex(c.Key, "-")+1:] }

func (w *world) why(t lobes.Target, id string) lobes.Chain {
	w.Helper()
	c, err := w.set.Why(context.Background(), t, id)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// harbour writes an entry at 1 January, corrects it at 1 February, confirms that
// at 15 February and corrects it again at 1 March; on the way somebody quotes
// what it said in February and makes a summary of it.
func harbour(t *testing.T) (w *world, id string, revisions []string) {
	t.Helper()
	w = newWorld(t, nil, "app", "lib")
	app := lobes.Target{Lobe: "app"}
	id = w.at("2026-01-01").stored(app, lobes.Note{Topic: "architecture", Title: "Harbour", Text: "Ships wait at the old quay until a pilot comes."}).ID
	w.at("2026-02-01").correct(app, lobes.Correction{ID: id, Action: "replace", Text: "Ships hide at the zanzibar quay behind the customs house."})
	w.at("2026-02-10").stored(app, lobes.Note{Topic: "gotchas", Title: "Customs", Text: "Customs close at noon.", Quote: "Ships hide at the zanzibar quay"})
	write(t, filepath.Join(w.specs[0].Dir, "general", "sum-1.md"), "---\nid: sum-1\ntopic: general\nderived_from: ["+id+"]\n---\n# A summary\n\nIt says zanzibar too.\n")
	w.open() // what was written by hand is written down at an orderly exit
	w.at("2026-02-15").correct(app, lobes.Correction{ID: id, Action: "confirm"})
	w.at("2026-03-01").correct(app, lobes.Correction{ID: id, Action: "replace", Text: "Ships anchor in the roads, and a pilot boards them there."})
	for _, c := range w.why(app, id).Changes {
		revisions = append(revisions, hash(c))
	}
	if len(revisions) != 4 {
		t.Fatalf("%d changes", len(revisions))
	}
	return w.at("2026-04-01"), id, revisions
}

func TestOneStateIsErased(t *testing.T) {
	w, id, revisions := harbour(t)
	app := lobes.Target{Lobe: "app"}
	preview := w.correct(app, lobes.Correction{ID: id, Action: "erase", Revision: revisions[1][:6], Preview: true})
	done := w.correct(app, lobes.Correction{ID: id, Action: "erase", Revision: revisions[1][:6]})
	for name, c := range map[string]lobes.Corrected{"preview": preview, "done": done} {
		same(t, name+": revisions", sorted(c.Blanked), sorted(revisions[1:3]))
		same(t, name+": what was made of it", c.Erased, []string{"sum-1"})
		same(t, name+": preview", c.Preview, name == "preview")
	}
	for _, dir := range []string{w.specs[0].Dir, w.home} {
		if found := w.holding(dir, "zanzibar"); len(found) > 0 {
			t.Errorf("still there: %q", found)
		}
	}
	for _, reopened := range []bool{false, true} {
		if reopened {
			w.open()
		}
		erasedInFebruary(t, w, id)
	}
	again := w.correct(app, lobes.Correction{ID: id, Action: "erase", Revision: revisions[1]})
	if len(again.Warnings) != 1 || !strings.Contains(again.Warnings[0], "before") {
		t.Errorf("again: %+v", again)
	}
	note := lobes.Note{Title: "Anew", Text: "Ships hide at the ZANZIBAR quay behind the customs house."}
	_, err := w.set.Remember(context.Background(), agent, app, []lobes.Note{note})
	wants[*lobes.RefusedError](t, "an agent stores it anew", err)
}

// erasedInFebruary asks about an entry of which February is not known any more.
func erasedInFebruary(t *testing.T, w *world, id string) {
	t.Helper()
	ctx, app := context.Background(), lobes.Target{Lobe: "app"}
	for date, want := range map[string]string{"2026-01-15": "old quay", "2026-02-05": "", "2026-02-20": "", "2026-03-15": "anchor"} {
		a, err := w.set.Recall(ctx, app, lobes.Query{Filter: "ships", Limit: 10, AsOf: on(t, date)})
		if err != nil || (want == "") != (len(a.Results) == 0) || want != "" && !strings.Contains(a.Results[0].Entry.Body, want) {
			t.Errorf("as of %s: %q, %v", date, bodies(a), err)
		}
		if erased := map[bool]int{true: 1}[want == ""]; a.Erased < erased || erased == 0 && a.Erased > 0 {
			t.Errorf("as of %s: %d entries were erased", date, a.Erased)
		}
		_, err = w.set.Recall(ctx, app, lobes.Query{IDs: []string{id}, Limit: 1, AsOf: on(t, date)})
		if want == "" {
			if e := wants[*lobes.UnknownIDError](t, "by id as of "+date, err); !e.Erased {
				t.Errorf("as of %s it is not said that it was erased: %v", date, err)
			}
		} else if err != nil {
			t.Errorf("by id as of %s: %v", date, err)
		}
	}
	c := w.why(app, id)
	var kinds []string
	for i, change := range c.Changes {
		kinds = append(kinds, change.Kind)
		if (change.Erased != nil) != (change.Kind == lobes.Erased) || i > 0 && (len(change.Parent) != 1 || change.Parent[0] != c.Changes[i-1].Key) {
			t.Errorf("%d: %+v", i, change)
		}
		if change.Kind == lobes.Erased && (len(change.Words) > 0 || change.Actor != agent.Actor || change.Eraser != agent.Actor || change.Reason+change.Quote != "") {
			t.Errorf("%+v", change)
		}
	}
	same(t, "why", kinds, []string{lobes.Learned, lobes.Erased, lobes.Erased, lobes.Revised})
	timeline, err := w.set.Timeline(ctx, app, lobes.Window{ID: id})
	if err != nil || len(timeline.Changes) != 4 {
		t.Errorf("timeline %+v, %v", timeline, err)
	}
	for _, tt := range []struct{ from, to, list, kind string }{
		{"2026-01-15", "2026-03-15", "revised", lobes.Revised},
		{"2026-01-15", "2026-02-20", "revised", lobes.Erased},
		{"2026-02-05", "2026-03-15", "revised", lobes.Revised},
		{"2026-02-05", "2026-02-20", "revised", lobes.Erased},
		{"2025-12-15", "2026-02-20", "learned", lobes.Erased},
		{"2025-12-15", "2026-03-15", "learned", lobes.Learned},
	} {
		d, err := w.set.Diff(ctx, app, lobes.Window{ID: id, Since: on(t, tt.from), Until: on(t, tt.to)})
		if err != nil {
			t.Fatal(err)
		}
		lists := map[string][]lobes.Change{"learned": d.Learned, "revised": d.Revised, "retracted": d.Retracted, "promoted": d.Promoted, "adopted": d.Adopted}
		for name, list := range lists {
			if want := name == tt.list; want != (len(list) == 1) || want && (list[0].Kind != tt.kind || list[0].Title != "Harbour") {
				t.Errorf("from %s to %s, %s: %+v", tt.from, tt.to, name, list)
			}
		}
	}
	if quoting := w.recall(app, lobes.Query{Filter: "customs"}); len(quoting.Results) != 1 || quoting.Results[0].Entry.Quote != "" {
		t.Errorf("the quote stays: %+v", quoting.Results)
	}
}

// TestWhatAnErasedStateCannotGiveBack: nothing goes back to a state of which
// nothing is known.
func TestWhatAnErasedStateCannotGiveBack(t *testing.T) {
	w, id, revisions := harbour(t)
	ctx, app := context.Background(), lobes.Target{Lobe: "app"}
	refused := func(what string, c lobes.Correction, as any) {
		t.Helper()
		c.ID = id
		if _, err := w.set.Correct(ctx, person, app, c); !errors.As(err, as) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("the present", lobes.Correction{Action: "erase", Revision: revisions[3]}, new(*store.CurrentError))
	refused("the present, shown", lobes.Correction{Action: "erase", Revision: revisions[3], Preview: true}, new(*store.CurrentError))
	refused("none such", lobes.Correction{Action: "erase", Revision: "0123456789abcdef"}, new(*store.UnknownRevisionError))
	refused("too short", lobes.Correction{Action: "erase", Revision: revisions[1][:3]}, new(*store.UnknownRevisionError))
	same(t, "nothing is gone", len(w.holding(w.specs[0].Dir, "zanzibar")) > 2, true)

	w.correct(app, lobes.Correction{ID: id, Action: "erase", Revision: revisions[1]})
	refused("undo", lobes.Correction{Action: "undo"}, new(*store.BlankError))
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: id, Action: "replace", Text: "Ships sail by."})
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: id, Action: "undo"})
	contains(t, "undone to what is known", w.get(app, id).Entry.Body, "anchor")
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: id, Action: "replace", Text: "Ships sink."})
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: id, Action: "delete"})
	chain := w.why(app, id)
	last := chain.Changes[len(chain.Changes)-2]
	refused("a deletion", lobes.Correction{Action: "erase", Revision: hash(chain.Changes[len(chain.Changes)-1])}, new(*lobes.ValueError))
	w.correct(app, lobes.Correction{ID: id, Action: "erase", Revision: hash(last)})
	refused("restore", lobes.Correction{Action: "restore"}, new(*store.BlankError))
	refused("undo of the deletion", lobes.Correction{Action: "undo"}, new(*store.BlankError))
	if _, err := w.set.Restore(ctx, person, app, id); !errors.As(err, new(*store.BlankError)) {
		t.Errorf("restore by id: %v", err)
	}
}

// TestAnErasedStateGoesInEveryLobe: an entry was moved after the state that goes.
func TestAnErasedStateGoesInEveryLobe(t *testing.T) {
	w, id, revisions := harbour(t)
	w.correct(lobes.Target{Lobe: "app"}, lobes.Correction{ID: id, Action: "move", ToLobe: "lib"})
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{Lobe: "lib"}, lobes.Correction{ID: id, Action: "erase", Revision: revisions[1]})
	for _, dir := range []string{w.specs[0].Dir, w.specs[1].Dir, w.home} {
		if found := w.holding(dir, "zanzibar"); len(found) > 0 {
			t.Errorf("still there: %q", found)
		}
	}
	c := w.why(lobes.Target{Lobe: "lib"}, id)
	if n := slices.IndexFunc(c.Changes, func(c lobes.Change) bool { return c.Kind == lobes.Erased }); n != 1 || len(c.Changes) != 5 {
		t.Errorf("%+v", c.Changes)
	}
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{Lobe: "lib"}, lobes.Correction{ID: id, Action: "undo"})
	same(t, "moved back", w.get(lobes.Target{Lobe: "app"}, id).Lobe, "app")
	if problems := w.set.Diagnose(context.Background()).Problems; len(problems) > 0 {
		t.Errorf("%+v", problems)
	}
}

// TestWordsThatStayAreTold: what another state repeats is not gone with one.
func TestWordsThatStayAreTold(t *testing.T) {
	w := newWorld(t, nil, "app")
	app := lobes.Target{}
	s := w.stored(app, lobes.Note{Topic: "architecture", Title: "Gate", Text: "The gate opens at the word zanzibar."})
	first := s.Revision
	w.clock.pass(time.Hour)
	second := w.correct(app, lobes.Correction{ID: s.ID, Action: "append", Text: "It closes by itself."}).Revision
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: s.ID, Action: "edit", Tags: &[]string{"gate"}})
	c := w.correct(app, lobes.Correction{ID: s.ID, Action: "erase", Revision: first})
	said := strings.Join(c.Left, "\n")
	if !strings.Contains(said, "what is believed now says the same words") || !strings.Contains(said, "revision "+second) {
		t.Errorf("left: %q", c.Left)
	}
	c = w.correct(app, lobes.Correction{ID: s.ID, Action: "erase", Revision: second})
	same(t, "only the fields of the present text's twin go", c.Blanked, []string{second})
	if b, err := os.ReadFile(s.Path); err != nil || !strings.Contains(string(b), "zanzibar") {
		t.Errorf("the present is gone: %s %v", b, err)
	}
}

// TestAnUndoOverADamagedStateSaysSo: it cannot go back to what nobody can read.
func TestAnUndoOverADamagedStateSaysSo(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	for _, port := range []string{"8081", "8082"} {
		w.clock.pass(time.Hour)
		w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on " + port + "."})
	}
	same(t, "all can be read", w.why(lobes.Target{}, s.ID).Unread, 0)
	same(t, "an undo of it", len(w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo", Preview: true}).Warnings), 0)
	files, err := filepath.Glob(filepath.Join(w.specs[0].Dir, ".history", "*", "*.md"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, one := range []struct {
		what string
		harm func() error
	}{
		{"cut", func() error { return os.Truncate(files[1], 40) }},
		{"gone", func() error { return os.Remove(files[1]) }},
	} {
		what := one.what
		if err := one.harm(); err != nil {
			t.Fatal(err)
		}
		w.open()
		same(t, what+": why", w.why(lobes.Target{}, s.ID).Unread, 1)
		c := w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo", Preview: true})
		if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "cannot be read") {
			t.Errorf("%s: undo warns %q", what, c.Warnings)
		}
	}
	if problems := w.set.Diagnose(context.Background()).Problems; len(problems) != 1 || problems[0].File != files[1] {
		t.Errorf("%+v", problems)
	}
}

// TestAnUndoNeverDeletesForWantOfAFile: when the only state before the last
// change cannot be read, the entry was there all the same; it is not taken away.
func TestAnUndoNeverDeletesForWantOfAFile(t *testing.T) {
	for what, harm := range map[string]func(string) error{
		"cut": func(file string) error { return os.Truncate(file, 40) }, "gone": os.Remove,
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, nil, "app")
			s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
			files, err := filepath.Glob(filepath.Join(w.specs[0].Dir, ".history", "*", "*.md"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			w.clock.pass(time.Hour)
			ctx, later := context.Background(), lobes.By{Actor: "host 1", Session: "later"}
			if _, err := w.set.Correct(ctx, later, lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 8081."}); err != nil {
				t.Fatal(err)
			}
			if err := harm(files[0]); err != nil {
				t.Fatal(err)
			}
			w.open()
			var lost *lobes.LostStateError
			if _, err := w.set.Correct(ctx, later, lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo"}); !errors.As(err, &lost) {
				t.Errorf("undo: %v", err)
			}
			c := w.correct(lobes.Target{}, lobes.Correction{Session: "later", Action: "undo"})
			if len(c.Undone) != 0 || len(c.Skipped) != 1 || !strings.Contains(c.Skipped[0].Why, "cannot be read") {
				t.Errorf("undo of the session: %+v", c)
			}
			same(t, "it is believed", w.why(lobes.Target{}, s.ID).State, lobes.StateBelieved)
		})
	}
}
