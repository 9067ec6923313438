package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// grep gives the files of a folder that hold a text.
func grep(t testing.TB, dir, word string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		b, err := os.ReadFile(p)
		if bytes.Contains(b, []byte(word)) || strings.Contains(p, word) {
			found = append(found, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func erase(t testing.TB, s *store.Store, ids ...string) []store.Erased {
	t.Helper()
	done, err := s.Erase(bg, store.By{Actor: "person", Session: "why zanzibar", Reason: "zanzibar"}, ids...)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// index is what a snapshot carries along for the index.
func index(text string) func(io.Writer, ...string) ([]string, error) {
	return func(w io.Writer, _ ...string) ([]string, error) {
		_, err := io.WriteString(w, text)
		return nil, err
	}
}

// litter puts the word into every place where something of an entry can be.
func litter(t *testing.T, s *store.Store, id string) {
	t.Helper()
	fill(t, s, 220)
	w := put(t, s, entry.OpCreate, note(id, "Zanzibar", "zanzibar zanzibar."))
	first := readFile(t, w.Path)
	put(t, s, entry.OpReplace, note(id, "Zanzibar", "Not zanzibar."))
	chain, err := s.Revisions(id)
	if err != nil {
		t.Fatal(err)
	}
	chain[0].Reason = "It came from zanzibar."
	write(t, s, func(tx *store.Tx) error {
		if err := tx.Bring(id, chain[0]); err != nil {
			return err
		}
		return tx.Move(entry.OpMove, id, toTopic("modules/zanzibar"))
	})
	v := look(t, s)
	if ok, err := s.SaveSnapshot(bg, "1", v, true, index("zanzibar")); err != nil || !ok {
		t.Fatalf("no snapshot: %v %v", ok, err)
	}
	hist := filepath.Join(s.Dir(), ".history", entry.HistoryDir(id))
	for name, text := range map[string]string{
		"gotchas/copy of " + id + ".md":          first,
		"gotchas/.tmp-0011223344556677":          first,
		"general/.tmp-0011223344556678":          first[:strings.Index(first, "zanzibar")+4] + "zibar",
		"modules/zanzibar/" + id + ".md":         strings.Replace(first, "zanzibar.", "zanzibar by hand.", 1),
		".state/.tmp-0011223344556677":           "a snapshot of zanzibar, cut",
		".state/uses":                            "gotcha-00000001\n" + id + "\n",
		".state/ledger/x":                        "shown " + id + "\n",
		".inbox/one.json":                        `{"text": "zanzibar", "about": "` + id + `"}`,
		".inbox/other.json":                      `{"text": "else", "about": "` + id + `0"}`,
		".history/" + filepath.Base(hist) + "/x": "",
	} {
		writeFile(t, filepath.Join(s.Dir(), name), text)
	}
	name, err := chain[0].Name()
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.TrimSuffix(strings.TrimPrefix(name, id+"."), ".md")
	writeFile(t, filepath.Join(hist, "."+whole+"."+id+".tmp"), "memory-mcp revision 1, cut after zanzibar")
}

func TestNothingOfAnErasedEntryIsLeft(t *testing.T) {
	const id = "gotcha-zzz"
	s := open(t, lobe(t), store.Options{})
	litter(t, s, id)
	if found := grep(t, s.Dir(), "anzibar"); len(found) < 10 {
		t.Fatalf("only %d files to erase: %v", len(found), found)
	}
	if err := os.Remove(filepath.Join(s.Dir(), ".history", entry.HistoryDir(id), "x")); err != nil {
		t.Fatal(err)
	}
	done := erase(t, s, id)
	if found := grep(t, s.Dir(), "anzibar"); len(found) > 0 {
		t.Fatalf("left in %v", found)
	}
	if len(done) != 1 || len(done[0].Paths) != 2 || done[0].Files < 10 {
		t.Errorf("erased %+v", done)
	}
	if found := grep(t, s.Dir(), id); len(found) != 2 { // the tombstone, and raw material that names another id
		t.Errorf("the id is in %v", found)
	}
	if got := readFile(t, filepath.Join(s.Dir(), ".state/uses")); got != "gotcha-00000001\n" {
		t.Errorf("uses %q", got)
	}
	if v := look(t, s); v.Len() != 220 {
		t.Errorf("%d entries are left", v.Len())
	}
	if problems, err := s.Problems(bg); err != nil || len(problems) > 0 {
		t.Errorf("problems %+v, %v", problems, err)
	}
	erasedForGood(t, s, id)
	erasedForGood(t, open(t, s.Dir(), store.Options{}), id)
}

// erasedForGood checks that an id is not believed at any time, and never
// written again.
func erasedForGood(t *testing.T, s *store.Store, id string) {
	t.Helper()
	p := past(t, s)
	line := p.Line(id)
	if len(line) != 1 || line[0].Op != entry.OpErase || len(p.Beside(id))+len(p.Brought(id)) > 0 {
		t.Fatalf("line %+v", line)
	}
	for _, at := range []time.Time{{}, line[0].Recorded.Add(-time.Hour), line[0].Recorded, time.Now().Add(time.Hour)} {
		if m, ok := p.Believed(id, at); ok {
			t.Errorf("at %v %+v is believed", at, m)
		}
	}
	r, err := p.Read(line[0])
	if err != nil || r.Actor != "person" || r.Session+r.Reason+r.Path+r.Change != "" {
		t.Errorf("tombstone %+v, %v", r, err)
	}
	_, putErr := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpCreate, note(id, "New", "new")) })
	_, updateErr := s.Write(bg, me, func(tx *store.Tx) error { return tx.Move(entry.OpMove, id, toTopic("general")) })
	_, restoreErr := s.Restore(bg, me, id)
	for _, err := range []error{putErr, updateErr, restoreErr} {
		var unknown *store.UnknownIDError
		if !errors.As(err, &unknown) || !unknown.Erased {
			t.Errorf("a write gives %v", err)
		}
	}
	if done := erase(t, s, id); len(done[0].Paths) > 0 {
		t.Errorf("erased again: %+v", done)
	}
}

func TestErasingWhatNeverWas(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	var unknown *store.UnknownIDError
	if _, err := s.Erase(bg, me, "gotcha-00000001"); !errors.As(err, &unknown) {
		t.Fatalf("in no folder: %v", err)
	}
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "a"))
	for _, id := range []string{"gotcha-00000002", "", "../x", "a/b"} {
		if _, err := s.Erase(bg, me, "gotcha-00000001", id); !errors.As(err, &unknown) || unknown.ID != id {
			t.Fatalf("%q: %v", id, err)
		}
	}
	if readFile(t, w.Path) == "" || len(ops(t, s, "gotcha-00000001")) != 1 {
		t.Error("the other one is erased")
	}
}

