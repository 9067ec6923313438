//go:build unix

package store_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

func problem(t testing.TB, s *store.Store, part string) store.Problem {
	t.Helper()
	all, err := s.Problems(bg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if strings.Contains(p.What, part) {
			if p.Remedy == "" || !filepath.IsAbs(p.File) {
				t.Errorf("problem without remedy or path: %+v", p)
			}
			return p
		}
	}
	t.Fatalf("no problem says %q: %+v", part, all)
	return store.Problem{}
}

func TestLinksAreNotFollowed(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	outside := filepath.Join(t.TempDir(), "secret.md")
	writeFile(t, outside, "# Secret\n\nnot ours\n")
	for name, target := range map[string]string{"gotchas/link.md": outside, "conventions": filepath.Dir(outside), "general/in.md": "../gotchas/gotcha-00000001.md"} {
		p := filepath.Join(s.Dir(), name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, p); err != nil {
			t.Fatal(err)
		}
	}
	if got := look(t, s).Len(); got != 1 {
		t.Fatalf("%d entries", got)
	}
	problem(t, s, "symbolic link")
	e := entry.Entry{ID: "conv-00000001", Topic: "conventions", Title: "C", Body: "c"}
	if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpCreate, e) }); err == nil {
		t.Fatal("wrote through a link that leaves the folder")
	}
	if names, err := os.ReadDir(filepath.Dir(outside)); err != nil || len(names) != 1 {
		t.Fatalf("outside the folder: %v, %v", names, err)
	}
}

func TestOddThingsInThePlaceOfFiles(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	if err := os.MkdirAll(filepath.Join(s.Dir(), "gotchas", "folder.md", "deeper.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(s.Dir(), "gotchas", "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.Dir(), "gotchas", "huge.md"), strings.Repeat("x", 1<<20+1))
	writeFile(t, filepath.Join(s.Dir(), "gotchas", "#autosave.md"), "no")
	writeFile(t, filepath.Join(s.Dir(), "gotchas", ".#lock.md"), "no")
	writeFile(t, filepath.Join(s.Dir(), "~trash", "x.md"), "no")
	writeFile(t, filepath.Join(s.Dir(), "gotchas", "latin1.md"), "caf\xe9 au lait")
	if got := look(t, s).Len(); got != 2 {
		t.Fatalf("%d entries", got)
	}
	problem(t, s, "1048577 bytes")
	problem(t, s, "UTF-8")
}

func TestAStoreThatIsAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "memory")
	writeFile(t, name, "not a folder")
	if _, err := store.Open(name, store.Options{}); err == nil {
		t.Fatal("a file was opened as a store")
	}
	s := open(t, lobe(t), store.Options{})
	writeFile(t, s.Dir(), "not a folder either")
	if _, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpCreate, note("gotcha-00000001", "A", "a")) }); err == nil {
		t.Fatal("wrote into a file")
	}
	if _, err := s.Look(bg); err == nil {
		t.Fatal("looked into a file")
	}
}

func TestANewerFormatIsReadAndNeverWritten(t *testing.T) {
	for _, name := range []string{".lobe", ".state/format"} {
		s := open(t, lobe(t), store.Options{})
		put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
		writeFile(t, filepath.Join(s.Dir(), name), "memory-mcp lobe\nformat: 2\n")
		var newer *store.NewerFormatError
		_, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpReplace, note("gotcha-00000001", "A", "two")) })
		if !errors.As(err, &newer) || newer.Have != 2 {
			t.Fatalf("%s: %v", name, err)
		}
		if got := body(t, s, "gotcha-00000001"); got != "one" {
			t.Fatalf("%s: body %q", name, got)
		}
		problem(t, s, "newer")
	}
}

func TestDamagedHistoryIsNamedAndNeverUsed(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	w2 := put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "two"))
	name := filepath.Join(s.Dir(), ".history", entry.HistoryDir("gotcha-00000001"), "gotcha-00000001."+w2.Key+".md")
	text := readFile(t, name)
	writeFile(t, name, text[:len(text)-2])
	p := problem(t, s, "damaged")
	if p.File != name {
		t.Fatalf("named %s", p.File)
	}
	if got := body(t, s, "gotcha-00000001"); got != "two" {
		t.Fatalf("body %q", got)
	}
	rest(t)
	put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "three"))
	rs, _ := s.Revisions("gotcha-00000001")
	if len(rs) != 3 || rs[1].Op != entry.OpAdopt || rs[1].Parents[0] != w.Key {
		t.Fatalf("history %+v", rs)
	}
	if readFile(t, name) != text[:len(text)-2] {
		t.Fatal("the damaged file was touched")
	}
}

