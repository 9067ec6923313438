package lobes_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// TestTenThousandEditsAndNoStaleAnswer edits files in every way, as fast as it
// goes, while others ask: what stood in a file before a question was asked, or
// something newer, is in its answer.
func TestTenThousandEditsAndNoStaleAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		watch bool
		edits int
	}{"watching": {true, 10_000}, "scanning": {false, 1_000}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(w *world) { w.options.Watch, w.options.ReadOnly = c.watch, true }, "app")
			race(t, w, newEdited(t, w.specs[0].Dir, 40), c.edits)
		})
	}
}

// leastAsked is how many questions must have met the edits.
const leastAsked = 20

// race lets two ask until so many edits are made, and enough was asked.
func race(t *testing.T, w *world, files *edited, edits int) {
	t.Helper()
	if err := files.ask(w, 0); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var asking sync.WaitGroup
	var asked atomic.Int64
	for seed := range uint64(2) {
		asking.Go(func() {
			r := rand.New(rand.NewPCG(seed, 2))
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := files.ask(w, r.IntN(len(files.path))); err != nil {
					t.Error(err)
					return
				}
				asked.Add(1)
				time.Sleep(time.Millisecond)
			}
		})
	}
	r := rand.New(rand.NewPCG(7, 7))
	made := 0
	for ; (made < edits || asked.Load() < leastAsked) && !t.Failed(); made++ {
		files.edit(r)
	}
	close(stop)
	asking.Wait()
	for k := range files.path {
		if err := files.ask(w, k); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d questions beside %d edits", asked.Load(), made)
}

// edited are files, each with the number of the edit that began last and that
// ended last.
type edited struct {
	t            *testing.T
	dir          string
	path         []string
	begun, ended []atomic.Int64
	emptying     []atomic.Int64 // the last edit that first emptied the file
	folders      int
}

func newEdited(t *testing.T, dir string, n int) *edited {
	f := &edited{t: t, dir: dir, path: make([]string, n), begun: make([]atomic.Int64, n), ended: make([]atomic.Int64, n), emptying: make([]atomic.Int64, n)}
	for k := range n {
		f.path[k] = filepath.Join(dir, "modules", fmt.Sprintf("m%d", k%5), fmt.Sprintf("mem-%08x.md", k))
		write(t, f.path[k], f.text(k, 0))
	}
	return f
}

func (f *edited) text(k int, n int64) string {
	return fmt.Sprintf("---\nid: mem-%08x\ntopic: modules/m%d\n---\n# Note\n\nThe marker%d has edit%06d.\n", k, k%5, k, n)
}

// edit makes one edit, or moves the folder that a file is in.
func (f *edited) edit(r *rand.Rand) {
	k := r.IntN(len(f.path))
	n := f.begun[k].Add(1)
	var err error
	switch path := f.path[k]; r.IntN(100) {
	case 0, 1: // into a new folder
		f.folders++
		f.path[k] = filepath.Join(f.dir, "modules", fmt.Sprintf("new%d", f.folders), filepath.Base(path))
		if err = os.Mkdir(filepath.Dir(f.path[k]), 0o700); err == nil {
			err = os.Rename(path, f.path[k])
		}
		if err == nil {
			err = f.overwrite(f.path[k], f.text(k, n))
		}
	case 2: // with its whole folder
		f.folders++
		old, moved := filepath.Dir(path), filepath.Join(f.dir, "modules", fmt.Sprintf("moved%d", f.folders))
		err = os.Rename(old, moved)
		for i, p := range f.path {
			if filepath.Dir(p) == old {
				f.path[i] = filepath.Join(moved, filepath.Base(p))
			}
		}
		if err == nil {
			err = f.overwrite(f.path[k], f.text(k, n))
		}
	case 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19: // by rename
		if err = os.WriteFile(path+"~", []byte(f.text(k, n)), 0o600); err == nil {
			err = os.Rename(path+"~", path)
		}
	case 20, 21, 22, 23, 24, 25, 26, 27, 28, 29: // in place, emptied first
		f.emptying[k].Store(n)
		err = os.WriteFile(path, []byte(f.text(k, n)), 0o600)
	default: // in place
		err = f.overwrite(path, f.text(k, n))
	}
	if err != nil {
		f.t.Error(err)
	}
	f.ended[k].Store(n)
}

// overwrite changes a file as an editor does that keeps it: the new text is as
// long as the old one.
func (f *edited) overwrite(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte(text), 0)
	return errors.Join(err, file.Close())
}

// ask looks for one file by its words, and says what is wrong with the answer.
// A file that is moved from place to place while it is looked for is found at
// one of them.
// While a file is empty nobody knows what it held just before: the answer may
// then be what the last question found.
func (f *edited) ask(w *world, k int) error {
	least := f.ended[k].Load()
	a, err := w.set.Recall(w.Context(), lobes.Target{}, lobes.Query{Filter: fmt.Sprintf("marker%d", k)})
	most := f.begun[k].Load()
	if f.emptying[k].Load() > least {
		least = 0
	}
	if err != nil {
		return err
	}
	// Where no file says the word, those that say something like it are told.
	a.Results = slices.DeleteFunc(a.Results, func(r lobes.Result) bool { return r.Entry.ID != fmt.Sprintf("mem-%08x", k) })
	if len(a.Results) != 1 {
		var where []string
		for _, r := range a.Results {
			where = append(where, r.Path)
		}
		return fmt.Errorf("marker%d: found at %q, after edit %d and before %d", k, where, least, most)
	}
	for _, r := range a.Results {
		said := regexp.MustCompile(`edit(\d+)`).FindStringSubmatch(r.Entry.Body)
		if said == nil {
			return fmt.Errorf("marker%d: the body is %q", k, r.Entry.Body)
		}
		if n, err := strconv.ParseInt(said[1], 10, 64); err != nil || n < least || n > most {
			return fmt.Errorf("marker%d: the answer is of edit %d, the question came after edit %d and before %d", k, n, least, most)
		}
	}
	return nil
}
