package lobes_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"memory-mcp/lobes"
)

// TestTheDetailOfATaskStandsBehindItsEqual, on whatever page it comes, and fades
// as an episode does.
func TestTheDetailOfATaskStandsBehindItsEqual(t *testing.T) {
	w := newWorld(t, func(w *world) {
		w.options.ReadOnly = true
		w.options.Behavior.HalfLives = map[string]float64{"episode": 5, "fact": 500}
	}, "app")
	file := func(id, durability, created string) {
		write(t, filepath.Join(w.specs[0].Dir, "general", id+".md"), fmt.Sprintf(
			"---\nid: %s\ntopic: general\nconfidence: 0.50\ncreated: %s\ndurability: %s\n---\n# Winch\n\nThe winch jams in frost.\n", id, created, durability))
	}
	ids := func(a lobes.Answer) (all []string) {
		for _, r := range a.Results {
			all = append(all, r.Entry.ID)
		}
		return all
	}
	today := noon.Format("2006-01-02")
	file("mem-00000001", "task_detail", today)
	file("mem-00000002", "reusable", today)
	file("mem-00000003", "task_detail", today)
	want := []string{"mem-00000002", "mem-00000001", "mem-00000003"}
	for kind, q := range map[string]lobes.Query{"text": {Text: "winch frost"}, "filter": {Filter: "winch frost"}} {
		if got := ids(w.recall(lobes.Target{}, q)); !slices.Equal(got, want) {
			t.Errorf("%s: the order is %v, want %v", kind, got, want)
		}
		var paged []string
		for q.Limit, q.Offset = 1, 0; q.Offset < 3; q.Offset++ {
			paged = append(paged, ids(w.recall(lobes.Target{}, q))...)
		}
		if !slices.Equal(paged, want) {
			t.Errorf("%s: page by page it is %v", kind, paged)
		}
	}
	for _, id := range want {
		file(id, map[bool]string{true: "reusable", false: "task_detail"}[id == want[0]], noon.AddDate(0, 0, -20).Format("2006-01-02"))
	}
	a := w.recall(lobes.Target{}, lobes.Query{Text: "winch frost"})
	if len(a.Results) == 0 || a.Results[0].Entry.ID != want[0] || len(a.Results) > 1 && a.Results[1].Score > a.Results[0].Score/2 {
		t.Errorf("after 20 days: %v", ids(a))
	}
}
