package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// save is a way in which programs save a file.
type save struct {
	name string
	do   func(name, text string) error
}

func saves() []save {
	return []save{
		{"in place", func(name, text string) error { return os.WriteFile(name, []byte(text), 0o600) }},
		{"in place without truncation", func(name, text string) error {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			if _, err := f.WriteAt([]byte(text), 0); err != nil {
				return err
			}
			return f.Close()
		}},
		{"by rename", func(name, text string) error {
			if err := os.WriteFile(name+"~", []byte(text), 0o600); err != nil {
				return err
			}
			return os.Rename(name+"~", name)
		}},
		{"by rename, keeping the old time", func(name, text string) error {
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			if err := os.WriteFile(name+"~", []byte(text), 0o600); err != nil {
				return err
			}
			if err := os.Chtimes(name+"~", info.ModTime(), info.ModTime()); err != nil {
				return err
			}
			return os.Rename(name+"~", name)
		}},
		{"in place, putting the old time back", func(name, text string) error {
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				return err
			}
			return os.Chtimes(name, info.ModTime(), info.ModTime())
		}},
		{"away and anew", func(name, text string) error {
			if err := os.Rename(name, name+"~"); err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				return err
			}
			return os.Remove(name + "~")
		}},
	}
}

// TestNoLookIsStale changes a file in every way, to a text of the same size,
// as fast as it goes, and looks after each change.
func TestNoLookIsStale(t *testing.T) {
	for name, watch := range map[string]bool{"scanning": false, "watching": true} {
		t.Run(name, func(t *testing.T) { raceSaves(t, open(t, lobe(t), store.Options{Watch: watch})) })
	}
}

func raceSaves(t *testing.T, s *store.Store) {
	t.Helper()
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "text number 00000"))
	base := readFile(t, w.Path)
	n := 0
	for _, save := range saves() {
		for range 300 {
			n++
			text := fmt.Sprintf("text number %05d", n)
			if err := save.do(w.Path, strings.Replace(base, "text number 00000", text, 1)); err != nil {
				t.Fatal(err)
			}
			if got := body(t, s, "gotcha-00000001"); got != text {
				t.Fatalf("saved %s: the look says %q, the file %q", save.name, got, text)
			}
		}
	}
}

// TestARealEditorIsSeenAtOnce lets vim save while another goroutine looks all
// the time: the entry is never gone and never half.
func TestARealEditorIsSeenAtOnce(t *testing.T) {
	vim, err := exec.LookPath("vim")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("vim is not installed")
		}
		t.Skip("needs vim")
	}
	s := open(t, lobe(t), store.Options{Watch: true})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "count 0"))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if got := body(t, s, "gotcha-00000001"); !strings.HasPrefix(got, "count ") {
				t.Errorf("in the middle of a save the body is %q", got)
				return
			}
		}
	}()
	for i := 1; i <= 12; i++ {
		text := fmt.Sprintf("count %d", i)
		backup := []string{"backupcopy=no", "backupcopy=yes", "backupcopy=auto"}[i%3]
		cmd := exec.Command(vim, "-u", "NONE", "-N", "-es", "-c", "set "+backup+" backup", "-c", "%s/count .*/"+text+"/", "-c", "wq", w.Path)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=dumb")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("vim: %v %s", err, out)
		}
		if got := body(t, s, "gotcha-00000001"); got != text {
			t.Fatalf("after vim's save %d (%s) the body is %q", i, backup, got)
		}
	}
	close(stop)
	<-stopped
}

// TestAHalfWrittenFileIsReadAgain lets a writer shrink and grow a file all the
// time: what the last look says at the end is what the file says.
func TestAHalfWrittenFileIsReadAgain(t *testing.T) {
	s := open(t, lobe(t), store.Options{Watch: true})
	name := filepath.Join(s.Dir(), "general", "big.md")
	done := make(chan struct{})
	writeFile(t, name, "start")
	go func() {
		defer close(done)
		for i := range 200 {
			if err := os.WriteFile(name, []byte(strings.Repeat("line of text\n", 1+i*37%1000)), 0o600); err != nil {
				t.Error(err)
			}
		}
		if err := os.WriteFile(name, []byte("the end"), 0o600); err != nil {
			t.Error(err)
		}
	}()
	for range 200 {
		look(t, s)
	}
	<-done
	h, ok := look(t, s).Path("general/big.md")
	if !ok || h.Entry.Body != "the end" {
		t.Fatalf("at the end: %+v", h)
	}
}

