package store_test

import (
	"errors"
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

// blank erases the content of single states.
func blank(t testing.TB, s *store.Store, id string, keys ...string) store.Erased {
	t.Helper()
	done, err := s.Blank(bg, store.By{Actor: "person", Session: "why zanzibar", Reason: "zanzibar"}, id, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

const blanked = "gotcha-zzz"

// states writes three states of an entry, of which the middle one is to go, and
// puts its text everywhere where it can be.
func states(t *testing.T, c *clock) (*store.Store, []store.Written) {
	t.Helper()
	s := open(t, lobe(t), store.Options{Now: c.now})
	fill(t, s, 220)
	var all []store.Written
	for i, text := range []string{"first", "zanzibar\n\nzanzibar.", "third"} {
		c.pass(time.Hour)
		op := entry.OpReplace
		if i == 0 {
			op = entry.OpCreate
		}
		w := put(t, s, op, note(blanked, "A", text))
		all = append(all, w)
		if i != 1 {
			continue
		}
		file := readFile(t, w.Path)
		v := look(t, s)
		if ok, err := s.SaveSnapshot(bg, "1", v, true, index("zanzibar")); err != nil || !ok {
			t.Fatalf("no snapshot: %v %v", ok, err)
		}
		name, err := mustRevision(t, s, blanked, w.Key).Name()
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"gotchas/copy.md":                              file,
			"gotchas/.tmp-0011223344556677":                file[:strings.Index(file, "zanzibar")+8],
			".state/.tmp-0011223344556677":                 "a snapshot of zanzibar, cut",
			".state/vectors.1":                             "zanzibar",
			".inbox/one.json":                              `{"text": "zanzibar\n\nzanzibar.", "about": "nothing"}`,
			".inbox/two.md":                                "said: zanzibar\n\nzanzibar.",
			".inbox/other.json":                            `{"text": "else", "about": "` + blanked + `"}`,
			".history/" + halfOf(name) + "":                "memory-mcp revision 1, cut after zanzibar",
			".brought/" + folderName(blanked) + "/" + name: readFile(t, historyFile(s, blanked, w.Key)),
		} {
			writeFile(t, filepath.Join(s.Dir(), name), text)
		}
	}
	return s, all
}

func folderName(id string) string { return entry.HistoryDir(id) }

// halfOf is where a revision lies before it counts.
func halfOf(name string) string {
	id, key, _ := entry.SplitName(name)
	return filepath.Join(folderName(id), "."+key+"."+id+".tmp")
}

func historyFile(s *store.Store, id, key string) string {
	return filepath.Join(s.Dir(), ".history", folderName(id), id+"."+key+".md")
}

func mustRevision(t testing.TB, s *store.Store, id, key string) entry.Revision {
	t.Helper()
	all, err := s.Revisions(id)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(r entry.Revision) bool { return r.Key() == key })
	if at < 0 {
		t.Fatalf("no revision %s of %s", key, id)
	}
	return all[at]
}

func TestNothingOfAnErasedStateIsLeft(t *testing.T) {
	c := newClock()
	s, all := states(t, c)
	if found := grep(t, s.Dir(), "zanzibar"); len(found) < 9 {
		t.Fatalf("only %d files to erase: %v", len(found), found)
	}
	done := blank(t, s, blanked, all[1].Key)
	if found := grep(t, s.Dir(), "zanzibar"); len(found) > 0 {
		t.Fatalf("left in %v", found)
	}
	if len(done.Paths) != 1 || !strings.HasSuffix(done.Paths[0], "copy.md") || done.Files < 7 {
		t.Errorf("erased %+v", done)
	}
	if readFile(t, filepath.Join(s.Dir(), ".inbox/other.json")) == "" || body(t, s, blanked) != "third" {
		t.Error("more is gone")
	}
	for _, s := range []*store.Store{s, open(t, s.Dir(), store.Options{Now: c.now})} {
		holdsTogether(t, s, all)
		if problems, err := s.Problems(bg); err != nil || len(problems) > 0 {
			t.Errorf("problems %+v, %v", problems, err)
		}
	}
	if again := blank(t, s, blanked, all[1].Key); again.Files > 0 {
		t.Errorf("erased again: %+v", again)
	}
	put(t, s, entry.OpReplace, note(blanked, "A", "fourth"))
	blank(t, s, blanked, all[0].Key, all[2].Key)
	if got := ops(t, s, blanked); !slices.Equal(got, []entry.Op{entry.OpBlank, entry.OpBlank, entry.OpBlank, entry.OpReplace}) {
		t.Errorf("a history of blanks: %v", got)
	}
}

// holdsTogether checks what is known of an entry whose second state is erased.
func holdsTogether(t *testing.T, s *store.Store, all []store.Written) {
	t.Helper()
	p := past(t, s)
	line := p.Line(blanked)
	if len(line) != 3 || !line[1].Blank || !line[1].Gone || len(p.Beside(blanked)) > 0 {
		t.Fatalf("line %+v, beside %+v", line, p.Beside(blanked))
	}
	for i, m := range line {
		for _, at := range []time.Time{m.Recorded, m.Recorded.Add(time.Minute)} {
			got, ok := p.Believed(blanked, at)
			erased, gone := p.ErasedAt(blanked, at)
			if ok != (i != 1) || gone != (i == 1) || ok && got.Key != m.Key || gone && erased.Key != m.Key {
				t.Errorf("state %d at %v: %+v %v, erased %+v %v", i, at, got, ok, erased, gone)
			}
			v, err := p.At(bg, at)
			if _, there := v.ID(blanked); err != nil || there != (i != 1) {
				t.Errorf("state %d at %v: there %v, %v", i, at, there, err)
			}
		}
	}
	r, err := p.Read(line[1])
	if err != nil || r.Was != entry.OpReplace || r.Eraser != "person" || r.Actor != me.Actor || r.Change == "" || r.Session+r.Reason+r.Path+r.Hint != "" {
		t.Errorf("the blank is %+v, %v", r, err)
	}
	last := mustRevision(t, s, blanked, all[2].Key)
	if len(last.Parents) != 1 || last.Parents[0] != all[1].Key || p.Counts(blanked, all[1].Key) != line[1].Key {
		t.Errorf("%v is followed, which is %s now", last.Parents, p.Counts(blanked, all[1].Key))
	}
	if len(s.Conflicts()) > 0 {
		t.Errorf("conflicts %+v", s.Conflicts())
	}
}

func TestWhatCannotBeErasedByItself(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	first := put(t, s, entry.OpCreate, note(blanked, "A", "first"))
	c.pass(time.Hour)
	second := put(t, s, entry.OpReplace, note(blanked, "A", "second"))
	var current *store.CurrentError
	var unknown *store.UnknownRevisionError
	var noID *store.UnknownIDError
	if _, err := s.Blank(bg, me, blanked, first.Key, second.Key); !errors.As(err, &current) || current.Revision != second.Revision {
		t.Errorf("the present state: %v", err)
	}
	if _, err := s.Blank(bg, me, blanked, "20261130T021400.000000000Z-0011223344556677"); !errors.As(err, &unknown) {
		t.Errorf("a state that never was: %v", err)
	}
	if _, err := s.Blank(bg, me, "gotcha-00000009", first.Key); err == nil {
		t.Error("of an id that never was")
	}
	if got := ops(t, s, blanked); !slices.Equal(got, []entry.Op{entry.OpCreate, entry.OpReplace}) {
		t.Errorf("something was erased: %v", got)
	}
	c.pass(time.Hour)
	write(t, s, func(tx *store.Tx) error { return tx.Remove(blanked) })
	blank(t, s, blanked, second.Key)
	var deleted store.Moment
	if line := past(t, s).Line(blanked); len(line) != 3 || !line[1].Blank {
		t.Errorf("of what was deleted: %+v", line)
	} else {
		deleted = line[2]
	}
	if _, err := s.Blank(bg, me, blanked, deleted.Key); !errors.As(err, &unknown) && !errors.As(err, &current) {
		t.Errorf("a tombstone: %v", err)
	}
	erase(t, s, blanked)
	if _, err := s.Blank(bg, me, blanked, first.Key); !errors.As(err, &noID) || !noID.Erased {
		t.Errorf("of an erased id: %v", err)
	}
}

// TestAnEditByHandIsAdoptedBeforeItsParentIsErased: what nobody wrote down yet
// follows a blank, as it followed the state.
func TestAnEditByHandIsAdoptedBeforeItsParentIsErased(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note(blanked, "A", "zanzibar"))
	writeFile(t, w.Path, strings.Replace(readFile(t, w.Path), "zanzibar", "by hand", 1))
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(w.Path, old, old); err != nil {
		t.Fatal(err)
	}
	rest(t)
	blank(t, s, blanked, w.Key)
	if got := ops(t, s, blanked); !slices.Equal(got, []entry.Op{entry.OpBlank, entry.OpAdopt}) {
		t.Errorf("history %v", got)
	}
	if found := grep(t, s.Dir(), "zanzibar"); len(found) > 0 || body(t, s, blanked) != "by hand" {
		t.Errorf("left in %v, and the head is %q", found, body(t, s, blanked))
	}
}