// TestAFullDisk writes until nothing fits, on a file system of its own.
func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir)
	if out, err := mount.CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("mount: %v %s", err, out)
		}
		t.Skipf("needs the right to mount a small file system: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	s := open(t, filepath.Join(dir, "memory"), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	var err error
	written := map[string]bool{}
	for i := 0; err == nil && i < 100; i++ {
		id := "gotcha-full" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		_, err = s.Write(bg, me, func(tx *store.Tx) error {
			return tx.Put(entry.OpCreate, note(id, id, strings.Repeat("many words ", 2000)))
		})
		written[id] = err == nil
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a full disk gave %v", err)
	}
	_, rerr := s.Write(bg, me, func(tx *store.Tx) error {
		return tx.Put(entry.OpReplace, note("gotcha-00000001", "A", strings.Repeat("long ", 40000)))
	})
	if rerr == nil {
		t.Fatal("a replacement fitted on a full disk")
	}
	if got := body(t, s, "gotcha-00000001"); got != "one" {
		t.Fatalf("the old text is %q", got)
	}
	for id, ok := range written {
		if got := body(t, s, id); ok != strings.HasPrefix(got, "many words") {
			t.Errorf("%s: acknowledged %t, body %.20q", id, ok, got)
		}
	}
	if problems, err := s.Problems(bg); err != nil || len(problems) > 0 {
		t.Errorf("problems %+v, %v", problems, err)
	}
	if err := os.Remove(filepath.Join(s.Dir(), "gotchas", "gotcha-fullaa.md")); err != nil {
		t.Fatal(err)
	}
}

// TestAReadOnlyDisk reads, and says clearly that it cannot write.
func TestAReadOnlyDisk(t *testing.T) {
	dir := t.TempDir()
	run := func(name string, args ...string) error { return exec.Command(name, args...).Run() }
	if err := run("mount", "-t", "tmpfs", "tmpfs", dir); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("needs the right to mount a small file system")
	}
	t.Cleanup(func() {
		if err := run("umount", "-l", dir); err != nil {
			t.Error(err)
		}
	})
	s := open(t, filepath.Join(dir, "memory"), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	if err := run("mount", "-o", "remount,ro", dir); err != nil {
		t.Fatal(err)
	}
	s = open(t, s.Dir(), store.Options{})
	if got := body(t, s, "gotcha-00000001"); got != "one" {
		t.Fatalf("body %q", got)
	}
	_, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpCreate, note("gotcha-00000002", "B", "b")) })
	if !errors.Is(err, syscall.EROFS) {
		t.Fatalf("a read-only disk gave %v", err)
	}
	if _, err := s.Settle(bg, me, true); err != nil {
		t.Fatalf("nothing to settle, and still: %v", err)
	}
}

func TestDisposableStateAndACopyOfTheFolder(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	fill(t, s, 5)
	if err := os.RemoveAll(filepath.Join(s.Dir(), ".state")); err != nil {
		t.Fatal(err)
	}
	put(t, s, entry.OpReplace, note("gotcha-00000003", "Title gotcha-00000003", "new"))
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(s.Dir())); err != nil {
		t.Fatal(err)
	}
	c := open(t, to, store.Options{})
	if got := body(t, c, "gotcha-00000003"); got != "new" || look(t, c).Len() != 5 {
		t.Fatalf("the copy says %q, %d entries", got, look(t, c).Len())
	}
	put(t, c, entry.OpReplace, note("gotcha-00000003", "Title gotcha-00000003", "newer"))
	if got := len(ops(t, c, "gotcha-00000003")); got != 3 {
		t.Fatalf("%d revisions in the copy", got)
	}
	if got := body(t, s, "gotcha-00000003"); got != "new" {
		t.Fatalf("the first folder says %q", got)
	}
}

func TestModeAndGroupSurviveARewrite(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	check := func(name string, want fs.FileMode) {
		t.Helper()
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v), want %v", name, info.Mode(), err, want)
		}
	}
	check(w.Path, 0o600)
	check(s.Dir(), 0o700)
	if err := os.Chmod(w.Path, 0o640); err != nil {
		t.Fatal(err)
	}
	rest(t)
	put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "two"))
	check(w.Path, 0o640)
	shared := open(t, lobe(t), store.Options{Shared: 0o060 | fs.FileMode(0o010)})
	w = put(t, shared, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	check(w.Path, 0o660)
	check(filepath.Dir(w.Path), 0o770)
}
