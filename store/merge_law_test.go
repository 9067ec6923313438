package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

// side is one of two copies of a folder.
type side struct {
	*store.Store
	clock *clock
}

// union is what has been written on both sides, by entry and key.
type union map[string]map[string]told

// TestCopiesThatAreMergedAgree: whatever was done to two copies, and however
// often they were merged meanwhile, in the end both hold the union, with the
// latest state of each entry as its head.
func TestCopiesThatAreMergedAgree(t *testing.T) {
	top := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		if round++; round > sequences() {
			return
		}
		dir := filepath.Join(top, fmt.Sprint(round))
		defer os.RemoveAll(dir)
		all := union{}
		var sides []side
		for n := range 2 {
			c := &clock{time.Now().Add(time.Hour + time.Duration(n)*time.Second)}
			s, err := store.Open(filepath.Join(dir, fmt.Sprint(n)), store.Options{Now: c.now})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			sides = append(sides, side{s, c})
		}
		for n := range rapid.IntRange(1, 10).Draw(t, "acts") {
			s := sides[rapid.IntRange(0, 1).Draw(t, "side")]
			s.clock.pass(time.Duration(rapid.IntRange(-2000, 4000).Draw(t, "ms")) * time.Millisecond)
			all.act(t, s, n)
			if rapid.IntRange(0, 4).Draw(t, "merge") == 0 {
				mergeSides(t, sides[0], sides[1])
			}
		}
		mergeSides(t, sides[0], sides[1])
		mergeSides(t, sides[1], sides[0])
		for _, s := range sides {
			all.check(t, s)
		}
	})
}

func mergeSides(t *rapid.T, into, from side) {
	if _, err := os.Stat(filepath.Join(from.Dir(), ".lobe")); err != nil {
		return // nothing was written there
	}
	if m, err := into.Merge(bg, from.Dir()); err != nil || len(m.Skipped)+len(m.Damaged) > 0 {
		t.Fatalf("merged %+v, %v", m, err)
	}
}

func (u union) act(t *rapid.T, s side, n int) {
	id := fmt.Sprintf("gotcha-%08d", rapid.IntRange(0, 2).Draw(t, "id"))
	v, err := s.Look(bg)
	if err != nil {
		t.Fatal(err)
	}
	h, there := v.ID(id)
	kind := rapid.SampledFrom([]string{"put", "put", "remove", "move"}).Draw(t, "act")
	ws, err := s.Write(bg, me, func(tx *store.Tx) error {
		switch {
		case kind == "remove" && there:
			return tx.Remove(id)
		case kind == "move" && there:
			return tx.Move(entry.OpMove, id, toTopic(rapid.SampledFrom([]string{"general", "gotchas"}).Draw(t, "topic")))
		}
		e := note(id, "Title", fmt.Sprintf("State %d.", n))
		if there {
			e.Topic = h.Entry.Topic
		}
		return tx.Put(entry.OpReplace, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(ws[0].Path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	at, _ := entry.RevisionTime(ws[0].Key)
	rel, _ := filepath.Rel(s.Dir(), ws[0].Path)
	if u[id] == nil {
		u[id] = map[string]told{}
	}
	u[id][ws[0].Key] = told{at, ws[0].Key, string(text), filepath.ToSlash(rel)}
}

func (u union) check(t *rapid.T, s side) {
	if done, err := s.Settle(bg, me, true); err != nil || len(done.Adopted)+len(done.Retracted) > 0 {
		t.Fatalf("a merge was taken for edits: %+v, %v", done, err)
	}
	s.clock.at = s.clock.at.Add(24 * time.Hour) // behind all that was written
	p, err := s.Past(bg)
	if err != nil {
		t.Fatal(err)
	}
	for id, states := range u {
		var line []told
		for _, state := range states {
			line = append(line, state)
		}
		slices.SortFunc(line, func(a, b told) int { return strings.Compare(a.key, b.key) })
		last := line[len(line)-1]
		h, there := p.View().ID(id)
		if there == last.gone() || there && (h.Hash != entry.Sum([]byte(last.bytes)) || h.Path != last.path) {
			t.Fatalf("%s: head %v %+v, want %+v", id, there, h, last)
		}
		if got := p.Line(id); len(got) != len(line) {
			t.Fatalf("%s: line %+v, want %+v", id, got, line)
		}
		for i, state := range line {
			m, ok := p.Believed(id, state.at)
			if i+1 < len(line) && line[i+1].at.Equal(state.at) {
				continue // the later of two at one time holds
			}
			if ok == state.gone() || ok && m.Key != state.key {
				t.Fatalf("%s at %v: %+v, %v, want %+v", id, state.at, m, ok, state)
			}
		}
	}
}
