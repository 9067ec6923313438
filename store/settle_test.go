package store_test

import (
	"context"
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
)

// clock is a clock that a test turns by hand.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func newClock() *clock { return &clock{time.Now().Add(time.Minute)} }

func settle(t testing.TB, s *store.Store, final bool) store.Settled {
	t.Helper()
	done, err := s.Settle(bg, me, final)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func fill(t testing.TB, s *store.Store, n int) {
	t.Helper()
	_, err := s.Write(bg, me, func(tx *store.Tx) error {
		for i := range n {
			id := fmt.Sprintf("gotcha-%08d", i)
			if err := tx.Put(entry.OpCreate, note(id, "Title "+id, "Body of "+id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnEditIsAdoptedOnceItRests(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	writeFile(t, w.Path, strings.Replace(readFile(t, w.Path), "one", "two", 1))
	if got := body(t, s, "gotcha-00000001"); got != "two" {
		t.Fatalf("answers do not follow: %q", got)
	}
	if got := settle(t, s, false); got.Waiting != 1 || len(got.Adopted) > 0 {
		t.Fatalf("at once: %+v", got)
	}
	c.pass(20 * time.Second)
	writeFile(t, w.Path, strings.Replace(readFile(t, w.Path), "two", "six", 1))
	look(t, s)
	c.pass(20 * time.Second)
	if got := settle(t, s, false); got.Waiting != 1 {
		t.Fatalf("20 s after another change: %+v", got)
	}
	c.pass(11 * time.Second)
	if got := settle(t, s, false); !slices.Equal(got.Adopted, []string{"gotcha-00000001"}) {
		t.Fatalf("rested: %+v", got)
	}
	if got := settle(t, s, true); len(got.Adopted) > 0 {
		t.Fatalf("adopted twice: %+v", got)
	}
}

func TestARevertByHandIsANewRevision(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	old := readFile(t, w.Path)
	put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "two"))
	writeFile(t, w.Path, old)
	settle(t, s, true)
	if got := ops(t, s, "gotcha-00000001"); !slices.Equal(got, []entry.Op{entry.OpCreate, entry.OpReplace, entry.OpAdopt}) {
		t.Fatalf("history %v", got)
	}
}

func TestADeletedFileIsARetractionOnceItRests(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	fill(t, s, 3)
	look(t, s)
	if err := os.Remove(filepath.Join(s.Dir(), "gotchas/gotcha-00000001.md")); err != nil {
		t.Fatal(err)
	}
	if got := settle(t, s, true); len(got.Retracted) > 0 || got.Waiting != 1 {
		t.Fatalf("at once: %+v", got)
	}
	c.pass(31 * time.Second)
	if got := settle(t, s, false); !slices.Equal(got.Retracted, []string{"gotcha-00000001"}) {
		t.Fatalf("rested: %+v", got)
	}
	rs, _ := s.Revisions("gotcha-00000001")
	if last := rs[len(rs)-1]; !last.Gone() || last.Actor != "outside" {
		t.Fatalf("tombstone %+v", last)
	}
	if _, err := s.Restore(bg, me, "gotcha-00000001"); err != nil {
		t.Fatal(err)
	}
	if got := body(t, s, "gotcha-00000001"); got != "Body of gotcha-00000001" {
		t.Fatalf("restored %q", got)
	}
}

// TestAFileThatNoLookSawIsMissedToo: it was written and deleted between two
// looks of a process that knows the history already.
func TestAFileThatNoLookSawIsMissedToo(t *testing.T) {
	for name, other := range map[string]bool{"written by itself": false, "written by another process": true} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			s := open(t, lobe(t), store.Options{Now: c.now})
			put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
			settle(t, s, false)
			by := s
			if other {
				by = open(t, s.Dir(), store.Options{Now: c.now})
			}
			if err := os.Remove(put(t, by, entry.OpCreate, note("gotcha-00000002", "B", "two")).Path); err != nil {
				t.Fatal(err)
			}
			if got := settle(t, s, false); got.Waiting != 1 || len(got.Retracted) > 0 {
				t.Fatalf("at once: %+v", got)
			}
			c.pass(31 * time.Second)
			if got := settle(t, s, false); !slices.Equal(got.Retracted, []string{"gotcha-00000002"}) {
				t.Fatalf("rested: %+v", got)
			}
		})
	}
}

func TestAFolderMovedAwayForAMinuteRetractsNothing(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	fill(t, s, 3)
	look(t, s)
	away := filepath.Join(s.Dir(), "..", "away")
	if err := os.Rename(filepath.Join(s.Dir(), "gotchas"), away); err != nil {
		t.Fatal(err)
	}
	look(t, s)
	c.pass(time.Minute)
	if got := settle(t, s, true); len(got.Retracted) > 0 {
		t.Fatalf("retracted %v", got.Retracted)
	}
	if err := os.Rename(away, filepath.Join(s.Dir(), "gotchas")); err != nil {
		t.Fatal(err)
	}
	if got := look(t, s).Len(); got != 3 {
		t.Fatalf("%d entries came back", got)
	}
	c.pass(time.Minute)
	if got := settle(t, s, true); len(got.Retracted)+len(got.Adopted) > 0 {
		t.Fatalf("after it came back: %+v", got)
	}
}

func TestAMovedFileIsNotADeletion(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	fill(t, s, 2)
	look(t, s)
	to := filepath.Join(s.Dir(), "conventions", "gotcha-00000001.md")
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.Dir(), "gotchas/gotcha-00000001.md"), to); err != nil {
		t.Fatal(err)
	}
	look(t, s)
	c.pass(time.Minute)
	if got := settle(t, s, true); len(got.Retracted) > 0 {
		t.Fatalf("retracted %v", got.Retracted)
	}
	put(t, s, entry.OpReplace, note("gotcha-00000001", "Title gotcha-00000001", "new"))
	if !strings.Contains(readFile(t, to), "new") {
		t.Fatal("the write did not follow the file")
	}
}

