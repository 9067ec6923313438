package lobes_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// TestASnapshotWithFlippedBitsIsNotBelieved: wherever it is damaged, the next
// process reads the files, answers as ever, and says so in the log alone.
func TestASnapshotWithFlippedBitsIsNotBelieved(t *testing.T) {
	w := newWorld(t, func(w *world) { w.options.Now = time.Now }, "app")
	dir := w.specs[0].Dir
	w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Text: "The winch jams in frost."})
	for i := range 220 {
		write(t, filepath.Join(dir, "general", fmt.Sprintf("mem-%08x.md", i)),
			fmt.Sprintf("---\nid: mem-%08x\ntopic: general\n---\n# Note %d\n\nThe widget%d of winch number %d.\n", i, i, i%20, i))
	}
	w.recall(lobes.Target{}, lobes.Query{})
	if err := w.set.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.set = nil // an orderly end would write a history of 220 files: that is not the matter here
	found, err := filepath.Glob(filepath.Join(dir, ".state", "index.*.*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("snapshots: %q, %v", found, err)
	}
	whole, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	w.options.ReadOnly = true
	w.options.Logger = slog.New(slog.NewTextHandler(&told, &slog.HandlerOptions{Level: slog.LevelDebug}))
	words := []string{"widget7", "frost", "number"}
	want := answers(t, w, words)
	if strings.Contains(told.String(), "lobe=app") {
		t.Fatalf("the whole one was not taken: %s", told.String())
	}
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 60 {
		bad := bytes.Clone(whole)
		at := r.IntN(len(bad))
		switch {
		case i%10 == 0:
			bad = bad[:at]
		case i%10 == 1:
			bad = append(bad, bad[:1+at%64]...)
		default:
			for range 1 + r.IntN(4) {
				bad[at] ^= 1 << r.IntN(8)
				at = r.IntN(len(bad))
			}
		}
		if bytes.Equal(bad, whole) {
			continue
		}
		if err := os.WriteFile(found[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		told.Reset()
		got := answers(t, w, words)
		if !strings.Contains(told.String(), "lobe=app") {
			t.Errorf("damage %d at %d was believed", i, at)
		}
		for n := range want {
			if got[n] != want[n] {
				t.Fatalf("damage %d: the answer is\n%s\nnot\n%s", i, got[n], want[n])
			}
		}
	}
}
