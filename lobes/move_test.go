package lobes_test

import (
	"context"
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
