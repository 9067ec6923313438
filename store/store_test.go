package store_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

var bg = context.Background()

func open(t testing.TB, dir string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func lobe(t testing.TB) string { return filepath.Join(t.TempDir(), "memory") }

func note(id, title, body string) entry.Entry {
	return entry.Entry{ID: id, Topic: "gotchas", Title: title, Body: body}
}

var me = store.By{Actor: "test 1", Session: "s1", Role: "assistant"}

func put(t testing.TB, s *store.Store, op entry.Op, e entry.Entry) store.Written {
	t.Helper()
	ws, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(op, e) })
	if err != nil {
		t.Fatal(err)
	}
	return ws[0]
}

func look(t testing.TB, s *store.Store) *store.View {
	t.Helper()
	v, err := s.Look(bg)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func body(t testing.TB, s *store.Store, id string) string {
	t.Helper()
	h, ok := look(t, s).ID(id)
	if !ok {
		return "(none)"
	}
	return h.Entry.Body
}

// ops lists what the history of an entry says happened.
func ops(t testing.TB, s *store.Store, id string) []entry.Op {
	t.Helper()
	rs, err := s.Revisions(id)
	if err != nil {
		t.Fatal(err)
	}
	var all []entry.Op
	for _, r := range rs {
		all = append(all, r.Op)
	}
	return all
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// rest waits until a file that was just written counts as left alone.
func rest(t testing.TB) {
	t.Helper()
	time.Sleep(2100 * time.Millisecond)
}

func TestNothingIsCreatedBeforeAWrite(t *testing.T) {
	dir := lobe(t)
	s := open(t, dir, store.Options{})
	look(t, s)
	if _, err := s.Settle(bg, me, true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Problems(bg); err != nil {
		t.Fatal(err)
	}
	if ws, err := s.Write(bg, me, func(*store.Tx) error { return nil }); err != nil || ws != nil {
		t.Fatalf("an empty write gave %v, %v", ws, err)
	}
	if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Remove("arch-00000000") }); err == nil {
		t.Fatal("an entry that never was could be removed")
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the folder exists: %v", err)
	}
}

func TestAnEntryLivesAndDies(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "Port", "It is 8080."))
	if got := readFile(t, w.Path); !strings.Contains(got, "# Port\n\nIt is 8080.\n") {
		t.Fatalf("file:\n%s", got)
	}
	_, err := s.Write(bg, me, func(tx *store.Tx) error {
		return tx.Update(entry.OpAppend, "gotcha-00000001", func(e entry.Entry) (entry.Entry, error) {
			e.Body += "\n\nOn Macs 8081."
			return e, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := body(t, s, "gotcha-00000001"); got != "It is 8080.\n\nOn Macs 8081." {
		t.Fatalf("body %q", got)
	}
	if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Remove("gotcha-00000001") }); err != nil {
		t.Fatal(err)
	}
	if got := body(t, s, "gotcha-00000001"); got != "(none)" {
		t.Fatalf("body %q after deletion", got)
	}
	var unknown *store.UnknownIDError
	_, err = s.Write(bg, me, func(tx *store.Tx) error { return tx.Remove("gotcha-00000001") })
	if !errors.As(err, &unknown) || !unknown.Gone {
		t.Fatalf("a second deletion: %v", err)
	}
	if _, err := s.Restore(bg, me, "gotcha-00000001"); err != nil {
		t.Fatal(err)
	}
	if got := body(t, s, "gotcha-00000001"); got != "It is 8080.\n\nOn Macs 8081." {
		t.Fatalf("body %q after restore", got)
	}
	want := []entry.Op{entry.OpCreate, entry.OpAppend, entry.OpRetract, entry.OpRestore}
	if got := ops(t, s, "gotcha-00000001"); !slices.Equal(got, want) {
		t.Fatalf("history %v, want %v", got, want)
	}
	rs, _ := s.Revisions("gotcha-00000001")
	for i, r := range rs[1:] {
		if !slices.Equal(r.Parents, []string{rs[i].Key()}) || r.Recorded.Sub(rs[i].Recorded) < time.Millisecond {
			t.Errorf("revision %d: parents %v at %v, after %v at %v", i+1, r.Parents, r.Recorded, rs[i].Key(), rs[i].Recorded)
		}
	}
}

func TestAWriteIsWholeOrNotAtAll(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	writeFile(t, filepath.Join(s.Dir(), "gotchas/gotcha-00000002.md"), "---\nid: gotcha-00000002\nid: twice\n---\n# X\n\ny\n")
	_, err := s.Write(bg, me, func(tx *store.Tx) error {
		return errors.Join(
			tx.Put(entry.OpCreate, note("gotcha-00000001", "A", "a")),
			tx.Put(entry.OpCreate, entry.Entry{ID: "gotcha-00000003", Topic: "gotchas", Title: "big", Body: strings.Repeat("x", 2<<20)}))
	})
	if err == nil {
		t.Fatal("an entry of 2 MiB was written")
	}
	if got := body(t, s, "gotcha-00000001"); got != "(none)" {
		t.Fatalf("half of the write is there: %q", got)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir(), "*", ".tmp-*"))
	if err != nil || len(left) > 0 {
		t.Fatalf("temporaries are left: %v %v", left, err)
	}
}

