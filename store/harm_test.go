//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// TestALookThatWasCancelledMissesNothing: the events that it took from the
// kernel are not lost with it.
func TestALookThatWasCancelledMissesNothing(t *testing.T) {
	s := open(t, lobe(t), store.Options{Watch: true})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	writeFile(t, w.Path, strings.Replace(readFile(t, w.Path), "one", "by hand", 1))
	writeFile(t, filepath.Join(s.Dir(), "gotchas", "new.md"), "# New\n")
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, err := s.Look(ctx); err == nil {
		t.Fatal("a cancelled look succeeded")
	}
	if got := body(t, s, "gotcha-00000001"); got != "by hand" {
		t.Fatalf("body %q", got)
	}
	if n := look(t, s).Len(); n != 2 {
		t.Fatalf("%d entries", n)
	}
}

// late lets an editor write into a file that was replaced.
func late(t *testing.T, s *store.Store, texts ...string) {
	t.Helper()
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	editor, err := os.OpenFile(w.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer editor.Close()
	put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "two"))
	for _, text := range texts {
		if _, err := editor.WriteString(text); err != nil {
			t.Fatal(err)
		}
		look(t, s)
	}
}

// TestLateBytesInPiecesAreAllKept: an editor that is still writing when its
// file is looked at is looked at again.
func TestLateBytesInPiecesAreAllKept(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	late(t, s, "first part, ", "second part")
	put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "three"))
	rs, err := s.Revisions("gotcha-00000001")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		if strings.Contains(string(r.Head), "first part, second part") {
			return
		}
	}
	t.Fatalf("the second part is lost: %d revisions", len(rs))
}

// TestLateBytesWithoutAHistoryDoNotStopWriting: when what was replaced is no
// longer in history, late bytes are kept all the same.
func TestLateBytesWithoutAHistoryDoNotStopWriting(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	late(t, s, "late words of a person")
	if err := os.RemoveAll(filepath.Join(s.Dir(), ".history")); err != nil {
		t.Fatal(err)
	}
	put(t, s, entry.OpCreate, note("gotcha-00000002", "B", "b"))
	rs, err := s.Revisions("gotcha-00000001")
	if err != nil || len(rs) != 1 || !strings.Contains(string(rs[0].Head), "late words") {
		t.Fatalf("%d revisions, %v", len(rs), err)
	}
}

// TestCloseDoesNotBringAFolderBack: what has been written down needs nothing
// more, and a folder that was deleted stays so.
func TestCloseDoesNotBringAFolderBack(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	late(t, s, "late words of a person")
	put(t, s, entry.OpCreate, note("gotcha-00000002", "B", "b"))
	if err := os.RemoveAll(s.Dir()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(s.Dir()); !os.IsNotExist(err) {
		t.Fatalf("the folder is back (%v)", err)
	}
}

// TestOurOwnFilesAreNoWayOut: a link in the place of a file of ours leads
// nowhere.
func TestOurOwnFilesAreNoWayOut(t *testing.T) {
	for _, name := range []string{".lock", ".lobe"} {
		t.Run(name, func(t *testing.T) {
			victim := filepath.Join(t.TempDir(), "victim")
			writeFile(t, victim, "precious\n")
			dir := lobe(t)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(victim, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, store.Options{})
			_, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpCreate, note("gotcha-00000001", "A", "one")) })
			if got := readFile(t, victim); got != "precious\n" {
				t.Fatalf("the file outside now holds %q (%v)", got, err)
			}
			if name == ".lock" && (err == nil || !strings.Contains(err.Error(), ".lock")) {
				t.Fatalf("error %v", err)
			}
		})
	}
}

// TestAFolderThatIsALinkToAHiddenOne: what would not be found again is not
// written.
func TestAFolderThatIsALinkToAHiddenOne(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, entry.Entry{ID: "mem-00000001", Topic: "general", Title: "M", Body: "m"})
	if err := os.Symlink(".history", filepath.Join(s.Dir(), "gotchas")); err != nil {
		t.Fatal(err)
	}
	_, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpCreate, note("gotcha-00000001", "A", "one")) })
	if err == nil {
		t.Fatalf("acknowledged, and it reads %s", body(t, s, "gotcha-00000001"))
	}
}

