package lobes_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// TestUndoOfMovesThereAndBack: each undo goes one change further back, whatever
// lobe the change was made in.
func TestUndoOfMovesThereAndBack(t *testing.T) {
	w := newWorld(t, nil, "app", "lib")
	app, lib := lobes.Target{Lobe: "app"}, lobes.Target{Lobe: "lib"}
	act := func(target lobes.Target, c lobes.Correction) lobes.Corrected {
		t.Helper()
		w.clock.pass(time.Hour)
		return w.correct(target, c)
	}
	s := w.stored(app, lobes.Note{Topic: "general", Title: "Port", Text: "It listens on 8080."})
	act(app, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 8081."})
	act(app, lobes.Correction{ID: s.ID, Action: "move", ToLobe: "lib"})
	act(lib, lobes.Correction{ID: s.ID, Action: "move", ToLobe: "app", ToTopic: "gotchas"})
	for _, want := range []struct {
		in, of      lobes.Target
		topic, text string
	}{
		{app, lib, "general", "It listens on 8081."}, {lib, app, "general", "It listens on 8081."}, {app, app, "general", "It listens on 8080."},
	} {
		c := act(want.in, lobes.Correction{ID: s.ID, Action: "undo"})
		e := w.get(want.of, s.ID).Entry
		same(t, "after an undo", []string{c.Lobe, c.Topic, e.Topic, e.Body}, []string{want.of.Lobe, want.topic, want.topic, want.text})
	}
	_, err := w.set.Correct(context.Background(), agent, lib, lobes.Correction{ID: s.ID, Action: "undo"})
	wants[*lobes.MovedError](t, "where it was once", err)
	w.clock.pass(time.Hour)
	if c := act(app, lobes.Correction{ID: s.ID, Action: "undo"}); !c.Undone[0].Gone {
		t.Errorf("the first change: %+v", c)
	}
}

// TestAFileMovedByHandKeepsItsTopic until its header says another one: the
// header is what counts, and a move by tool mends both.
func TestAFileMovedByHandKeepsItsTopic(t *testing.T) {
	w := newWorld(t, nil, "app")
	app := lobes.Target{Lobe: "app"}
	s := w.stored(app, lobes.Note{Topic: "general", Title: "Port", Text: "It listens on 8080."})
	was := w.get(app, s.ID).Path
	to := filepath.Join(filepath.Dir(filepath.Dir(was)), "conventions", filepath.Base(was))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(was, to); err != nil {
		t.Fatal(err)
	}
	r := w.get(app, s.ID)
	same(t, "moved by hand", []string{r.Entry.Topic, r.Path}, []string{"general", to})
	d := w.set.Diagnose(context.Background())
	if len(d.Problems) != 1 || d.Problems[0].File != to || !strings.Contains(d.Problems[0].Remedy, "correct "+s.ID+" move --to-topic conventions") {
		t.Errorf("told: %+v", d.Problems)
	}
	chain, err := w.set.Why(context.Background(), app, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "its history", chain.Changes[len(chain.Changes)-1].Op, "move")
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, strings.Replace(string(text), "topic: general", "topic: conventions", 1))
	same(t, "with another header", w.get(app, s.ID).Entry.Topic, "conventions")
	if d := w.set.Diagnose(context.Background()); len(d.Problems) > 0 {
		t.Errorf("told of what is right: %+v", d.Problems)
	}
	write(t, to, string(text))
	old := time.Now().Add(-time.Hour) // nobody is editing it
	if err := os.Chtimes(to, old, old); err != nil {
		t.Fatal(err)
	}
	w.open()
	if c, err := w.set.Correct(context.Background(), agent, app, lobes.Correction{ID: s.ID, Action: "move", ToTopic: "conventions"}); err != nil || c.Path != to {
		t.Fatalf("moved by tool: %+v, %v", c, err)
	}
	same(t, "moved by tool", w.get(app, s.ID).Entry.Topic, "conventions")
}
