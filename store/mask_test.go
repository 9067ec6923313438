package store_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// TestMask changes a word in all states of an entry. The line stays as it was,
// but for the word; a second time there is nothing to do; and what a cut-short
// run left is completed.
func TestMask(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "memory")
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := store.Open(dir, store.Options{Now: func() time.Time { now = now.Add(time.Minute); return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	write := func(plan func(*store.Tx) error) {
		t.Helper()
		if _, err := s.Write(ctx, store.By{Actor: "a"}, plan); err != nil {
			t.Fatal(err)
		}
	}
	texts := []string{"Say sesame.", "Say sesame twice.", "Say nothing.", "Say sesame again."}
	for i, text := range texts {
		e := entry.Entry{ID: "mem-1", Topic: "general", Title: "Door", Body: text}
		write(func(tx *store.Tx) error {
			return tx.Put([]entry.Op{entry.OpCreate, entry.OpReplace}[min(i, 1)], e)
		})
	}
	line := func() (ops []string) {
		p, err := s.Past(ctx)
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for _, m := range p.Line("mem-1") {
			r, err := p.Read(m)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Parents) > 0 && p.Counts("mem-1", r.Parents[0]) != last || len(r.Parents) == 0 && last != "" {
				t.Errorf("%s follows %q, not %s", m.Key, r.Parents, last)
			}
			last = m.Key
			ops = append(ops, string(r.Op)+" "+m.Recorded.Format(time.TimeOnly))
		}
		return ops
	}
	before := strings.Join(line(), ", ")
	history := filepath.Join(dir, ".history", entry.HistoryDir("mem-1"))
	old, err := os.ReadDir(history)
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(filepath.Join(history, old[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	mask := func(_ string, b []byte) ([]byte, error) {
		return bytes.ReplaceAll(b, []byte("sesame"), []byte("******")), nil
	}
	holds := func(word string) (files []string) {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			if bytes.Contains(b, []byte(word)) {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	if n, err := s.Mask(ctx, "mem-1", mask); err != nil || n != len(texts) { // but for one state, and the head
		t.Errorf("%d files became others, %v", n, err)
	}
	if found := holds("sesame"); len(found) > 0 {
		t.Errorf("the word is still in %q", found)
	}
	if after := strings.Join(line(), ", "); after != before {
		t.Errorf("the line is %s, and was %s", after, before)
	}
	if n, err := s.Mask(ctx, "mem-1", mask); err != nil || n != 0 {
		t.Errorf("again: %d files, %v", n, err)
	}
	// A kill came before the old files went.
	if err := os.WriteFile(filepath.Join(history, old[0].Name()), first, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Mask(ctx, "mem-1", mask); err != nil || n != 1 || len(holds("sesame")) > 0 {
		t.Errorf("completing: %d files, %v", n, err)
	}
	if after := strings.Join(line(), ", "); after != before {
		t.Errorf("the line is %s, and was %s", after, before)
	}
	wrong := errors.New("no")
	if _, err := s.Mask(ctx, "mem-1", func(string, []byte) ([]byte, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Errorf("an error of the caller: %v", err)
	}
	if _, err := s.Mask(ctx, "mem-1", func(string, []byte) ([]byte, error) { return []byte("---\nid: other\n---\n# X\n"), nil }); err == nil {
		t.Error("the id was changed")
	}
}

// TestNoCopyBringsASecretBack: what was masked on one side is masked on the
// other after a merge, in whichever direction, also when the other's head is in
// a state that was masked.
func TestNoCopyBringsASecretBack(t *testing.T) {
	const id = "gotcha-zzz"
	hide := func(_ string, b []byte) ([]byte, error) {
		return bytes.ReplaceAll(b, []byte("sesame"), []byte("******")), nil
	}
	for name, after := range map[string]func(a, b *store.Store){
		"neither goes on": func(a, b *store.Store) {},
		"the masked one":  func(a, b *store.Store) { put(t, a, entry.OpReplace, note(id, "Door", "Nothing.")) },
		"the other one":   func(a, b *store.Store) { put(t, b, entry.OpReplace, note(id, "Door", "Nothing.")) },
		"both": func(a, b *store.Store) {
			put(t, a, entry.OpReplace, note(id, "Door", "Here."))
			put(t, b, entry.OpReplace, note(id, "Door", "There."))
		},
		"the other erases": func(a, b *store.Store) {
			put(t, b, entry.OpReplace, note(id, "Door", "No."))
			blank(t, b, id, strings.TrimSuffix(keys(t, b)[0][len(id)+1:], ".md"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, lobe(t), store.Options{})
			put(t, a, entry.OpCreate, note(id, "Door", "Say sesame."))
			put(t, a, entry.OpReplace, note(id, "Door", "Say sesame twice."))
			b := copyOf(t, a)
			if _, err := a.Mask(bg, id, hide); err != nil {
				t.Fatal(err)
			}
			after(a, b)
			merge(t, a, b)
			merge(t, b, a)
			merge(t, a, b)
			for _, s := range []*store.Store{a, b} {
				if found := grep(t, s.Dir(), "sesame"); len(found) > 0 {
					t.Errorf("left in %v", found)
				}
			}
			if ka, kb := keys(t, a), keys(t, b); strings.Join(ka, " ") != strings.Join(kb, " ") || body(t, a, id) != body(t, b, id) {
				t.Errorf("the two have %v and %v, %q and %q", ka, kb, body(t, a, id), body(t, b, id))
			}
		})
	}
}
