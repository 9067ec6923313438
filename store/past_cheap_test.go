package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// TestWhatHasNotChangedIsNotRead spoils, in a folder of which a snapshot tells,
// every file of history but those of the states that a question is about: the
// answer does not know.
func TestWhatHasNotChangedIsNotRead(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	fill(t, s, 230)
	before := put(t, s, entry.OpReplace, note("gotcha-00000007", "Title", "Changed once."))
	c.pass(1e9)
	then := c.now()
	c.pass(1e9)
	put(t, s, entry.OpReplace, note("gotcha-00000007", "Title", "Changed twice."))
	put(t, s, entry.OpReplace, note("gotcha-00000007", "Title", "Changed three times."))
	write(t, s, func(tx *store.Tx) error { return tx.Remove("gotcha-00000008") })
	put(t, s, entry.OpCreate, note("gotcha-new", "New", "New since."))
	c.pass(1e9)
	v := look(t, s)
	past(t, s).Since(c.now().Add(-1))
	if ok, err := s.SaveSnapshot(bg, "1", v, true, index("x")); err != nil || !ok {
		t.Fatalf("no snapshot: %v, %v", ok, err)
	}
	next := open(t, s.Dir(), store.Options{Now: c.now})
	if _, err := next.LoadSnapshot("1"); err != nil {
		t.Fatal(err)
	}
	spared := 0
	err := filepath.WalkDir(filepath.Join(s.Dir(), ".history"), func(p string, d fs.DirEntry, err error) error {
		name := filepath.Base(p)
		if err != nil || d.IsDir() || strings.Contains(name, before.Key) || strings.HasPrefix(name, "gotcha-00000008.") {
			spared++
			return err
		}
		return os.WriteFile(p, []byte("spoiled"), 0o600)
	})
	if err != nil || spared < 3 {
		t.Fatalf("%d files spared, %v", spared, err)
	}
	p := past(t, next)
	old, err := p.At(bg, then)
	if err != nil || old.Len() != 230 || len(p.Damaged()) > 0 {
		t.Fatalf("%d entries, damaged %+v, %v", old.Len(), p.Damaged(), err)
	}
	if h, ok := old.ID("gotcha-00000007"); !ok || h.Entry.Body != "Changed once." {
		t.Errorf("it said %+v", h)
	}
	if d := p.View().Since(old); len(d.Changed) != 2 || len(d.Gone) != 1 {
		t.Errorf("since then %d files have changed and %d gone", len(d.Changed), len(d.Gone))
	}
	if m, ok := p.Believed("gotcha-00000007", then); !ok || m.Key != before.Key {
		t.Errorf("believed %+v, %v", m, ok)
	}
}
