package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// grow fills a folder with n heads, as files that a program has just unpacked.
func grow(b *testing.B, dir string, n int) {
	b.Helper()
	for i := range n {
		id := fmt.Sprintf("mod-%08x", i)
		e := entry.Entry{ID: id, Topic: fmt.Sprintf("modules/m%d", i%20), Title: "Note " + id, Body: strings.Repeat("Words of a note that says something. ", 12)}
		writeFile(b, filepath.Join(dir, "modules", fmt.Sprintf("m%d", i%20), id+".md"), string(e.Format()))
	}
}

// BenchmarkLook is what each request pays before it is answered.
func BenchmarkLook(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		dir := lobe(b)
		grow(b, dir, n)
		rest(b)
		for name, watch := range map[string]bool{"scan": false, "watch": true} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				s := open(b, dir, store.Options{Watch: watch})
				look(b, s)
				for b.Loop() {
					look(b, s)
				}
			})
		}
		b.Run(fmt.Sprintf("first/%d", n), func(b *testing.B) {
			for b.Loop() {
				look(b, open(b, dir, store.Options{}))
			}
		})
	}
}

// BenchmarkWrite is a new entry among n, beside the least that a durable file
// costs: create, sync, rename, sync the folder.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{0, 1000, 10_000} {
		dir := lobe(b)
		grow(b, dir, n)
		b.Run(fmt.Sprintf("store/%d", n), func(b *testing.B) {
			s := open(b, dir, store.Options{Watch: true})
			put(b, s, entry.OpCreate, note("gotcha-first", "First", "The first write looks the folder through."))
			for i := 0; b.Loop(); i++ {
				put(b, s, entry.OpCreate, note(fmt.Sprintf("gotcha-%08x", i), fmt.Sprint("Title ", i), "A body of some words."))
			}
		})
	}
	b.Run("bare", func(b *testing.B) {
		dir := b.TempDir()
		for i := 0; b.Loop(); i++ {
			if err := bareWrite(dir, fmt.Sprint(i)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func bareWrite(dir, name string) error {
	f, err := os.Create(filepath.Join(dir, "tmp"))
	if err != nil {
		return err
	}
	defer f.Close() // closed below; a second close is harmless
	if _, err := f.WriteString("A body of some words."); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close() // a folder handle: nothing to lose
	return d.Sync()
}

// BenchmarkFirstSettle is what a process pays at its end that has written
// once: it compares every head with its history.
func BenchmarkFirstSettle(b *testing.B) {
	const n = 10_000
	dir := lobe(b)
	grow(b, dir, n)
	writeFile(b, filepath.Join(dir, ".lobe"), "memory-mcp lobe\nformat: 1\n")
	s := open(b, dir, store.Options{})
	for h := range look(b, s).Heads() {
		head, err := os.ReadFile(filepath.Join(dir, h.Path))
		if err != nil {
			b.Fatal(err)
		}
		r := entry.Revision{ID: h.Entry.ID, Recorded: h.Modified, Actor: "test", Op: entry.OpCreate, Path: h.Path, Head: head}
		name, err := r.Name()
		if err != nil {
			b.Fatal(err)
		}
		text, err := r.Format()
		if err != nil {
			b.Fatal(err)
		}
		writeFile(b, filepath.Join(dir, ".history", entry.HistoryDir(r.ID), name), string(text))
	}
	for b.Loop() {
		s := open(b, dir, store.Options{})
		look(b, s)
		if done := settle(b, s, true); len(done.Adopted) > 0 {
			b.Fatalf("adopted %d", len(done.Adopted))
		}
	}
}
