package lobes_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store"
)

func TestUndo(t *testing.T) {
	w := newWorld(t, nil, "app")
	step := func() { w.clock.pass(time.Minute) }
	undo := func(id string) (lobes.Corrected, error) {
		step()
		return w.set.Correct(context.Background(), person, lobes.Target{}, lobes.Correction{ID: id, Action: "undo", Reason: "wrong"})
	}
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	step()
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 8081."})
	step()
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "delete"})
	for _, want := range []string{"It listens on 8081.", "It listens on 8080."} {
		c, err := undo(s.ID)
		if err != nil || len(c.Undone) != 1 || c.Action != "undone" {
			t.Fatalf("%+v, %v", c, err)
		}
		same(t, "undone", w.get(lobes.Target{}, s.ID).Entry.Body, want)
	}
	if c, err := undo(s.ID); err != nil || !c.Undone[0].Gone {
		t.Fatalf("the first change: %+v, %v", c, err)
	}
	same(t, "entries", w.recall(lobes.Target{}, lobes.Query{}).Total, 0)
	chain, err := w.set.Why(context.Background(), lobes.Target{}, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, c := range chain.Changes[3:] {
		reasons = append(reasons, c.Reason)
	}
	at := func(n int) string { return chain.Changes[n].Recorded.Format(time.RFC3339) }
	same(t, "reasons", reasons, []string{"back to what it was at " + at(1) + ": wrong", "back to what it was at " + at(0) + ": wrong", "back to before it was there: wrong"})
	_, err = undo(s.ID)
	wants[*lobes.NothingToUndoError](t, "nothing left", err)
	_, err = undo("arch-12345678")
	wants[*lobes.UnknownIDError](t, "never there", err)
	// What is done after an undo can be undone again.
	if _, err := w.set.Correct(context.Background(), person, lobes.Target{}, lobes.Correction{ID: s.ID, Action: "restore"}); err != nil {
		t.Fatal(err)
	}
	step()
	same(t, "restored", w.get(lobes.Target{}, s.ID).Entry.Body, "It listens on 8080.")
	if c, err := undo(s.ID); err != nil || !c.Undone[0].Gone {
		t.Errorf("the restore: %+v, %v", c, err)
	}
}

func TestUndoOfASupersedeUndoesBoth(t *testing.T) {
	for _, second := range []bool{false, true} {
		w, heroku, fly := deploys(t)
		id := heroku
		if second {
			id = fly
		}
		c := w.correct(lobes.Target{}, lobes.Correction{ID: id, Action: "undo"})
		if len(c.Undone) != 2 || len(c.Skipped) != 0 {
			t.Errorf("%+v", c)
		}
		same(t, "back", bodies(w.recall(lobes.Target{}, lobes.Query{})), []string{"The project deploys via Heroku."})
		same(t, "as of the 16th", bodies(w.recall(lobes.Target{}, lobes.Query{AsOf: on(t, "2026-06-16")})), []string{"The project deploys via Fly.io."})
	}
}

