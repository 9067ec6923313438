package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"memory-mcp/store/entry"
)

// filled gives an entry in which every field holds something of its own, so
// that a field which is not packed shows.
func filled(t *testing.T) entry.Entry {
	t.Helper()
	var e entry.Entry
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch x := v.Addr().Interface().(type) {
		case *time.Time:
			*x = time.Unix(int64(1_700_000_000+n), int64(n)).UTC()
			return
		case *[]entry.Field:
			*x = []entry.Field{{Key: "k", Lines: []string{"k: 1", " more"}}, {Key: "l", Lines: []string{"l: 2"}}}
			return
		}
		switch v.Kind() {
		case reflect.String:
			v.SetString(fmt.Sprint("text ", n))
		case reflect.Slice:
			v.Set(reflect.ValueOf([]string{fmt.Sprint("item ", n), "", "另一个"}))
		case reflect.Pointer:
			v.Set(reflect.ValueOf(new(float64(n) / 7)))
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		default:
			t.Fatalf("a field of kind %v is not known here", v.Kind())
		}
	}
	fill(reflect.ValueOf(&e).Elem())
	return e
}

func TestPackedEntriesComeBack(t *testing.T) {
	for name, e := range map[string]entry.Entry{"every field": filled(t), "empty": {}, "zero confidence": {ID: "x", Confidence: new(0.0)}} {
		var p packer
		p.entry(e)
		p.str("end")
		u := unpacker{s: string(p.b)}
		if got := u.entry(); !reflect.DeepEqual(got, e) || u.str() != "end" || u.err != nil || u.s != "" {
			t.Errorf("%s: packed\n%+v, unpacked\n%+v, %v", name, e, got, u.err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	var p packer
	head := &Head{Path: "a/b.md", Hash: entry.Sum(nil), Entry: entry.Entry{ID: "x", Tags: []string{"a"}}}
	p.file(&file{stamp: stamp{size: 3}, ref: new(warm).pack(head)}, 7, true)
	f.Add(p.b)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		u := unpacker{s: string(b)}
		var r Ref
		u.file(&file{}, &r, time.Time{})
		for _, s := range []string{r.packed, string(b)} {
			if s != "" {
				h := (&Ref{packed: s, warm: new(warm)}).Head()
				if got := (&Ref{packed: s}); got.Path() != h.Path || len(got.ID()) > len(s) || len(got.sum()) > len(s) || got.size() != h.Size {
					t.Fatalf("%+v says otherwise in parts", h)
				}
			}
		}
	})
}

// makeFiles lays out n files.
func makeFiles(t testing.TB, dir string, n int) {
	t.Helper()
	for i := range n {
		name := filepath.Join(dir, "modules", fmt.Sprint("m", i%7), fmt.Sprintf("note-%d.md", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, "---\ntags: [t%d]\n---\n# Note %d\n\ntext %d\n", i%3, i, i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, lobeName), []byte(lobeText), 0o600); err != nil {
		t.Fatal(err)
	}
}

func opened(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func looked(t testing.TB, s *Store) *View {
	t.Helper()
	v, err := s.Look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func heads(v *View) []Head {
	var all []Head
	for h := range v.Heads() {
		all = append(all, *h)
	}
	return all
}

func saved(t testing.TB, s *Store, final bool) bool {
	t.Helper()
	v := s.View()
	ok, err := s.SaveSnapshot(context.Background(), "v1", v, final, func(w io.Writer, without ...string) ([]string, error) {
		_, err := fmt.Fprintf(w, "the index without %q", without)
		var paths []string
		for h := range v.Heads() {
			if !slices.Contains(without, h.Path) {
				paths = append(paths, h.Path)
			}
		}
		return paths, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// TestALoadedStoreAnswersAsOneThatReadsAll, after any change in between.
func TestALoadedStoreAnswersAsOneThatReadsAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	makeFiles(t, dir, 300)
	bad := filepath.Join(dir, "modules", "m0", "bad.md")
	if err := os.WriteFile(bad, []byte("---\nid: x\nid: y\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(racy + 100*time.Millisecond)
	s := opened(t, dir)
	looked(t, s)
	if !saved(t, s, false) || saved(t, s, true) {
		t.Fatal("the first snapshot was not written, or a second one was without a change")
	}
	first := filepath.Join(dir, "modules", "m1", "note-1.md")
	if err := os.WriteFile(first, []byte("# Note 1\n\nchanged\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{bad, filepath.Join(dir, "modules", "m2", "note-2.md")} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	l := opened(t, dir)
	snap, err := l.LoadSnapshot("v1")
	if err != nil || string(snap.Index) != `the index without ["modules/m0/bad.md"]` || snap.View.Len() != 300 {
		t.Fatalf("loaded %d files, %q, %v", snap.View.Len(), snap.Index, err)
	}
	got, want := heads(looked(t, l)), heads(looked(t, opened(t, dir)))
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("loaded and read differ:\n%+v\n%+v", got[:2], want[:2])
	}
	if d := l.View().Since(snap.View); len(d.Changed) != 1 || len(d.Gone) != 1 {
		t.Fatalf("since the snapshot %d changed, %d are gone", len(d.Changed), len(d.Gone))
	}
	again := opened(t, dir)
	if _, err := again.LoadSnapshot("v1"); err != nil {
		t.Fatal(err)
	}
	looked(t, again)
	if saved(t, again, false) {
		t.Fatal("a second snapshot was written without enough changes")
	}
	if again.Replace(); !saved(t, again, false) {
		t.Fatal("a snapshot of no use was not replaced")
	}
	if _, err := opened(t, dir).LoadSnapshot("v2"); err == nil {
		t.Fatal("another version's snapshot was taken")
	}
}

func TestADamagedSnapshotIsAsGoodAsNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	makeFiles(t, dir, snapshotLeast)
	s := opened(t, dir)
	looked(t, s)
	if !saved(t, s, true) {
		t.Fatal("not written")
	}
	name := filepath.Join(dir, snapshotName(s.snapshotVersion("v1")))
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{"empty": {}, "cut": whole[:len(whole)/2], "text": []byte("hello")}
	for at := 0; at < len(whole); at += len(whole)/40 + 1 {
		b := slices.Clone(whole)
		b[at] ^= 4
		damaged[fmt.Sprint("bit at ", at)] = b
	}
	for what, b := range damaged {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		l := opened(t, dir)
		if _, err := l.LoadSnapshot("v1"); err == nil {
			t.Errorf("%s: it was taken", what)
		}
		if n := looked(t, l).Len(); n != snapshotLeast {
			t.Errorf("%s: %d files", what, n)
		}
	}
}

func TestNoSnapshotBeforeTheFirstWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	makeFiles(t, dir, snapshotLeast)
	if err := os.Remove(filepath.Join(dir, lobeName)); err != nil {
		t.Fatal(err)
	}
	s := opened(t, dir)
	looked(t, s)
	if saved(t, s, true) {
		t.Fatal("written")
	}
	if _, err := os.Lstat(filepath.Join(dir, stateDir)); !os.IsNotExist(err) {
		t.Fatalf("the state folder exists: %v", err)
	}
}

// TestASnapshotStaysInItsFolder: a state folder that leads elsewhere is not
// written, and files there that are not snapshots of ours are never removed.
func TestASnapshotStaysInItsFolder(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	makeFiles(t, dir, 2*snapshotLeast)
	page := filepath.Join(elsewhere, "index.en.html")
	if err := os.WriteFile(page, []byte("a page"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-60 * 24 * time.Hour)
	if err := os.Chtimes(page, old, old); err != nil {
		t.Fatal(err)
	}
	for _, link := range []bool{true, false} {
		state := filepath.Join(dir, stateDir)
		if err := os.RemoveAll(state); err != nil {
			t.Fatal(err)
		}
		if link {
			if err := os.Symlink(elsewhere, state); err != nil {
				t.Skip("no symbolic links here")
			}
		} else if err := errors.Join(os.CopyFS(state, os.DirFS(elsewhere)), os.Chtimes(filepath.Join(state, "index.en.html"), old, old)); err != nil {
			t.Fatal(err)
		}
		s := opened(t, dir)
		if view := looked(t, s); link {
			if _, err := s.SaveSnapshot(context.Background(), "v", view, true, func(io.Writer, ...string) ([]string, error) { return nil, nil }); err == nil {
				t.Error("saved through a link")
			}
		} else if !saved(t, s, true) {
			t.Error("not saved")
		}
		names, err := os.ReadDir(elsewhere)
		if err != nil || len(names) != 1 {
			t.Errorf("elsewhere are %v, %v", names, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, stateDir, "index.en.html")); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]bool{filepath.Base(snapshotName("v")): true, "index.en.html": false, "index.1.0123456": false, "index.lock": false, "x.1.01234567": false} {
		if isSnapshot(name) != want {
			t.Errorf("%s: not %v", name, want)
		}
	}
}