// TestAStateThatComesBackDoesNotCount: a raw copy brings the file of a state
// that was erased.
func TestAStateThatComesBackDoesNotCount(t *testing.T) {
	c := newClock()
	s, all := states(t, c)
	file := historyFile(s, blanked, all[1].Key)
	was := readFile(t, file)
	blank(t, s, blanked, all[1].Key)
	writeFile(t, file, was)
	other := open(t, s.Dir(), store.Options{Now: c.now})
	holdsTogether(t, other, all)
	problems, err := other.Problems(bg)
	if err != nil || len(problems) != 1 || problems[0].File != file || !strings.Contains(problems[0].Remedy, "forget "+blanked+" --erase --revision "+all[1].Revision) {
		t.Errorf("problems %+v, %v", problems, err)
	}
	into := open(t, lobe(t), store.Options{Now: c.now})
	merge(t, into, other)
	if found := grep(t, into.Dir(), "zanzibar"); len(found) > 0 {
		t.Errorf("a merge takes it over: %v", found)
	}
	blank(t, other, blanked, all[1].Key)
	if found := grep(t, s.Dir(), "zanzibar"); len(found) > 0 {
		t.Errorf("left in %v", found)
	}
}

// TestNoCopyBringsAnErasedStateBack: whatever two copies did, erased and merged,
// in the end no file of either holds what was erased on one side, and all else
// is there.
func TestNoCopyBringsAnErasedStateBack(t *testing.T) {
	top := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		if round++; round > sequences() {
			return
		}
		dir := filepath.Join(top, fmt.Sprint(round))
		defer os.RemoveAll(dir)
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
		erased := map[string]bool{} // text to whether it was
		for n := range rapid.IntRange(2, 14).Draw(t, "acts") {
			s := sides[rapid.IntRange(0, 1).Draw(t, "side")]
			s.clock.pass(time.Duration(rapid.IntRange(-2000, 4000).Draw(t, "ms")) * time.Millisecond)
			switch rapid.IntRange(0, 4).Draw(t, "act") {
			case 0, 1:
				text := fmt.Sprintf("text %d.", n)
				erased[text] = false
				if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpReplace, note(blanked, "A", text)) }); err != nil {
					t.Fatal(err)
				}
			case 2, 3:
				blankAny(t, s, erased)
			default:
				mergeSides(t, sides[0], sides[1])
			}
		}
		mergeSides(t, sides[0], sides[1])
		mergeSides(t, sides[1], sides[0])
		for _, s := range sides {
			agreesOnErased(t, s, erased)
		}
	})
}

