package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// revFile is the file of a state of the shared entry.
func revFile(s *store.Store, key string) string {
	return filepath.Join(s.Dir(), ".history", entry.HistoryDir(shared), shared+"."+key+".md")
}

// four makes an entry with four states.
func four(t *testing.T) (s *store.Store, keys []string) {
	t.Helper()
	s = open(t, lobe(t), store.Options{})
	for _, text := range []string{"One.", "Two.", "Three.", "Four."} {
		keys = append(keys, put(t, s, entry.OpReplace, note(shared, "Port", text)).Key)
	}
	return s, keys
}

// TestHistoryThatIsDamaged: the answers speak from what is left, the damaged
// file, or the one that is missing, is named, and no state becomes a conflict
// because its follower is gone.
func TestHistoryThatIsDamaged(t *testing.T) {
	cut := func(t *testing.T, file string) { writeFile(t, file, readFile(t, file)[:60]) }
	edit := func(t *testing.T, file string) {
		writeFile(t, file, strings.Replace(readFile(t, file), ".", "!", 1))
	}
	remove := func(t *testing.T, file string) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		spoil   func(*testing.T, string)
		named   bool
		reopen  bool
		already bool // it was read before
	}{
		"cut":               {cut, true, true, false},
		"edited":            {edit, true, true, false},
		"emptied":           {func(t *testing.T, file string) { writeFile(t, file, "") }, true, true, false},
		"removed":           {remove, false, true, false},
		"removed meanwhile": {remove, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, keys := four(t)
			if c.already {
				past(t, s).Line(shared)
			}
			file := revFile(s, keys[2])
			c.spoil(t, file)
			if c.reopen {
				s = open(t, s.Dir(), store.Options{})
			}
			p := past(t, s)
			var got []string
			for _, m := range p.Line(shared) {
				got = append(got, m.Key)
			}
			if want := []string{keys[0], keys[1], keys[3]}; !slices.Equal(got, want) || len(p.Beside(shared)) > 0 {
				t.Fatalf("line %v, want %v; beside %v", got, want, p.Beside(shared))
			}
			at, _ := entry.RevisionTime(keys[2])
			if m, ok := p.Believed(shared, at); !ok || m.Key != keys[1] {
				t.Errorf("when it held, %v is believed (%v)", m, ok)
			}
			if named := len(p.Damaged()) == 1 && p.Damaged()[0].File == file; named != c.named {
				t.Errorf("damaged %+v", p.Damaged())
			}
			problems, err := s.Problems(bg)
			if err != nil || len(problems) != 1 || problems[0].File != file {
				t.Errorf("problems %+v, %v", problems, err)
			}
			if _, err := p.Read(store.Moment{ID: shared, Key: keys[2]}); err == nil {
				t.Error("it is read all the same")
			}
			if done := settle(t, s, true); len(done.Adopted)+len(done.Retracted) > 0 || len(s.Conflicts()) > 0 {
				t.Errorf("settled %+v, conflicts %+v", done, s.Conflicts())
			}
		})
	}
}

// TestAStrayFileAmongTheFoldersOfHistory is named for what it is.
func TestAStrayFileAmongTheFoldersOfHistory(t *testing.T) {
	s, _ := four(t)
	file := filepath.Join(s.Dir(), ".history", "notes.md")
	writeFile(t, file, "mine")
	writeFile(t, filepath.Join(s.Dir(), ".history", ".DS_Store"), "a system's")
	problems, err := s.Problems(bg)
	if err != nil || len(problems) != 1 || problems[0].File != file || !strings.Contains(problems[0].What, "is no folder") || problems[0].Remedy != "move it away" {
		t.Errorf("problems %+v, %v", problems, err)
	}
	if got := ops(t, s, shared); len(got) != 4 {
		t.Errorf("history %v", got)
	}
}

