package lobes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// TestASnapshotNeverHidesAChange has the next process start from what this one
// has read, after files were changed, removed and added in between.
func TestASnapshotNeverHidesAChange(t *testing.T) {
	w := newWorld(t, func(w *world) { w.options.Now = time.Now }, "app")
	dir := filepath.Join(w.specs[0].Dir, "general")
	file := func(i int) string { return filepath.Join(dir, fmt.Sprintf("mem-%08x.md", i)) }
	text := func(i int, word string) string {
		return fmt.Sprintf("---\nid: mem-%08x\ntopic: general\n---\n# Note %d\n\nThe %s number %d.\n", i, i, word, i)
	}
	w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Text: "The winch jams in frost."})
	for i := range 250 {
		write(t, file(i), text(i, "widget"))
	}
	same(t, "before", w.recall(lobes.Target{}, lobes.Query{Filter: "widget"}).Total, 250)
	if err := w.set.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	if found, err := filepath.Glob(filepath.Join(w.specs[0].Dir, ".state", "index.*.*")); err != nil || len(found) != 1 {
		t.Fatalf("no snapshot: %q, %v", found, err)
	}
	write(t, file(7), text(7, "gadget"))
	write(t, file(900), text(900, "widget"))
	if err := os.Remove(file(8)); err != nil {
		t.Fatal(err)
	}
	// The other process: what this one would write at its end is not there.
	w.options.ReadOnly = true
	next := lobes.NewSet(w.specs, w.options)
	a, err := next.Recall(context.Background(), lobes.Target{}, lobes.Query{Filter: "widget"})
	if err != nil || a.Total != 249 {
		t.Errorf("%d of 249, %v", a.Total, err)
	}
	a, err = next.Recall(context.Background(), lobes.Target{}, lobes.Query{Filter: "gadget"})
	if err != nil || a.Total != 1 {
		t.Errorf("the changed one: %d, %v", a.Total, err)
	}
	if err := next.Close(context.Background()); err != nil {
		t.Error(err)
	}
	// An orderly exit would write 250 files into the history: that is not the matter here.
	w.set = nil
}
