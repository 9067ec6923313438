package lobes_test

import (
	"slices"
	"testing"

	"memory-mcp/lobes"
)

// TestWhyNamesWhatWasMeant: a word that stands for the one asked says so, in
// the line and in the structure, and a misspelt filter finds what was meant.
func TestWhyNamesWhatWasMeant(t *testing.T) {
	w := newWorld(t, nil, "app")
	w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Title: "Connection pool", Text: "The pool is exhausted when a query hangs."})
	for kind, q := range map[string]lobes.Query{"text": {Text: "why is the pool exausted"}, "filter": {Filter: "exausted"}} {
		a := w.recall(lobes.Target{}, q)
		if len(a.Results) != 1 {
			t.Fatalf("%s finds %v", kind, titles(a))
		}
		contains(t, kind, a.Results[0].Why, "exhausted for exausted")
		contains(t, kind, a.Results[0].Why, "topic gotchas ×1.5")
		if !slices.ContainsFunc(a.Results[0].Reasons, func(r lobes.Reason) bool {
			return r.What == "expansion" && r.Term == "exhausted" && r.For == "exausted" && r.Field == "body" && r.Weight > 0
		}) {
			t.Errorf("%s: the reasons are %+v", kind, a.Results[0].Reasons)
		}
	}
}
