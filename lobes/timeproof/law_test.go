package timeproof_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	sequences = flag.Int("timeproof.sequences", 200, "how many made-up sequences are played")
	seed      = flag.Uint64("timeproof.seed", 1, "of the first sequence; each one more has the next")
	tries     = flag.Int("timeproof.tries", 300, "how many shorter sequences are tried when one finds a fault")
	keep      = flag.Bool("timeproof.keep", true, "write a sequence that finds a fault to testdata/cases")
)

// fast is a folder in memory where there is one: what is proved here is time,
// and each write waits for the disk several times.
func fast(t testing.TB) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() && runtime.GOOS == "linux" {
		dir, err := os.MkdirTemp("/dev/shm", "timeproof-")
		if err == nil {
			t.Cleanup(func() {
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
				}
			})
			return dir
		}
	}
	return t.TempDir()
}

// playIn plays a sequence in a folder of its own and gives the fault that it
// found, or nothing.
func playIn(dir string, seed uint64, steps []step, full bool) string {
	found, _ := played(dir, seed, steps, full)
	return found
}

// played also tells how often each step found something to do.
func played(dir string, seed uint64, steps []step, full bool) (found string, done map[string]int) {
	dir, err := os.MkdirTemp(dir, "world-")
	if err != nil {
		return err.Error(), nil
	}
	at := "at the beginning"
	w := (*world)(nil)
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			found = at + ": " + string(f)
		}
		var err error
		if w != nil {
			err = w.quit()
		}
		if err = errors.Join(err, os.RemoveAll(dir)); err != nil && found == "" {
			found = err.Error()
		}
	}()
	w = newWorld(dir, seed)
	w.full, done = full, w.done
	for i, s := range steps {
		at = fmt.Sprintf("step %d %s", i+1, s)
		w.play(s)
		if full {
			w.probe("then", 1)
		}
	}
	at = "at the end"
	w.probe("in the same process", 1)
	w.open()
	w.probe("in another process", 3)
	w.dropState()
	w.open()
	w.probe("without .state", 4)
	return "", done
}

func TestThePastIsWhatHappened(t *testing.T) {
	dir := fast(t)
	t.Run("kept", func(t *testing.T) {
		names, err := filepath.Glob(filepath.Join(caseFolder, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
				k, err := readCase(name)
				if err != nil {
					t.Fatal(err)
				}
				if found := playIn(dir, 0, k.Steps, true); found != "" {
					t.Error(found)
				}
			})
		}
	})
	if !t.Failed() {
		t.Run("made up", func(t *testing.T) { playMany(t, dir) })
	}
}

// playMany plays sequences on all processors until one finds a fault, which is
// then made short. It makes sure that each kind of step happened.
func playMany(t *testing.T, dir string) {
	var next atomic.Uint64
	var failed atomic.Bool
	var workers sync.WaitGroup
	var mu sync.Mutex
	total := map[string]int{}
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for !failed.Load() {
				n := next.Add(1) - 1
				if n >= uint64(*sequences) {
					return
				}
				steps := sequence(*seed + n)
				found, done := played(dir, *seed+n, steps, false)
				if found != "" && !failed.Swap(true) {
					report(t, dir, *seed+n, steps, found)
				}
				mu.Lock()
				for do, times := range done {
					total[do] += times
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	t.Logf("%d sequences, of whose steps these found something to do: %v", *sequences, total)
	for _, k := range kinds() {
		if *sequences >= 200 && !failed.Load() && total[k.do] == 0 {
			t.Errorf("%s never found anything to do", k.do)
		}
	}
}

// report makes a sequence short and keeps it.
func report(t *testing.T, dir string, seed uint64, steps []step, found string) {
	short := shorten(steps, func(s []step) bool { return playIn(dir, seed, s, true) != "" || playIn(dir, seed, s, false) != "" }, *tries)
	why := found
	if *tries > 0 {
		if shorter := playIn(dir, seed, short, true); shorter != "" {
			why = shorter
		}
	}
	t.Errorf("seed %d: %s\n\nmade short: %s", seed, found, why)
	for _, s := range short {
		t.Log(s)
	}
	if !*keep {
		return
	}
	name := filepath.Join(caseFolder, fmt.Sprintf("seed-%d.json", seed))
	if err := (kept{Why: why, Steps: short}).write(name); err != nil {
		t.Error(err)
	}
}