func TestTwoActsOnOneEntryInOneWrite(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	ws, err := s.Write(bg, me, func(tx *store.Tx) error {
		return errors.Join(tx.Put(entry.OpCreate, note("gotcha-00000001", "A", "one")), tx.Put(entry.OpReplace, note("gotcha-00000001", "A", "two")))
	})
	if err != nil || len(ws) != 2 {
		t.Fatal(ws, err)
	}
	if got := body(t, s, "gotcha-00000001"); got != "two" {
		t.Fatalf("body %q", got)
	}
	if got := ops(t, s, "gotcha-00000001"); !slices.Equal(got, []entry.Op{entry.OpCreate, entry.OpReplace}) {
		t.Fatalf("history %v", got)
	}
}

func TestAnEditFromOutsideIsAdoptedBeforeAWrite(t *testing.T) {
	s := open(t, lobe(t), store.Options{Person: func() string { return "Ada" }})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	edited := strings.Replace(readFile(t, w.Path), "one", "one, by hand", 1)
	writeFile(t, w.Path, edited)
	rest(t)
	ws, err := s.Write(bg, me, func(tx *store.Tx) error {
		return tx.Update(entry.OpAppend, "gotcha-00000001", func(e entry.Entry) (entry.Entry, error) {
			e.Body += " and more"
			return e, nil
		})
	})
	if err != nil || !ws[0].Adopted {
		t.Fatal(ws, err)
	}
	if got := body(t, s, "gotcha-00000001"); got != "one, by hand and more" {
		t.Fatalf("body %q", got)
	}
	rs, _ := s.Revisions("gotcha-00000001")
	if len(rs) != 3 || rs[1].Op != entry.OpAdopt || rs[1].Actor != "outside" || rs[1].Hint != "Ada" || string(rs[1].Head) != edited {
		t.Fatalf("history %+v", rs)
	}
}

func TestAHeadThatIsBeingEditedIsWaitedFor(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	text := readFile(t, w.Path)
	writeFile(t, w.Path, text+"x")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 2; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
				if err := os.WriteFile(w.Path, []byte(text+strings.Repeat("x", i)), 0o600); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	_, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpReplace, note("gotcha-00000001", "A", "two")) })
	close(stop)
	<-stopped
	var busy *store.BusyError
	if !errors.As(err, &busy) {
		t.Fatalf("a write into an editor's file: %v", err)
	}
	if got := body(t, s, "gotcha-00000001"); !strings.HasPrefix(got, "one") {
		t.Fatalf("body %q", got)
	}
}

func TestExpectRefusesAnotherState(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	first := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	second := put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "two"))
	try := func(revision string) error {
		_, err := s.Write(bg, me, func(tx *store.Tx) error {
			tx.Expect("gotcha-00000001", revision)
			return tx.Put(entry.OpReplace, note("gotcha-00000001", "A", "three"))
		})
		return err
	}
	var conflict *store.ConflictError
	if err := try(first.Revision); !errors.As(err, &conflict) || conflict.Have != second.Revision {
		t.Fatalf("an old revision was accepted: %v", err)
	}
	if err := try(second.Key); err != nil {
		t.Fatal(err)
	}
}

func TestAnEditorThatSavesOverOursOverrides(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "Port", "It is 8080.\n\nOn all hosts."))
	loaded := readFile(t, w.Path)
	ours := put(t, s, entry.OpReplace, note("gotcha-00000001", "Port", "It is 9090.\n\nOn all hosts."))
	writeFile(t, w.Path, strings.Replace(loaded, "all hosts", "every host", 1))

	check := func(when string, s *store.Store) {
		t.Helper()
		over, err := s.Overrides(look(t, s))
		if err != nil || len(over) != 1 || over[0].Key != ours.Key || over[0].ID != "gotcha-00000001" {
			t.Fatalf("%s: overrides %+v, %v", when, over, err)
		}
	}
	check("before it is adopted", s)
	check("in another process", open(t, s.Dir(), store.Options{}))
	if got, err := s.Settle(bg, me, true); err != nil || !slices.Equal(got.Adopted, []string{"gotcha-00000001"}) {
		t.Fatal(got, err)
	}
	check("after it is adopted", s)
	check("in another process, after", open(t, s.Dir(), store.Options{}))
	rs, _ := s.Revisions("gotcha-00000001")
	if !strings.Contains(string(rs[1].Head), "9090") || rs[2].Reason != "overrides "+ours.Key {
		t.Fatalf("our text is lost: %+v", rs)
	}
	rest(t)
	put(t, s, entry.OpReplace, note("gotcha-00000001", "Port", "It is 9090 again."))
	if over, err := s.Overrides(look(t, s)); err != nil || len(over) != 0 {
		t.Fatalf("after we wrote again: %+v, %v", over, err)
	}
}