// TestAStaleSnapshotIsNotWritten: a process that looked before an erasure does
// not bring the text back into the caches.
func TestAStaleSnapshotIsNotWritten(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	fill(t, s, 220)
	put(t, s, entry.OpCreate, note("gotcha-zzz", "Zanzibar", "zanzibar"))
	other := open(t, s.Dir(), store.Options{})
	v := look(t, other)
	erase(t, s, "gotcha-zzz")
	if ok, err := other.SaveSnapshot(bg, "1", v, true, index("zanzibar")); err != nil || ok {
		t.Fatalf("written: %v, %v", ok, err)
	}
	if found := grep(t, s.Dir(), "anzibar"); len(found) > 0 {
		t.Fatalf("left in %v", found)
	}
}

// TestALateTextOfAnErasedEntryIsDropped: an editor that still has the replaced
// file open writes into it after the erasure.
func TestALateTextOfAnErasedEntryIsDropped(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-zzz", "Zanzibar", "zanzibar"))
	editor, err := os.OpenFile(w.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer editor.Close()
	other := open(t, s.Dir(), store.Options{})
	_, err = other.Write(bg, me, func(tx *store.Tx) error {
		return tx.Put(entry.OpReplace, note("gotcha-zzz", "Zanzibar", "zanzibar again"))
	})
	if err != nil {
		t.Fatal(err)
	}
	erase(t, s, "gotcha-zzz")
	if _, err := editor.WriteAt([]byte("zanzibar for the last time"), 0); err != nil {
		t.Fatal(err)
	}
	look(t, other)
	put(t, other, entry.OpCreate, note("gotcha-00000001", "A", "a"))
	if found := grep(t, s.Dir(), "anzibar"); len(found) > 0 || len(other.Conflicts()) > 0 {
		t.Fatalf("left in %v, conflicts %v", found, other.Conflicts())
	}
}

// TestErasingSurvivesAKill kills a process that erases, and looks at what the
// next one finds and leaves.
func TestErasingSurvivesAKill(t *testing.T) {
	dir := lobe(t)
	rounds := 0
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end) || rounds < 5; rounds++ {
		acknowledged := map[string]string{}
		killOne(t, dir, "STORE_TEST_ERASER", time.Duration(5+rounds*11%50)*time.Millisecond, acknowledged)
		s := open(t, dir, store.Options{})
		settle(t, s, true)
		put(t, s, entry.OpReplace, note("gotcha-check", "Check", time.Now().String()))
		for id := range acknowledged {
			if found := grep(t, dir, "text of "+id+"."); len(found) > 0 {
				t.Fatalf("round %d: %s was erased and is in %v", rounds, id, found)
			}
		}
		wholeOrGone(t, s, rounds)
	}
	t.Logf("%d kills", rounds)
}

