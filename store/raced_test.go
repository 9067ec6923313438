//go:build linux

package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"memory-mcp/store/entry"
)

// locked runs f as a writer in a store that holds one entry, whose step to a
// new text is prepared.
func locked(t *testing.T, gone bool, f func(w *writer, st *step)) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "memory"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := entry.Entry{ID: "gotcha-00000001", Topic: "gotchas", Title: "A", Body: "one"}
	if _, err := s.Write(context.Background(), By{}, func(tx *Tx) error { return tx.Put(entry.OpCreate, e) }); err != nil {
		t.Fatal(err)
	}
	err = s.locked(context.Background(), func(w *writer) error {
		view, err := s.Look(context.Background())
		if err != nil {
			return err
		}
		w.view = view
		e.Body = "two"
		a := &act{op: entry.OpReplace, id: e.ID, put: &e}
		if gone {
			a = &act{op: entry.OpRetract, id: e.ID}
		}
		st, err := w.prepare(a)
		if err == nil {
			f(w, st)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func save(t *testing.T, w *writer, name, text string) {
	t.Helper()
	if err := os.WriteFile(w.s.abs(name)+"~", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(w.s.abs(name)+"~", w.s.abs(name)); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, s *Store, name, text string) {
	t.Helper()
	if b, err := os.ReadFile(s.abs(name)); err != nil || string(b) != text {
		t.Errorf("%s holds %q (%v), not %q", name, b, err, text)
	}
}

func remembers(t *testing.T, s *Store, text string) {
	t.Helper()
	rs, err := s.Revisions("gotcha-00000001")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(rs, func(r entry.Revision) bool { return string(r.Head) == text }) {
		t.Errorf("history does not hold %q: %d revisions", text, len(rs))
	}
}

// TestTwoSavesDuringOneExchange: the first came out of the exchange, and the
// second took the place before the first was given back.
func TestTwoSavesDuringOneExchange(t *testing.T) {
	s := locked(t, false, func(w *writer, st *step) {
		save(t, w, st.path, "second save\n")
		save(t, w, st.temp, "first save\n")
		if err := w.giveBack(st); err != nil {
			t.Fatal(err)
		}
	})
	holds(t, s, "gotchas/gotcha-00000001.md", "second save\n")
	remembers(t, s, "first save\n")
}

// TestASaveAndADeletionDuringOneExchange: there is no file any more to
// exchange what came out with.
func TestASaveAndADeletionDuringOneExchange(t *testing.T) {
	s := locked(t, false, func(w *writer, st *step) {
		save(t, w, st.temp, "saved\n")
		if err := os.Remove(w.s.abs(st.path)); err != nil {
			t.Fatal(err)
		}
		if err := w.giveBack(st); err != nil {
			t.Fatal(err)
		}
		if err := w.abandon([]*step{st}); err != nil {
			t.Fatal(err)
		}
	})
	holds(t, s, "gotchas/gotcha-00000001.md", "saved\n")
}

// TestAFileThatCannotBeReadComesOut: it is put back as it was, and nothing of
// the write counts.
func TestAFileThatCannotBeReadComesOut(t *testing.T) {
	for _, gone := range []bool{false, true} {
		s := locked(t, gone, func(w *writer, st *step) {
			name := w.s.abs(st.path)
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(name, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := w.commit(st); !errors.Is(err, errRaced) {
				t.Fatalf("commit: %v", err)
			}
			if err := w.abandon([]*step{st}); err != nil {
				t.Fatal(err)
			}
		})
		if info, err := os.Lstat(s.abs("gotchas/gotcha-00000001.md")); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			t.Errorf("deletion %v: in its place is %v (%v)", gone, info, err)
		}
	}
}

// TestATakenAwayFileWhoseNameIsTakenAgain is history, and beside the head when
// even that cannot be written.
func TestATakenAwayFileWhoseNameIsTakenAgain(t *testing.T) {
	s := locked(t, true, func(w *writer, st *step) {
		save(t, w, st.path, "new\n")
		save(t, w, st.temp, "taken away\n")
		if err := w.putBack(st); err != nil {
			t.Fatal(err)
		}
	})
	holds(t, s, "gotchas/gotcha-00000001.md", "new\n")
	remembers(t, s, "taken away\n")

	s = locked(t, true, func(w *writer, st *step) {
		save(t, w, st.path, "new\n")
		save(t, w, st.temp, "taken away\n")
		if err := w.strand(st, errors.New("no history")); err == nil {
			t.Fatal("no error")
		}
	})
	kept, err := filepath.Glob(s.abs("gotchas/gotcha-00000001.kept-*.md"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, %v", kept, err)
	}
	holds(t, s, "gotchas/gotcha-00000001.md", "new\n")
}

// TestANameIsClaimedOnlyWhenItIsFree, also where a rename cannot tell.
func TestANameIsClaimedOnlyWhenItIsFree(t *testing.T) {
	locked(t, false, func(w *writer, st *step) {
		for name, claim := range map[string]func(from, to string) error{"rename": w.claim, "link": w.claimByLink} {
			save(t, w, "from", name)
			save(t, w, "to", "taken")
			if err := claim("from", "to"); !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s: %v", name, err)
			}
			holds(t, w.s, "to", "taken")
			if err := claim("from", "free-"+name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			holds(t, w.s, "free-"+name, name)
			if _, err := w.root.Lstat("from"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: the old name is still there (%v)", name, err)
			}
		}
	})
}

// TestAWriteThatFailsAfterItsHeadIsSettled by the next one: its revision is
// not thrown away.
func TestAWriteThatFailsAfterItsHeadIsSettled(t *testing.T) {
	s := locked(t, false, func(w *writer, st *step) {
		name := w.s.abs(folderOf(st.rev.ID) + "/" + st.rev.ID + "." + st.key + ".md")
		if err := os.MkdirAll(filepath.Join(name, "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		if done, err := w.commitAll(context.Background(), []*step{st}); err == nil || len(done) > 0 {
			t.Fatalf("%v, %v", done, err)
		}
		if st.spare != nil {
			t.Error("the replaced file is still open")
		}
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	})
	if done, err := s.Settle(context.Background(), By{}, true); err != nil || len(done.Adopted) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	r, _, err := s.Newest("gotcha-00000001")
	if err != nil || r.Op != entry.OpReplace {
		t.Fatalf("newest %+v, %v", r, err)
	}
}