func TestUndoOfASession(t *testing.T) {
	w := newWorld(t, nil, "app")
	mine, theirs := lobes.By{Actor: "a", Session: "mine"}, lobes.By{Actor: "b", Session: "theirs"}
	act := func(by lobes.By, c lobes.Correction) lobes.Corrected {
		t.Helper()
		w.clock.pass(time.Minute)
		got, err := w.set.Correct(context.Background(), by, lobes.Target{}, c)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	note := func(by lobes.By, text string) string {
		t.Helper()
		w.clock.pass(time.Minute)
		r, err := w.set.Remember(context.Background(), by, lobes.Target{}, []lobes.Note{{Topic: "architecture", Title: text, Text: text + " needs a text of its own.", StoreAnyway: true}})
		if err != nil || len(r.Stored) != 1 {
			t.Fatal(r, err)
		}
		return r.Stored[0].ID
	}
	fresh := note(mine, "Vellum")
	old := note(theirs, "Quartz")
	shared := note(mine, "Bramble")
	act(mine, lobes.Correction{ID: old, Action: "replace", Text: "Mine now."})
	act(mine, lobes.Correction{ID: old, Action: "append", Text: "And more."})
	act(theirs, lobes.Correction{ID: shared, Action: "append", Text: "Theirs."})
	c := act(person, lobes.Correction{Action: "undo", Session: "mine"})
	if len(c.Undone) != 2 || len(c.Skipped) != 1 || c.Skipped[0].ID != shared || c.Skipped[0].Actor != "b" {
		t.Fatalf("%+v", c)
	}
	same(t, "theirs", w.get(lobes.Target{}, old).Entry.Body, "Quartz needs a text of its own.")
	if _, err := w.set.Recall(context.Background(), lobes.Target{}, lobes.Query{IDs: []string{fresh}}); err == nil {
		t.Error("what the session stored is there")
	}
	c = act(person, lobes.Correction{Action: "undo", Session: "mine"})
	same(t, "once more", len(c.Undone), 0)
	same(t, "once more it says so", c.Action, "unchanged")
	brief := note(lobes.By{Actor: "c", Session: "brief"}, "Tundra")
	act(lobes.By{Actor: "c", Session: "brief"}, lobes.Correction{ID: brief, Action: "delete"})
	same(t, "its topic", act(person, lobes.Correction{ID: brief, Action: "undo"}).Topic, "architecture")
	_, err := w.set.Correct(context.Background(), person, lobes.Target{}, lobes.Correction{Action: "undo", Session: "nobody"})
	wants[*lobes.NothingToUndoError](t, "nobody's session", err)
	_, err = w.set.Correct(context.Background(), person, lobes.Target{}, lobes.Correction{Action: "undo"})
	wants[*lobes.ValueError](t, "neither id nor session", err)
}

func TestMoveToATopic(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "general", Title: "Port", Text: "It listens on 8080."})
	w.clock.pass(time.Hour)
	before := w.clock.Now()
	w.clock.pass(time.Hour)
	c := w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "move", ToTopic: "gotchas"})
	if c.ID != s.ID || c.Topic != "gotchas" || c.From == nil || c.From.Topic != "general" || !strings.Contains(c.Path, "gotchas") {
		t.Errorf("%+v", c)
	}
	same(t, "topic then", w.recall(lobes.Target{}, lobes.Query{Scope: "general", AsOf: before}).Total, 1)
	same(t, "topic now", w.recall(lobes.Target{}, lobes.Query{Scope: "gotchas"}).Total, 1)
	same(t, "again", w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "move", ToTopic: "gotchas"}).Action, "unchanged")
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo"})
	same(t, "undone", w.recall(lobes.Target{}, lobes.Query{Scope: "general"}).Total, 1)
}

func TestMoveToALobe(t *testing.T) {
	w := newWorld(t, nil, "app", "lib")
	app, lib := lobes.Target{Lobe: "app"}, lobes.Target{Lobe: "lib"}
	s := w.stored(app, lobes.Note{Topic: "general", Title: "Port", Text: "It listens on 8080."})
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 8081."})
	before := w.clock.Now()
	w.clock.pass(time.Hour)
	c := w.correct(app, lobes.Correction{ID: s.ID, Action: "move", ToLobe: "lib", ToTopic: "gotchas", Reason: "it is theirs"})
	if c.Lobe != "lib" || c.From.Lobe != "app" || c.Action != "moved" {
		t.Fatalf("%+v", c)
	}
	w.clock.pass(time.Hour)
	check := func(what string, target lobes.Target, asOf time.Time, want int) {
		t.Helper()
		same(t, what, w.recall(target, lobes.Query{AsOf: asOf, Text: "listens"}).Total, want)
	}
	check("app now", app, time.Time{}, 0)
	check("lib now", lib, time.Time{}, 1)
	check("app then", app, before, 1)
	check("lib then", lib, before, 0)
	same(t, "the id stays", w.get(lib, s.ID).Entry.Topic, "gotchas")
	chain, err := w.set.Why(context.Background(), lib, s.ID)
	if err != nil || len(chain.Changes) != 3 || chain.Changes[0].Kind != "learned" || chain.Changes[2].Kind != "moved" {
		t.Errorf("%+v, %v", chain, err)
	}
	chain, err = w.set.Why(context.Background(), app, s.ID)
	if err != nil || chain.State != "moved" || chain.MovedTo != "lib" || chain.Entry != nil {
		t.Errorf("%+v, %v", chain, err)
	}
	_, err = w.set.Correct(context.Background(), agent, app, lobes.Correction{ID: s.ID, Action: "restore"})
	wants[*lobes.MovedError](t, "restore where it was", err)
	_, err = w.set.Correct(context.Background(), agent, app, lobes.Correction{ID: s.ID, Action: "undo"})
	wants[*lobes.MovedError](t, "undo where it was", err)
	if c := w.correct(lib, lobes.Correction{ID: s.ID, Action: "undo"}); c.Lobe != "app" || len(c.Undone) != 1 {
		t.Errorf("%+v", c)
	}
	check("app again", app, time.Time{}, 1)
	check("lib again", lib, time.Time{}, 0)
	same(t, "its topic again", w.get(app, s.ID).Entry.Topic, "general")
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: s.ID, Action: "undo"})
	same(t, "and what was before", w.get(app, s.ID).Entry.Body, "It listens on 8080.")
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: s.ID, Action: "move", ToLobe: "lib"})
	check("lib once more", lib, time.Time{}, 1)
}