// TestANameThatIsNotUTF8 does not keep others from being adopted, and is an
// entry like any other.
func TestANameThatIsNotUTF8(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	for i := range 40 {
		writeFile(t, filepath.Join(s.Dir(), "general", fmt.Sprintf("caf\xe9-%d.md", i)), fmt.Sprintf("---\nid: cafe-%d\n---\n# Caf\u00e9\n\ntext\n", i))
		writeFile(t, filepath.Join(s.Dir(), "general", fmt.Sprintf("plain-%d.md", i)), fmt.Sprintf("# Plain %d\n", i))
	}
	if got := settle(t, s, true); len(got.Adopted) != 80 || got.Waiting != 0 {
		t.Fatalf("adopted %d, waiting %d", len(got.Adopted), got.Waiting)
	}
	put(t, s, entry.OpReplace, entry.Entry{ID: "cafe-1", Topic: "general", Title: "Caf\u00e9", Body: "new"})
	if got := body(t, s, "cafe-1"); got != "new" {
		t.Fatalf("body %q", got)
	}
}

// TestRestoreBringsBackWhatWasDeleted, and not text that lies beside it in
// history.
func TestRestoreBringsBackWhatWasDeleted(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	late(t, s, "late words of a person")
	if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Remove("gotcha-00000001") }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restore(bg, me, "gotcha-00000001"); err != nil {
		t.Fatal(err)
	}
	if got := body(t, s, "gotcha-00000001"); got != "two" {
		t.Fatalf("body %q", got)
	}
}

// TestAMovedHeadIsNotADeletionThatWasKilled: a tombstone that was only
// prepared does not count because its head has another path now.
func TestAMovedHeadIsNotADeletionThatWasKilled(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	text := readFile(t, w.Path)
	ws, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Remove("gotcha-00000001") })
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.Dir(), ".history", entry.HistoryDir("gotcha-00000001"))
	if err := os.Rename(filepath.Join(dir, "gotcha-00000001."+ws[0].Key+".md"), filepath.Join(dir, "."+ws[0].Key+".gotcha-00000001.tmp")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.Dir(), "general", "gotcha-00000001.md"), text)
	s = open(t, s.Dir(), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000002", "B", "b"))
	if last, _, err := s.Newest("gotcha-00000001"); err != nil || last.Gone() {
		t.Fatalf("newest %+v, %v", last, err)
	}
}

// TestAHeadThatWasMovedAndThenDeleted is gone, though its first folder is too.
func TestAHeadThatWasMovedAndThenDeleted(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	put(t, s, entry.OpCreate, entry.Entry{ID: "mem-00000001", Topic: "general", Title: "M", Body: "m"})
	moved := filepath.Join(s.Dir(), "general", "gotcha-00000001.md")
	if err := os.Rename(w.Path, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Dir(w.Path)); err != nil {
		t.Fatal(err)
	}
	settle(t, s, false)
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	settle(t, s, false)
	c.pass(31 * time.Second)
	if got := settle(t, s, false); len(got.Retracted) != 1 {
		t.Fatalf("%+v", got)
	}
}

// TestAFolderThatComesBackIsLookedAtTwice: the time in which it was away does
// not count.
func TestAFolderThatComesBackIsLookedAtTwice(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	folder := filepath.Dir(w.Path)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	settle(t, s, false)
	c.pass(time.Hour)
	settle(t, s, false)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Second)
	if got := settle(t, s, false); len(got.Retracted) > 0 {
		t.Fatalf("%+v", got)
	}
	c.pass(31 * time.Second)
	if got := settle(t, s, false); len(got.Retracted) != 1 {
		t.Fatalf("%+v", got)
	}
}

// TestAnIDThatAPersonChanged ends the old entry and begins a new one.
func TestAnIDThatAPersonChanged(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	writeFile(t, w.Path, strings.Replace(readFile(t, w.Path), "gotcha-00000001", "gotcha-renamed", 1))
	settle(t, s, false)
	c.pass(31 * time.Second)
	if got := settle(t, s, false); len(got.Retracted) != 1 || len(got.Adopted) != 1 {
		t.Fatalf("%+v", got)
	}
}