func TestMassAbsenceWritesNothing(t *testing.T) {
	for name, fresh := range map[string]bool{"the process that saw them": false, "another process": true} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			s := open(t, lobe(t), store.Options{Now: c.now})
			fill(t, s, 20)
			look(t, s)
			for i := range 5 {
				if err := os.Remove(filepath.Join(s.Dir(), fmt.Sprintf("gotchas/gotcha-%08d.md", i))); err != nil {
					t.Fatal(err)
				}
			}
			if fresh {
				s = open(t, s.Dir(), store.Options{Now: c.now})
			}
			look(t, s)
			c.pass(time.Hour)
			if got := settle(t, s, true); len(got.Retracted) > 0 || len(got.Vanished) != 5 {
				t.Fatalf("settled %+v", got)
			}
			if got, err := s.Vanished(bg); err != nil || len(got) != 5 {
				t.Fatalf("vanished %v, %v", got, err)
			}
			problems, err := s.Problems(bg)
			if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Remedy, "restore --vanished") {
				t.Fatalf("problems %+v, %v", problems, err)
			}
			if ws, err := s.RestoreVanished(bg, me); err != nil || len(ws) != 5 {
				t.Fatalf("restored %v, %v", ws, err)
			}
			if got := look(t, s).Len(); got != 20 {
				t.Fatalf("%d entries are back", got)
			}
		})
	}
}

func TestForgetVanished(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	fill(t, s, 8)
	if err := os.RemoveAll(filepath.Join(s.Dir(), "gotchas")); err != nil {
		t.Fatal(err)
	}
	if ws, err := s.ForgetVanished(bg, me); err != nil || len(ws) != 8 {
		t.Fatalf("forgot %v, %v", ws, err)
	}
	if got, err := s.Vanished(bg); err != nil || len(got) > 0 {
		t.Fatalf("vanished %v, %v", got, err)
	}
	if got := ops(t, s, "gotcha-00000003"); !slices.Equal(got, []entry.Op{entry.OpCreate, entry.OpRetract}) {
		t.Fatalf("history %v", got)
	}
}

