package lobes_test

import (
	"strings"
	"testing"

	"memory-mcp/lobes"
)

func TestDepthThreeTellsWhatHangsTogether(t *testing.T) {
	w := newWorld(t, nil, "app")
	hit := w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Title: "Winch", Text: "The winch jams in frost.", Sources: []string{"gear.go:3", "session:s9#4"}})
	ties := map[string]lobes.Note{
		"links to " + hit.ID:          {Topic: "general", Title: "Linked", Text: "Grease is described in [[" + hit.ID + "]]."},
		"of the session of " + hit.ID: {Topic: "general", Title: "Said then", Text: "Somebody asked for tea.", Sources: []string{"session:s9#5"}},
		"rests on gear.go":            {Topic: "general", Title: "Same file", Text: "Colours come from a table.", Sources: []string{"gear.go:90"}},
	}
	w.stored(lobes.Target{}, lobes.Note{Topic: "general", Title: "Alone", Text: "Nothing to do with anything."})
	for _, note := range ties {
		w.stored(lobes.Target{}, note)
	}
	if a := w.recall(lobes.Target{}, lobes.Query{Text: "winch frost", Depth: 2}); len(a.Results) != 1 {
		t.Fatalf("depth 2 tells %d entries, want the hit alone: %q", len(a.Results), a.Results[1].Entry.Title+a.Results[1].Why)
	}
	a := w.recall(lobes.Target{}, lobes.Query{Text: "winch frost", Depth: 3})
	if len(a.Results) != 1+len(ties) || a.Results[0].Associated {
		t.Fatalf("depth 3 tells %d entries, want the hit and %d more", len(a.Results), len(ties))
	}
	for why, note := range ties {
		found := false
		for _, r := range a.Results[1:] {
			found = found || r.Associated && r.Entry.Title == note.Title && strings.Contains(r.Why, why)
		}
		if !found {
			t.Errorf("nothing says %q of %q", why, note.Title)
		}
	}
}
