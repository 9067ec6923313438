package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"memory-mcp/store"
)

// contents is what a view says, in a form that can be compared.
func contents(v *store.View) map[string]string {
	all := map[string]string{}
	for h := range v.Heads() {
		all[h.Path] = h.Hash + " " + h.Entry.ID + " " + h.Copy
	}
	return all
}

// TestWatchingSeesWhatAScanSees changes a folder at random, and after each
// change compares a store that watches with one that has just been opened.
func TestWatchingSeesWhatAScanSees(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { compareWatching(t, lobe(t), rand.New(rand.NewPCG(1, seed))) })
	}
}

func compareWatching(t *testing.T, dir string, rnd *rand.Rand) {
	t.Helper()
	s := open(t, dir, store.Options{Watch: true})
	pick := func() string {
		folder := []string{".", "gotchas", "modules/a", "modules/b", "recent-work/main", "modules/a/deep"}[rnd.IntN(6)]
		return filepath.Join(dir, folder, fmt.Sprintf("n%d.md", rnd.IntN(6)))
	}
	ignore := func(error) {} // what cannot be done is a change that did not happen
	for i := range 400 {
		p, q := pick(), pick()
		switch rnd.IntN(12) {
		case 0, 1, 2:
			ignore(os.MkdirAll(filepath.Dir(p), 0o700))
			ignore(os.WriteFile(p, fmt.Appendf(nil, "# N\n\ntext %d\n", i), 0o600))
		case 3:
			ignore(saves()[2].do(p, fmt.Sprintf("renamed %d", i)))
		case 4:
			ignore(os.Remove(p))
		case 5:
			ignore(os.Rename(p, q))
		case 6:
			ignore(os.Link(p, q))
		case 7:
			ignore(os.Truncate(p, 1))
		case 8:
			ignore(os.Rename(filepath.Dir(p), filepath.Join(dir, fmt.Sprintf("moved%d", i%3))))
		case 9:
			ignore(os.Rename(filepath.Join(dir, fmt.Sprintf("moved%d", i%3)), filepath.Dir(p)))
		case 10:
			ignore(os.Symlink(p, q))
		case 11:
			if i%40 == 0 {
				ignore(os.Rename(dir, dir+"-away"))
				look(t, s)
				ignore(os.Rename(dir+"-away", dir))
			} else if i%17 == 0 {
				ignore(os.RemoveAll(filepath.Dir(p)))
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
		if i%3 > 0 {
			continue // several changes between two looks
		}
		got, want := contents(look(t, s)), contents(look(t, open(t, dir, store.Options{})))
		for p, h := range want {
			if got[p] != h {
				t.Fatalf("change %d: %s is %q when watching, %q when scanning", i, p, got[p], h)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("change %d: %d files when watching, %d when scanning", i, len(got), len(want))
		}
	}
	if len(contents(look(t, s))) == 0 {
		t.Fatal("the folder ended empty: nothing was compared")
	}
}
