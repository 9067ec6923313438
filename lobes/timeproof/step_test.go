package timeproof_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// A step is one thing that happens. It names what it is about by number, so
// that a sequence still makes sense when other steps are taken out of it: a
// step for which there is nothing to do does nothing.
type step struct {
	Do     string `json:"do"`
	Folder int    `json:"folder,omitempty"` // 0 the project, 1 another project, 2 the project's copy on another machine
	Pick   int    `json:"pick,omitempty"`   // which of the entries that it could be about
	N      int    `json:"n,omitempty"`      // which way to do it
	Gap    int    `json:"gap,omitempty"`    // milliseconds that pass before
}

func (s step) String() string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// kinds are what can happen and how often it does.
func kinds() []struct {
	do     string
	weight int
} {
	return []struct {
		do     string
		weight int
	}{
		{"store", 9}, {"again", 3}, {"append", 5}, {"replace", 8}, {"edit", 6}, {"confirm", 4}, {"archive", 3},
		{"supersede", 8}, {"delete", 8}, {"erase", 4}, {"undo", 12}, {"undoSession", 6}, {"restore", 12},
		{"moveTopic", 5}, {"moveLobe", 5},
		{"handEdit", 8}, {"handRevert", 8}, {"handDelete", 5}, {"handNew", 4},
		{"settle", 5}, {"reopen", 2}, {"crash", 2}, {"copy", 8}, {"merge", 9}, {"back", 2},
	}
}

// gaps are how many milliseconds pass between two things; some happen at once.
func gaps() []int {
	return []int{0, 1, 1, 3, 7, 60, 1000, 5000, 45000, 3 * 3600 * 1000, 30 * 3600 * 1000}
}

// sequence makes up what happens from a seed.
func sequence(seed uint64) []step {
	r := rand.New(rand.NewPCG(seed, 0x74696d65))
	all := kinds()
	total := 0
	for _, k := range all {
		total += k.weight
	}
	steps := make([]step, 0, 16)
	for i := range 5 + r.IntN(13) {
		s := step{Pick: r.IntN(8), N: r.IntN(24), Gap: gaps()[r.IntN(len(gaps()))]}
		at := r.IntN(total)
		for _, k := range all {
			if at -= k.weight; at < 0 {
				s.Do = k.do
				break
			}
		}
		// Most happens in one folder, so that entries grow a history.
		switch r.IntN(10) {
		case 0:
			s.Folder = 1
		case 1, 2:
			s.Folder = 2
		}
		// There is something to begin with.
		if i < 2 {
			s.Do, s.Folder = "store", 0
		}
		steps = append(steps, s)
	}
	return steps
}

// shorten takes out of a sequence what its fault does not need.
func shorten(steps []step, fails func([]step) bool, tries int) []step {
	try := func(s []step) bool {
		if tries--; tries < 0 || !fails(s) {
			return false
		}
		steps = s
		return true
	}
	for size := len(steps) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(steps); {
			if !try(slices.Concat(steps[:at], steps[at+size:])) {
				at += size
			}
		}
	}
	for at := len(steps) - 1; at >= 0; at-- {
		for _, plain := range []func(*step){
			func(s *step) { s.Folder = 0 }, func(s *step) { s.Pick = 0 }, func(s *step) { s.N = 0 }, func(s *step) { s.Gap = 1000 },
		} {
			s := slices.Clone(steps)
			if plain(&s[at]); s[at] != steps[at] {
				try(s)
			}
		}
	}
	for at := 0; at < len(steps); {
		if !try(slices.Delete(slices.Clone(steps), at, at+1)) {
			at++
		}
	}
	return steps
}

// A kept is a sequence that once found a fault.
type kept struct {
	Why   string `json:"why"`
	Steps []step `json:"steps"`
}

var caseFolder = filepath.Join("testdata", "cases")

func readCase(name string) (kept, error) {
	var k kept
	b, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil {
		return k, fmt.Errorf("read %s: %w", name, err)
	}
	return k, nil
}

// write keeps the sequence, a line for each step.
func (k kept) write(name string) error {
	why, err := json.Marshal(k.Why)
	if err != nil {
		return err
	}
	b := append([]byte("{\"why\": "), why...)
	b = append(b, ",\n \"steps\": [\n"...)
	for i, s := range k.Steps {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, "  "+s.String()...)
	}
	b = append(b, "\n]}\n"...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o644)
}