// TestWhatOthersLeaveInOurFoldersIsInNobodysWay: a file manager writes into every
// folder that a person opens.
func TestWhatOthersLeaveInOurFoldersIsInNobodysWay(t *testing.T) {
	s, _ := four(t)
	record(t, s, feedback(shared, "Not so."))
	var ours []string
	err := filepath.WalkDir(s.Dir(), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			ours = append(ours, path)
		}
		return err
	})
	if err != nil || len(ours) < 6 { // the lobe, a topic, .history and .records with a folder each
		t.Fatal(ours, err)
	}
	for _, dir := range append(ours, filepath.Join(s.Dir(), ".brought"), filepath.Join(s.Dir(), ".inbox"), filepath.Join(s.Dir(), ".state")) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, ".DS_Store"), "a file manager's")
	}
	s = open(t, s.Dir(), store.Options{})
	put(t, s, entry.OpReplace, note(shared, "Port", "Five."))
	if got := ops(t, s, shared); len(got) != 5 {
		t.Errorf("history %v", got)
	}
	if all, err := s.Records(bg, store.RecordFilter{}); err != nil || len(all) != 1 {
		t.Errorf("records %v, %v", all, err)
	}
	if line := past(t, s).Line(shared); len(line) != 5 {
		t.Errorf("line %v", line)
	}
	if u, err := s.Usage(); err != nil || u.HistoryFiles < 5 || u.RecordFiles < 1 {
		t.Errorf("usage %+v, %v", u, err)
	}
	if problems, err := s.Problems(bg); err != nil || len(problems) != 0 {
		t.Errorf("problems %+v, %v", problems, err)
	}
	if _, err := s.Erase(bg, me, shared); err != nil {
		t.Error(err)
	}
	if got := ops(t, s, shared); !slices.Equal(got, []entry.Op{entry.OpErase}) {
		t.Errorf("history after erasing %v", got)
	}
}

// TestTheNewestStateIsDamaged: the head is what history cannot say any more,
// and so it is written down again.
func TestTheNewestStateIsDamaged(t *testing.T) {
	s, keys := four(t)
	writeFile(t, revFile(s, keys[3]), "nothing")
	s = open(t, s.Dir(), store.Options{})
	line := past(t, s).Line(shared)
	if len(line) != 4 || !line[3].Pending {
		t.Fatalf("line %+v", line)
	}
	settle(t, s, true)
	if got := ops(t, s, shared); len(got) != 4 || got[3] != entry.OpAdopt {
		t.Fatalf("history %v", got)
	}
}

// TestTimesThatAreAlikeOrGoBack: the order is that of times, then of hashes, and
// what was written later is never older than what it follows.
func TestTimesThatAreAlikeOrGoBack(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	first := put(t, s, entry.OpCreate, note(shared, "Port", "One."))
	at, _ := entry.RevisionTime(first.Key)
	c.pass(-time.Hour)
	second := put(t, s, entry.OpReplace, note(shared, "Port", "Two."))
	if next, _ := entry.RevisionTime(second.Key); !next.Equal(at.Add(time.Millisecond)) {
		t.Fatalf("recorded at %v, after %v", next, at)
	}
	p := past(t, s)
	if m, ok := p.Believed(shared, c.now()); !ok || m.Key != second.Key {
		t.Errorf("now, which is before both, %+v is believed (%v)", m, ok)
	}
	if m, ok := p.Believed(shared, c.now().Add(-time.Second)); ok {
		t.Errorf("before both, %+v is believed", m)
	}
	// Two copies write at the same time.
	revs, err := s.Revisions(shared)
	if err != nil {
		t.Fatal(err)
	}
	twin := revs[1]
	twin.Head = []byte(strings.Replace(string(twin.Head), "Two.", "Too.", 1))
	if _, err := s.Graft(bg, twin); err != nil {
		t.Fatal(err)
	}
	later := max(second.Key, twin.Key())
	c.pass(2 * time.Hour)
	for _, s := range []*store.Store{s, open(t, s.Dir(), store.Options{Now: c.now})} {
		p := past(t, s)
		m, ok := p.Believed(shared, at.Add(time.Millisecond))
		if now, _ := p.Believed(shared, c.now()); !ok || m.Key != later || now.Key != later {
			t.Errorf("believed %+v, now %+v, want %s", m, now, later)
		}
	}
}

