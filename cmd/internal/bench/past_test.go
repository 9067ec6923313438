package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/cmd/internal/bench"
)

// TestAGrownLobeIsWhole counts the files of a lobe that was made up.
func TestAGrownLobeIsWhole(t *testing.T) {
	dir := t.TempDir()
	past := bench.Past{Entries: 300, Revised: 0.1, Retracted: 0.02, Begun: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Step: time.Minute}
	grown, err := past.Write(bench.New(1), filepath.Join(dir, "with"), filepath.Join(dir, "without"))
	if err != nil {
		t.Fatal(err)
	}
	if grown.Chains == 0 || grown.Retracted == 0 || grown.Heads != 300-grown.Retracted || grown.Revisions < 300+grown.Chains+grown.Retracted {
		t.Errorf("%+v", grown)
	}
	count := func(patterns ...string) int {
		n := 0
		for _, pattern := range patterns {
			names, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if strings.HasSuffix(name, ".md") {
					n++
				}
			}
		}
		return n
	}
	if n := count("with/*/*", "with/modules/*/*"); n != grown.Heads {
		t.Errorf("%d files, want %+v", n, grown)
	}
	if n := count("without/*/*", "without/modules/*/*"); n != grown.Heads {
		t.Errorf("%d files without a history, want %+v", n, grown)
	}
	if n := count("with/.history/*/*"); n != grown.Revisions {
		t.Errorf("%d revisions, want %+v", n, grown)
	}
	if _, err := os.Stat(filepath.Join(dir, "without", ".history")); !os.IsNotExist(err) {
		t.Errorf("there is a history: %v", err)
	}
	again, err := past.Write(bench.New(1), filepath.Join(dir, "with again"), filepath.Join(dir, "without again"))
	if err != nil || again != grown {
		t.Errorf("one seed gave %+v and %+v (%v)", grown, again, err)
	}
}