// TestThousandStores: opening, watching and closing leaves nothing open.
func TestThousandStores(t *testing.T) {
	if _, err := os.ReadDir("/proc/self/fd"); err != nil {
		t.Skip("no list of open files here")
	}
	dir := lobe(t)
	put(t, open(t, dir, store.Options{}), entry.OpCreate, note("gotcha-00000001", "A", "one"))
	count := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds)
	}
	before := count()
	for range 1000 {
		s, err := store.Open(dir, store.Options{Watch: true})
		if err != nil {
			t.Fatal(err)
		}
		look(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after := count(); after > before {
		t.Fatalf("%d files were open, and now %d", before, after)
	}
}

// TestABrokenFileIsNamed when somebody writes to the entry that it was.
func TestABrokenFileIsNamed(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	broken := strings.Replace(readFile(t, w.Path), "topic:", "id: x\ntopic:", 1)
	writeFile(t, w.Path, broken)
	change := func(e entry.Entry) (entry.Entry, error) { return e, nil }
	for name, f := range map[string]func(tx *store.Tx) error{
		"put":    func(tx *store.Tx) error { return tx.Put(entry.OpReplace, note("gotcha-00000001", "A", "two")) },
		"update": func(tx *store.Tx) error { return tx.Update(entry.OpEdit, "gotcha-00000001", change) },
		"remove": func(tx *store.Tx) error { return tx.Remove("gotcha-00000001") },
	} {
		_, err := s.Write(bg, me, f)
		if err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if readFile(t, w.Path) != broken {
		t.Fatal("the file was changed")
	}
}

// TestAHistoryThatCannotBeListed is named, and writing is refused, not done
// without one.
func TestAHistoryThatCannotBeListed(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	history := filepath.Join(s.Dir(), ".history")
	if err := os.RemoveAll(history); err != nil {
		t.Fatal(err)
	}
	writeFile(t, history, "a file in its place")
	s = open(t, s.Dir(), store.Options{})
	if got := body(t, s, "gotcha-00000001"); got != "one" {
		t.Fatalf("body %q", got)
	}
	problem(t, s, "cannot be listed")
	if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpReplace, note("gotcha-00000001", "A", "two")) }); err == nil {
		t.Fatal("wrote without a history")
	}
}

// TestADeadlineOfTheCallerIsNoLongLock: only who has waited in full is told
// that the lock was held for that long.
func TestADeadlineOfTheCallerIsNoLongLock(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	l := flock.New(filepath.Join(s.Dir(), ".lock"))
	if ok, err := l.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(bg, 30*time.Millisecond)
	defer cancel()
	_, err := s.Write(ctx, me, func(tx *store.Tx) error { return tx.Remove("gotcha-00000001") })
	var locked *store.LockedError
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &locked) {
		t.Fatalf("error %v", err)
	}
}

// TestAWriteComesBetweenThousandsOfAdoptions: a pass gives the lock away again
// and again.
func TestAWriteComesBetweenThousandsOfAdoptions(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	const n = 2000
	for i := range n {
		writeFile(t, filepath.Join(s.Dir(), "general", fmt.Sprintf("by-hand-%d.md", i)), fmt.Sprintf("# Note %d\n", i))
	}
	look(t, s)
	settled := make(chan store.Settled, 1)
	go func() { settled <- settle(t, s, true) }()
	for {
		// Whichever comes first: they are not taken in the order of their names.
		begun, err := filepath.Glob(filepath.Join(s.Dir(), ".history", "*", "general.by-hand-*.md"))
		if err != nil {
			t.Error(err)
		}
		if len(begun) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	w := put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "two"))
	if got := <-settled; len(got.Adopted) != n {
		t.Fatalf("%d were adopted, %d wait", len(got.Adopted), got.Waiting)
	}
	last, later := "", 0
	for i := range n {
		r, _, err := s.Newest(fmt.Sprintf("general.by-hand-%d", i))
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(s.Dir(), ".history", entry.HistoryDir(r.ID), r.ID+"."+r.Key()+".md")); err == nil && info.ModTime().After(mtime(t, w)) {
			last, later = r.ID, later+1
		}
	}
	if later == 0 {
		t.Fatal("the write waited for all of them")
	}
	t.Logf("%d were adopted after the write, %s among them", later, last)
}

func mtime(t *testing.T, w store.Written) time.Time {
	t.Helper()
	info, err := os.Stat(w.Path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// TestASharedFolderIsShared whatever the umask says, and hands its group on.
func TestASharedFolderIsShared(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	parent := t.TempDir()
	if err := os.Chmod(parent, 0o770|fs.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(parent, "memory"), store.Options{Shared: 0o070})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	for name, want := range map[string]fs.FileMode{
		"": 0o770, "gotchas": 0o770, ".history": 0o770, ".lock": 0o660, ".lobe": 0o660, "gotchas/" + filepath.Base(w.Path): 0o660,
	} {
		info, err := os.Stat(filepath.Join(s.Dir(), name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want || info.IsDir() && info.Mode()&fs.ModeSetgid == 0 {
			t.Errorf("%q has mode %v", name, info.Mode())
		}
	}
}

// TestAWriteThroughANameOutsideIsFound by the pass over edits at the latest:
// no event tells of it.
func TestAWriteThroughANameOutsideIsFound(t *testing.T) {
	s := open(t, lobe(t), store.Options{Watch: true})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	outside := filepath.Join(t.TempDir(), "elsewhere.md")
	if err := os.Link(w.Path, outside); err != nil {
		t.Fatal(err)
	}
	writeFile(t, outside, strings.Replace(readFile(t, outside), "one", "by hand", 1))
	settle(t, s, false)
	if got := body(t, s, "gotcha-00000001"); got != "by hand" {
		t.Fatalf("body %q", got)
	}
}
