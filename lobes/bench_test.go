package lobes_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// notes fills a lobe's folder with this many realistic notes.
func notes(b *testing.B, dir string, n int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var words []string
	for i := range 4000 {
		words = append(words, fmt.Sprintf("%s%s%d", []string{"par", "lex", "que", "net", "io"}[i%5], []string{"ser", "er", "ue", "work", "ring"}[i/7%5], i))
	}
	words = append(words, strings.Fields("the a of to in is and that it for handler retry timeout cache index store build test error file path branch")...)
	topics := []string{"architecture", "conventions", "gotchas", "general", "decisions"}
	for i := range n {
		var text []string
		for range 40 + r.IntN(60) {
			text = append(text, words[len(words)-1-int(float64(len(words))*r.Float64()*r.Float64())])
		}
		id := fmt.Sprintf("mem-%08x", i)
		file := filepath.Join(dir, topics[i%5], id+".md")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		header := fmt.Sprintf("---\nid: %s\ntopic: %s\ncreated: 2026-11-%02dT00:00:00Z\ntags: [t%d]\n---\n# %s\n\n", id, topics[i%5], 1+i%28, i%50, strings.Join(text[:5], " "))
		if err := os.WriteFile(file, []byte(header+strings.Join(text, " ")+".\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSet(b *testing.B, n int, readOnly bool) *lobes.Set {
	dir := b.TempDir()
	notes(b, dir, n)
	set := lobes.NewSet([]lobes.Spec{{Name: "app", Root: dir, Dir: dir, Budget: -1}}, lobes.Options{ReadOnly: readOnly})
	b.Cleanup(func() {
		if err := set.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	time.Sleep(3 * time.Second) // a file that was just written is read anew at each look
	if _, err := set.Recall(context.Background(), lobes.Target{}, lobes.Query{Filter: "cache"}); err != nil {
		b.Fatal(err)
	}
	return set
}

func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		set := benchSet(b, n, true)
		for name, q := range map[string]lobes.Query{
			"text":   {Text: "how does the handler retry after a timeout of the cache", MinMatch: 0.2},
			"filter": {Filter: "handler retry"},
			"list":   {},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := set.Recall(context.Background(), lobes.Target{}, q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("brief/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := set.Brief(context.Background(), lobes.Target{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRemember(b *testing.B) {
	for _, n := range []int{100, 1000} {
		set := benchSet(b, n, false)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				note := lobes.Note{Title: fmt.Sprint("Bench ", i, n), Text: fmt.Sprintf("Bench note %d says that number %d is %d.", i, i*3, i*7)}
				if _, err := set.Remember(context.Background(), lobes.By{Actor: "bench"}, lobes.Target{}, []lobes.Note{note}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFirstAnswer(b *testing.B) {
	dir := b.TempDir()
	notes(b, dir, 10000)
	first := func(o lobes.Options) *lobes.Set {
		set := lobes.NewSet([]lobes.Spec{{Name: "app", Root: dir, Dir: dir, Budget: -1}}, o)
		if _, err := set.Recall(context.Background(), lobes.Target{}, lobes.Query{Filter: "cache"}); err != nil {
			b.Fatal(err)
		}
		return set
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			first(lobes.Options{ReadOnly: true})
		}
	})
	// A store that was written hands a snapshot on.
	if err := os.WriteFile(filepath.Join(dir, ".lobe"), []byte("memory-mcp lobe\nformat: 1\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	time.Sleep(3 * time.Second)
	if err := first(lobes.Options{}).Settle(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			first(lobes.Options{ReadOnly: true})
		}
	})
}