func TestWhatCannotBeReverted(t *testing.T) {
	s, keys := four(t)
	var exists *store.ExistsError
	var unknown *store.UnknownIDError
	for name, c := range map[string]struct {
		plan func(tx *store.Tx) error
		as   any
	}{
		"to a state that never was":   {func(tx *store.Tx) error { return tx.Revert(entry.OpUndo, shared, keys[0][:20]+"x") }, nil},
		"of another entry":            {func(tx *store.Tx) error { return tx.Revert(entry.OpUndo, "gotcha-00000009", keys[0]) }, nil},
		"restore onto an id":          {func(tx *store.Tx) error { return tx.Retract("gotcha-00000009", entry.OpRetract, "") }, &unknown},
		"a move of what is not there": {func(tx *store.Tx) error { return tx.Move(entry.OpMove, "gotcha-00000009", toTopic("general")) }, &unknown},
	} {
		if _, err := s.Write(bg, me, c.plan); err == nil || c.as != nil && !errors.As(err, c.as) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Restore(bg, me, shared); !errors.As(err, &exists) {
		t.Errorf("restored onto itself: %v", err)
	}
	write(t, s, func(tx *store.Tx) error { return tx.Remove(shared) })
	writeFile(t, filepath.Join(s.Dir(), "gotchas", shared+".md"), "---\nid: other\ntopic: gotchas\n---\n# Other\n")
	if _, err := s.Restore(bg, me, shared); !errors.As(err, &exists) {
		t.Errorf("restored onto another file: %v", err)
	}
	if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Revert(entry.OpUndo, shared, keys[0]) }); !errors.As(err, &exists) {
		t.Errorf("reverted onto another file: %v", err)
	}
}

// TestWhatComesBackAfterAnErasure is named, is not believed, and never becomes
// history.
func TestWhatComesBackAfterAnErasure(t *testing.T) {
	s, keys := four(t)
	rev, head := readFile(t, revFile(s, keys[1])), readFile(t, filepath.Join(s.Dir(), "gotchas", shared+".md"))
	erase(t, s, shared)
	writeFile(t, revFile(s, keys[1]), rev)
	file := filepath.Join(s.Dir(), "gotchas", shared+".md")
	writeFile(t, file, head)
	for _, s := range []*store.Store{s, open(t, s.Dir(), store.Options{})} {
		p := past(t, s)
		at, _ := entry.RevisionTime(keys[1])
		if m, ok := p.Believed(shared, at); ok {
			t.Errorf("%+v is believed", m)
		}
		var unknown *store.UnknownIDError
		if _, err := p.Read(store.Moment{ID: shared, Key: keys[1]}); !errors.As(err, &unknown) || !unknown.Erased {
			t.Errorf("it is read: %v", err)
		}
		if m, ok := p.Believed(shared, time.Now().Add(time.Hour)); !ok || !m.Pending {
			t.Errorf("of the present %+v, %v is believed", m, ok)
		}
		if done := settle(t, s, true); len(done.Adopted)+done.Waiting > 0 {
			t.Errorf("settled %+v", done)
		}
		var named []string
		problems, err := s.Problems(bg)
		for _, p := range problems {
			named = append(named, p.File)
		}
		if want := []string{revFile(s, keys[1]), file}; err != nil || !slices.Equal(named, want) {
			t.Errorf("problems %+v, %v", problems, err)
		}
	}
	erase(t, s, shared)
	if problems, err := s.Problems(bg); err != nil || len(problems) > 0 || len(grep(t, s.Dir(), "Two.")) > 0 {
		t.Errorf("erased again: %+v, %v", problems, err)
	}
}