// wholeOrGone checks that of each entry either all is there or nothing.
func wholeOrGone(t *testing.T, s *store.Store, round int) {
	t.Helper()
	p := past(t, s)
	for id := range p.IDs() {
		line := p.Line(id)
		if _, there := p.View().ID(id); there == (line[0].Op == entry.OpErase) {
			t.Fatalf("round %d: %s: a head %v, and the line %+v", round, id, there, line)
		}
		if found := grep(t, s.Dir(), "text of "+id+"."); (line[0].Gone || line[0].Blank) && len(found) > 0 {
			t.Fatalf("round %d: %s is half erased: %v", round, id, found)
		}
	}
	if problems, err := s.Problems(bg); err != nil || len(problems) > 0 {
		t.Fatalf("round %d: problems %+v, %v", round, problems, err)
	}
}

// eraseForever writes entries and erases them, and says what is gone.
func eraseForever(dir string) error {
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		var ids []string
		for n := range 3 {
			id := fmt.Sprintf("gotcha-%d-%d-%d", os.Getpid(), i, n)
			ids = append(ids, id)
			for _, state := range []string{"First", "Second"} {
				if _, err := s.Write(bg, me, func(tx *store.Tx) error {
					return tx.Put(entry.OpReplace, note(id, id, state+" text of "+id+"."))
				}); err != nil {
					return err
				}
			}
		}
		fmt.Println("begin") // the clock of the one who kills starts here
		if os.Getpid()%2 == 0 {
			if err := blankOne(s, fmt.Sprintf("gotcha-%d-%d-kept", os.Getpid(), i)); err != nil {
				return err
			}
			continue
		}
		if _, err := s.Erase(bg, me, ids...); err != nil {
			return err
		}
		for _, id := range ids {
			fmt.Println(id, "20060102T150405.000000000Z-0123456789abcdef")
		}
	}
}

// blankOne writes two states of an entry, erases the first, and says so.
func blankOne(s *store.Store, id string) error {
	var first string
	for _, text := range []string{"First text of " + id + ".", "What holds of " + id + "."} {
		done, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpReplace, note(id, id, text)) })
		if err != nil {
			return err
		}
		if first == "" {
			first = done[0].Key
		}
	}
	if _, err := s.Blank(bg, me, id, first); err != nil {
		return err
	}
	fmt.Println(id, first)
	return nil
}
