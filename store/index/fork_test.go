package index_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/store/index"
)

// A shelf is an index and what it should hold.
type shelf struct {
	index *index.Index
	docs  map[string]index.Doc
}

func (s shelf) check(t *rapid.T, what string) {
	t.Helper()
	rebuilt := fresh(slices.Collect(maps.Values(s.docs))...)
	if s.index.Len() != len(s.docs) || !reflect.DeepEqual(s.index.Tags(), rebuilt.Tags()) {
		t.Fatalf("%s: %d entries and tags %v, want %d and %v", what, s.index.Len(), s.index.Tags(), len(s.docs), rebuilt.Tags())
	}
	for _, text := range []string{"stale cache of user", "getUserName in v1.2.3", "缓存失效", "errors May 2023", "cachr", "rror", "etUser", "stal cach", "bild"} {
		q := index.Query{Text: text, Limit: 50}
		if a, b := s.index.Search(q), rebuilt.Search(q); !reflect.DeepEqual(a, b) {
			t.Fatalf("%s, %q:\nfound   %+v\nrebuilt %+v", what, text, a, b)
		}
		if a, b := find(s.index, text), find(rebuilt, text); !reflect.DeepEqual(a, b) {
			t.Fatalf("%s, filter %q:\nfound   %+v\nrebuilt %+v", what, text, a, b)
		}
	}
}

// change draws what is put in and what is taken out, and what is there then.
func (s shelf) change(t *rapid.T) (put []index.Doc, gone []string, then map[string]index.Doc) {
	then = maps.Clone(s.docs)
	put = someDocs(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 20).Draw(t, "docs"))
	for range rapid.IntRange(0, 25).Draw(t, "gone") {
		key := fmt.Sprintf("k%02d", rapid.IntRange(0, 20).Draw(t, "key"))
		gone = append(gone, key)
		delete(then, key)
	}
	for _, d := range put {
		then[d.Key] = d
	}
	return put, gone, then
}

// TestForksAnswerAsRebuilt forks and changes indexes at random; each must
// answer for what it holds, whatever became of the others.
func TestForksAnswerAsRebuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []shelf{{fresh(), map[string]index.Doc{}}}
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			at := rapid.IntRange(0, len(all)-1).Draw(t, "which")
			put, gone, then := all[at].change(t)
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				all[at].index.Apply(put, gone)
				all[at].docs = then
			case 1:
				all = append(all, shelf{all[at].index.Fork(put, gone), then})
			default:
				all[at].index.Merge()
			}
		}
		for i, s := range all {
			s.check(t, fmt.Sprint("index ", i))
		}
	})
}

func TestForkKnowsItsDocuments(t *testing.T) {
	x := fresh(index.Doc{Key: "a", Title: "One"}, index.Doc{Key: "b", Title: "Two"})
	f := x.Fork([]index.Doc{{Key: "c", Title: "Three"}}, []string{"a"})
	for key, want := range map[string]bool{"a": false, "b": true, "c": true} {
		if _, ok := f.Doc(key); ok != want {
			t.Errorf("the fork has %s: %v, want %v", key, ok, want)
		}
	}
	if _, ok := x.Doc("c"); ok || x.Len() != 2 {
		t.Error("the fork changed what it was made of")
	}
}

func BenchmarkFork(b *testing.B) {
	var docs []index.Doc
	for i := range 20_000 {
		docs = append(docs, index.Doc{Key: fmt.Sprint("k", i), Title: fmt.Sprint("Note ", i), Body: fmt.Sprintf("The zone q%d borders on z%d.", i%997, i%1009), Files: []string{fmt.Sprint("f", i%100)}})
	}
	x := fresh(docs...)
	for b.Loop() {
		x.Fork([]index.Doc{{Key: "k5", Title: "Other", Body: "Another text"}}, []string{"k7"})
	}
}