// blankAny erases one of the states that are not believed now.
func blankAny(t *rapid.T, s side, erased map[string]bool) {
	p, err := s.Past(bg)
	if err != nil {
		t.Fatal(err)
	}
	now, _ := p.Believed(blanked, p.Now())
	var some []store.Moment
	for _, m := range slices.Concat(p.Line(blanked), p.Beside(blanked)) {
		if !m.Gone && m.Key != now.Key {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		return
	}
	m := rapid.SampledFrom(some).Draw(t, "state")
	e, err := p.Entry(m)
	if err != nil {
		t.Fatal(err)
	}
	erased[e.Body] = true
	if _, err := s.Blank(bg, me, blanked, m.Key); err != nil {
		t.Fatal(err)
	}
}

func agreesOnErased(t *rapid.T, s side, erased map[string]bool) {
	if len(erased) == 0 {
		return
	}
	p, err := s.Past(bg)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	all := slices.Concat(p.Line(blanked), p.Beside(blanked))
	for _, m := range all {
		if m.Gone {
			continue
		}
		e, err := p.Entry(m)
		if err != nil {
			t.Fatal(err)
		}
		found[e.Body] = true
	}
	for text, gone := range erased {
		if found[text] == gone {
			t.Fatalf("%q was erased: %v; it is in the history: %v\n%+v", text, gone, found[text], all)
		}
		if files := grepFiles(t, s.Dir(), text); gone && len(files) > 0 {
			t.Fatalf("%q was erased and is in %v", text, files)
		}
	}
	for _, c := range s.Conflicts() {
		if slices.ContainsFunc(all, func(m store.Moment) bool { return m.Blank && m.Key == c.Key }) {
			t.Fatalf("what was erased is a conflict: %+v", c)
		}
	}
	if problems, err := s.Problems(bg); err != nil || slices.ContainsFunc(problems, func(p store.Problem) bool { return !strings.Contains(p.What, "another copy") }) {
		t.Fatalf("problems %+v, %v", problems, err)
	}
}

func grepFiles(t *rapid.T, dir, word string) []string {
	var found []string
	names, err := filepath.Glob(filepath.Join(dir, ".history", "*", "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no history in %s: %v", dir, err)
	}
	heads, err := filepath.Glob(filepath.Join(dir, "*", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, heads...) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), word) {
			found = append(found, name)
		}
	}
	return found
}