func TestLateBytesBecomeAConflict(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	editor, err := os.OpenFile(w.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "two"))
	if _, err := editor.WriteAt([]byte("late words of a person\n"), 0); err != nil {
		t.Fatal(err)
	}
	if err := editor.Close(); err != nil {
		t.Fatal(err)
	}
	look(t, s)
	if c := s.Conflicts(); len(c) != 1 || c[0].ID != "gotcha-00000001" {
		t.Fatalf("conflicts %+v", c)
	}
	put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "three"))
	found := false
	rs, _ := s.Revisions("gotcha-00000001")
	for _, r := range rs {
		found = found || strings.Contains(string(r.Head), "late words of a person")
	}
	if !found {
		t.Fatalf("the late bytes are not in history: %d revisions", len(rs))
	}
	if got := body(t, s, "gotcha-00000001"); got != "three" {
		t.Fatalf("body %q", got)
	}
}

func TestTwoWritersAndAnEditorLoseNothing(t *testing.T) {
	dir := lobe(t)
	first := open(t, dir, store.Options{})
	put(t, first, entry.OpCreate, note("gotcha-00000001", "A", "start"))
	const each = 25
	var group sync.WaitGroup
	for _, who := range []string{"p", "q"} {
		s := open(t, dir, store.Options{})
		group.Go(func() {
			for i := range each {
				id := "gotcha-" + who + string(rune('a'+i))
				_, err := s.Write(bg, me, func(tx *store.Tx) error {
					return errors.Join(
						tx.Put(entry.OpCreate, note(id, id, "text of "+id)),
						tx.Update(entry.OpAppend, "gotcha-00000001", func(e entry.Entry) (entry.Entry, error) {
							e.Body += "\n- " + id
							return e, nil
						}))
				})
				if err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	group.Go(func() {
		for i := range each {
			writeFile(t, filepath.Join(dir, "general", "by-hand-"+string(rune('a'+i))+".md"), "words of a person\n")
			time.Sleep(time.Millisecond)
		}
	})
	group.Wait()
	v := look(t, first)
	if want := 1 + 3*each; v.Len() != want {
		t.Errorf("%d entries, want %d", v.Len(), want)
	}
	if got := strings.Count(body(t, first, "gotcha-00000001"), "\n- "); got != 2*each {
		t.Errorf("%d lines were appended, want %d", got, 2*each)
	}
	if rs, err := first.Revisions("gotcha-00000001"); err != nil || len(rs) != 1+2*each {
		t.Errorf("%d revisions (%v), want %d", len(rs), err, 1+2*each)
	}
}

func TestCopiesAreMarkedAndNeverChanged(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	dup := filepath.Join(filepath.Dir(w.Path), "gotcha-00000001.sync-conflict-20260101.md")
	writeFile(t, dup, strings.Replace(readFile(t, w.Path), "one", "other", 1))
	v := look(t, s)
	if h, _ := v.ID("gotcha-00000001"); h.Entry.Body != "one" || h.Copy != "" {
		t.Fatalf("head %+v", h)
	}
	if c, ok := v.Path("gotchas/gotcha-00000001.sync-conflict-20260101.md"); !ok || c.Copy != "gotchas/gotcha-00000001.md" {
		t.Fatalf("copy %+v", c)
	}
	if err := os.Remove(w.Path); err != nil {
		t.Fatal(err)
	}
	if h, ok := look(t, s).ID("gotcha-00000001"); !ok || h.Entry.Body != "other" || h.Copy != "" {
		t.Fatalf("the copy did not become the head: %+v", h)
	}
}

func TestSinceTellsWhatChanged(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	put(t, s, entry.OpCreate, note("gotcha-00000002", "B", "two"))
	before := look(t, s)
	put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "three"))
	if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Remove("gotcha-00000002") }); err != nil {
		t.Fatal(err)
	}
	d := look(t, s).Since(before)
	if len(d.Changed) != 1 || d.Changed[0].Head().Entry.Body != "three" || !reflect.DeepEqual(d.Gone, []string{"gotchas/gotcha-00000002.md"}) {
		t.Fatalf("delta %+v", d)
	}
	if d := before.Since(nil); len(d.Changed) != 2 {
		t.Fatalf("from nothing: %+v", d)
	}
	if look(t, s) != s.View() {
		t.Error("a look without changes made another view")
	}
}