func TestAnEmptyFileIsAnEditorInMidSave(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	for _, text := range []string{"", "\x00\x00\x00"} {
		writeFile(t, w.Path, text)
		if got := body(t, s, "gotcha-00000001"); got != "one" {
			t.Fatalf("with %q the answer is %q", text, got)
		}
		if got := settle(t, s, true); len(got.Adopted)+len(got.Retracted) > 0 {
			t.Fatalf("with %q: %+v", text, got)
		}
	}
	c.pass(time.Minute)
	if got := body(t, s, "gotcha-00000001"); got != "(none)" {
		t.Fatalf("after a minute the answer is %q", got)
	}
	problems, err := s.Problems(bg)
	if err != nil || len(problems) != 1 || problems[0].What != "is empty" {
		t.Fatalf("problems %+v, %v", problems, err)
	}
	if got := settle(t, s, true); len(got.Retracted) > 0 {
		t.Fatalf("an empty file was retracted: %+v", got)
	}
	if _, err := s.Restore(bg, me, "gotcha-00000001"); err == nil {
		t.Fatal("restored over a file that is there")
	}
}

// TestAFileThatWasMovedAndEmptiedSaysWhatItHeld until it is written, or has
// stayed empty.
func TestAFileThatWasMovedAndEmptiedSaysWhatItHeld(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	to := filepath.Join(s.Dir(), "conventions", filepath.Base(w.Path))
	writeFile(t, to, "")
	if err := os.Remove(w.Path); err != nil {
		t.Fatal(err)
	}
	if got := body(t, s, "gotcha-00000001"); got != "one" {
		t.Fatalf("at once the answer is %q", got)
	}
	c.pass(time.Minute)
	if got := body(t, s, "gotcha-00000001"); got != "(none)" {
		t.Fatalf("after a minute the answer is %q", got)
	}
}

func TestABrokenFileIsNeitherChangedNorRetracted(t *testing.T) {
	c := newClock()
	s := open(t, lobe(t), store.Options{Now: c.now})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	broken := strings.Replace(readFile(t, w.Path), "topic: gotchas", "topic: gotchas\ntopic: again", 1)
	writeFile(t, w.Path, broken)
	var found bool
	for h := range look(t, s).Heads() {
		found = found || h.Broken != nil && strings.Contains(h.Entry.Body, "one")
	}
	if !found {
		t.Fatal("the broken file is not searchable")
	}
	c.pass(time.Hour)
	if got := settle(t, s, true); len(got.Adopted)+len(got.Retracted)+len(got.Vanished) > 0 {
		t.Fatalf("settled %+v", got)
	}
	_, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpReplace, note("gotcha-00000001", "A", "two")) })
	if err == nil {
		t.Fatal("a broken file's id was written again")
	}
	var unread *store.BrokenError
	if !errors.As(err, &unread) {
		t.Fatalf("error %v", err)
	}
	if got := readFile(t, w.Path); got != broken {
		t.Fatalf("the file was changed:\n%s", got)
	}
	problems, err := s.Problems(bg)
	if err != nil || len(problems) != 1 || problems[0].Line == 0 || problems[0].Remedy == "" {
		t.Fatalf("problems %+v, %v", problems, err)
	}
}

// TestManyFilesByHandDoNotHoldUpTheEnd: a pass stops when its time is over, and
// the next one goes on.
func TestManyFilesByHandDoNotHoldUpTheEnd(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	const n = 2000
	for i := range n {
		writeFile(t, filepath.Join(s.Dir(), "general", fmt.Sprintf("by-hand-%d.md", i)), fmt.Sprintf("# Note %d\n", i))
	}
	look(t, s)
	ctx, cancel := context.WithTimeout(bg, 300*time.Millisecond)
	defer cancel()
	first, err := s.Settle(ctx, me, true)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	second := settle(t, s, true)
	if got := len(first.Adopted) + len(second.Adopted); got != n {
		t.Fatalf("%d and %d were adopted", len(first.Adopted), len(second.Adopted))
	}
	if third := settle(t, s, true); len(third.Adopted)+third.Waiting > 0 {
		t.Fatalf("left over: %+v", third)
	}
	t.Logf("%d in the first 300 ms", len(first.Adopted))
}
