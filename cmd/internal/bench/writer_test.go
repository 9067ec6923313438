package bench_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"memory-mcp/cmd/internal/bench"
	"memory-mcp/lobes"
)

// TestWriterWritesWholeEntries: each one that it counts is found by the lobe,
// and two writers of other seeds do not take each other's names.
func TestWriterWritesWholeEntries(t *testing.T) {
	dir, written := t.TempDir(), 0
	for seed := range uint64(2) {
		n, err := bench.Write(t.Context(), dir, seed, 1000, 60*time.Millisecond)
		if err != nil || n == 0 || n > 60 {
			t.Fatalf("%d written: %v", n, err)
		}
		written += n
	}
	halves, err := filepath.Glob(filepath.Join(dir, "*", ".half-*"))
	if err != nil || len(halves) > 0 {
		t.Errorf("left behind: %q %v", halves, err)
	}
	set := lobes.NewSet([]lobes.Spec{{Name: "app", Root: dir, Dir: dir, Budget: -1}}, lobes.Options{ReadOnly: true})
	a, err := set.Recall(context.Background(), lobes.Target{}, lobes.Query{})
	if err != nil || a.Total != written {
		t.Errorf("%d of %d are found: %v", a.Total, written, err)
	}
	if err := set.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestWriterEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := bench.Write(ctx, t.TempDir(), 1, 1, time.Hour); err != nil || n > 1 {
		t.Errorf("%d written after the end: %v", n, err)
	}
}
