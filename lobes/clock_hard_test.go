package lobes_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// jumps are what clocks do: a battery that is empty, a machine that wakes, a
// time server that corrects, a person who tries a date.
func jumps() []time.Duration {
	const day = 24 * time.Hour
	return []time.Duration{0, -day, 2 * day, -365 * day, 730 * day, -time.Second, -20 * 365 * day, 3 * time.Hour, 16 * 365 * day}
}

// TestAClockThatJumpsHidesNoEdit: whatever the clock says, the answer is what
// the file holds.
func TestAClockThatJumpsHidesNoEdit(t *testing.T) {
	for name, watch := range map[string]bool{"watching": true, "scanning": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(w *world) {
				w.clock.now = time.Now()
				w.options.Watch, w.options.ReadOnly = watch, true
			}, "app")
			r := rand.New(rand.NewPCG(3, 3))
			n := 0
			file := filepath.Join(w.specs[0].Dir, "gotchas", "gotcha-00000001.md")
			for range 12 {
				for _, by := range jumps() {
					n++
					text := fmt.Sprintf("---\nid: gotcha-00000001\ntopic: gotchas\n---\n# Winch\n\nThe winch has edit%05d.\n", n)
					if r.IntN(2) == 0 {
						write(t, file, text)
					} else {
						write(t, file+"~", text)
						if err := os.Rename(file+"~", file); err != nil {
							t.Fatal(err)
						}
					}
					if got := w.recall(lobes.Target{}, lobes.Query{Filter: fmt.Sprintf("edit%05d", n)}); got.Total != 1 {
						t.Fatalf("after a jump by %v edit %d is not found", by, n)
					}
					w.clock.pass(by)
					// A file system's clock ticks; ours need not.
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
}

// TestAClockThatJumpsLeavesTheOrderOfChanges: a later change is later, also when
// it is written with an earlier clock; scores stay numbers.
func TestAClockThatJumpsLeavesTheOrderOfChanges(t *testing.T) {
	w := newWorld(t, nil, "app")
	stored := w.stored(lobes.Target{}, lobes.Note{Topic: "general", Title: "Winch", Text: "The winch has state 0."})
	for i, by := range jumps() {
		w.clock.pass(by)
		text := fmt.Sprintf("The winch has state %d.", i+1)
		w.correct(lobes.Target{}, lobes.Correction{ID: stored.ID, Action: "replace", Text: text})
		if got := w.get(lobes.Target{}, stored.ID).Entry.Body; got != text {
			t.Fatalf("after a jump by %v the entry says %q, not %q", by, got, text)
		}
		w.open() // another process, which reads history and files
		if got := w.get(lobes.Target{}, stored.ID).Entry.Body; got != text {
			t.Fatalf("another process reads %q, not %q", got, text)
		}
		a := w.recall(lobes.Target{}, lobes.Query{Text: "state of the winch"})
		if len(a.Results) != 1 || !(a.Results[0].Score > 0 && a.Results[0].Score < 1e6) || a.Results[0].Fresh.Days < 0 {
			t.Fatalf("after a jump by %v: %+v", by, a.Results)
		}
	}
}