func TestFoldersAndManyFilesAtOnce(t *testing.T) {
	s := open(t, lobe(t), store.Options{Watch: true})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	for i := range 10_000 {
		writeFile(t, filepath.Join(s.Dir(), "modules", fmt.Sprintf("m%d", i%20), fmt.Sprintf("note-%d.md", i)), fmt.Sprintf("# Note %d\n\ntext\n", i))
	}
	v := look(t, s)
	if v.Len() != 10_001 {
		t.Fatalf("%d entries", v.Len())
	}
	if h, ok := v.Path("modules/m7/note-7.md"); !ok || h.Entry.Topic != "modules/m7" || h.Entry.Title != "Note 7" {
		t.Fatalf("%+v", h)
	}
	if err := os.Rename(filepath.Join(s.Dir(), "modules", "m7"), filepath.Join(s.Dir(), "modules", "moved")); err != nil {
		t.Fatal(err)
	}
	v = look(t, s)
	if h, ok := v.Path("modules/moved/note-7.md"); v.Len() != 10_001 || !ok || h.Entry.Topic != "modules/moved" {
		t.Fatalf("%d entries after a folder moved; %+v", v.Len(), h)
	}
	start := time.Now()
	put(t, s, entry.OpCreate, note("gotcha-00000002", "B", "two"))
	t.Logf("a write among them took %s", time.Since(start))
}

// TestAFileThatIsAwayForAMomentIsNotGone: some editors move the file away and
// write it anew.
func TestAFileThatIsAwayForAMomentIsNotGone(t *testing.T) {
	s := open(t, lobe(t), store.Options{Watch: true})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	look(t, s)
	for range 10 {
		if err := os.Rename(w.Path, w.Path+"~"); err != nil {
			t.Fatal(err)
		}
		back := time.AfterFunc(3*time.Millisecond, func() {
			if err := os.Rename(w.Path+"~", w.Path); err != nil {
				t.Error(err)
			}
		})
		if got := body(t, s, "gotcha-00000001"); got != "one" {
			t.Fatalf("in the middle of a save the body is %q", got)
		}
		if back.Stop() {
			t.Fatal("the look did not wait")
		}
	}
}

// TestAnEditorThatSavesDuringOurWriteLosesNothing lets writes and saves of the
// same files collide: every text that was saved is the head or in its history.
func TestAnEditorThatSavesDuringOurWriteLosesNothing(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	const n = 24
	fill(t, s, n)
	rest(t)
	var group sync.WaitGroup
	for i := range n {
		id := fmt.Sprintf("gotcha-%08d", i)
		name := filepath.Join(s.Dir(), "gotchas", id+".md")
		text := strings.Replace(readFile(t, name), "Body of", "By hand", 1)
		save := saves()[i%2*2]
		group.Go(func() {
			time.Sleep(time.Duration(i) * 12 * time.Millisecond)
			if err := save.do(name, text); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range n {
		group.Go(func() {
			id := fmt.Sprintf("gotcha-%08d", i)
			_, err := s.Write(bg, me, func(tx *store.Tx) error {
				return tx.Update(entry.OpAppend, id, func(e entry.Entry) (entry.Entry, error) {
					e.Body += "\nby us"
					return e, nil
				})
			})
			var busy *store.BusyError
			if err != nil && !errors.As(err, &busy) {
				t.Errorf("%s: %v", id, err)
			}
		})
	}
	group.Wait()
	settle(t, s, true)
	for i := range n {
		id := fmt.Sprintf("gotcha-%08d", i)
		rs, err := s.Revisions(id)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(rs, func(r entry.Revision) bool { return strings.Contains(string(r.Head), "By hand") }) {
			t.Errorf("%s: what was saved by hand is lost: %d revisions, body %q", id, len(rs), body(t, s, id))
		}
	}
}
