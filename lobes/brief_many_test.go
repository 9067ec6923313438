package lobes_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestABriefingOfManyTellsTheFirst compares what a briefing tells of a topic
// with many entries, and which it names to be checked, with all of them in order.
func TestABriefingOfManyTellsTheFirst(t *testing.T) {
	type note struct {
		name, topic            string
		confidence, importance int // in tenths
		day                    int
	}
	w := newWorld(t, nil, "app")
	random := rand.New(rand.NewPCG(3, 1))
	var all []note
	for i := range 400 {
		n := note{fmt.Sprintf("n%03d", i), []string{"conventions", "architecture", "gotchas"}[random.IntN(3)], 4 + random.IntN(3), random.IntN(3), 1 + random.IntN(20)}
		all = append(all, n)
		write(t, w.root("app")+"/.git/memory/"+n.topic+"/"+n.name+".md", fmt.Sprintf(
			"---\nid: %s\ntopic: %s\nconfidence: 0.%d\nimportance: 0.%d\ncreated: 2026-01-%02dT00:00:00Z\n---\n# %s\n\nNote %s stands alone.\n",
			n.name, n.topic, n.confidence, n.importance, n.day, n.name, n.name))
	}
	b := w.brief(w.in("app"))
	for _, s := range b.Sections {
		mine := slices.DeleteFunc(slices.Clone(all), func(n note) bool { return n.topic != s.Topic })
		slices.SortFunc(mine, func(a, b note) int {
			return cmp.Or(b.confidence-a.confidence, b.importance-a.importance, b.day-a.day, strings.Compare(a.name, b.name))
		})
		var want []string
		for _, n := range mine[:20] {
			want = append(want, n.name)
		}
		same(t, s.Topic, titlesOf(s.Results), want)
		same(t, "all of "+s.Topic, s.Total, len(mine))
	}
	doubtful := slices.DeleteFunc(slices.Clone(all), func(n note) bool { return n.topic == "gotchas" }) // which do not age
	same(t, "stale in all", b.Stale, len(doubtful))
	slices.SortFunc(doubtful, func(a, b note) int {
		return cmp.Or(strings.Compare(a.topic, b.topic), a.day-b.day, strings.Compare(a.name, b.name))
	})
	var first []string
	for _, n := range doubtful[:5] {
		first = append(first, n.name)
	}
	same(t, "to be checked first", titlesOf(b.StaleFirst), first)
	same(t, "sections and entries", []int{len(b.Sections), b.Entries}, []int{3, len(all)})
}