func TestRestoreOntoATakenPlace(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "general", Title: "Port", Text: "It listens on 8080."})
	_, err := w.set.Correct(context.Background(), agent, lobes.Target{}, lobes.Correction{ID: s.ID, Action: "restore"})
	wants[*store.ExistsError](t, "it is there", err)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "delete"})
	write(t, s.Path, "---\nid: other-1\ntopic: general\n---\n# Another\n\nText.\n")
	_, err = w.set.Correct(context.Background(), agent, lobes.Target{}, lobes.Correction{ID: s.ID, Action: "restore"})
	wants[*store.ExistsError](t, "another file is there", err)
	if err := os.Remove(s.Path); err != nil {
		t.Fatal(err)
	}
	c := w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "restore"})
	same(t, "restored", []string{c.Action, w.get(lobes.Target{}, s.ID).Entry.Body}, []string{"restored", "It listens on 8080."})
	_, err = w.set.Correct(context.Background(), agent, lobes.Target{}, lobes.Correction{ID: "general-0", Action: "restore"})
	wants[*lobes.UnknownIDError](t, "never there", err)
}

func TestPreviewDoesNothing(t *testing.T) {
	w, heroku, fly := deploys(t)
	dir := w.root("acme") + "/.git/memory"
	before := strings.Join(w.files(dir), "\n")
	for _, c := range []lobes.Correction{
		{ID: fly, Action: "delete"}, {ID: fly, Action: "undo"}, {ID: fly, Action: "move", ToTopic: "general"}, {ID: fly, Action: "move", ToLobe: "global"},
		{ID: fly, Action: "replace", Text: "Other."}, {ID: fly, Action: "supersede", Text: "Other."}, {Action: "undo", Session: agent.Session},
	} {
		c.Preview = true
		got := w.correct(lobes.Target{}, c)
		if !got.Preview || c.ID != "" && got.ID != fly {
			t.Errorf("%s: %+v", c.Action, got)
		}
	}
	same(t, "files", strings.Join(w.files(dir), "\n"), before)
	same(t, "entry", w.get(lobes.Target{}, heroku).Entry.Valid.Until.IsZero(), false)
}

// TestUndoOfAnEditByHand takes back what a person wrote into the file, before
// it is history: the edit becomes a state first, so that it is not lost.
func TestUndoOfAnEditByHand(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 8081."})
	b, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.Path, strings.Replace(string(b), "8081", "9999", 1))
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.Path, old, old); err != nil {
		t.Fatal(err)
	}
	w.clock.pass(time.Hour)
	for _, want := range []string{"It listens on 8081.", "It listens on 8080."} {
		w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo"})
		same(t, "undone", w.get(lobes.Target{}, s.ID).Entry.Body, want)
	}
	chain, err := w.set.Why(context.Background(), lobes.Target{}, s.ID)
	if err != nil || len(chain.Changes) != 5 || chain.Changes[2].Kind != "adopted" || chain.Changes[4].Kind != "undone" {
		t.Errorf("%+v, %v", chain, err)
	}
}
