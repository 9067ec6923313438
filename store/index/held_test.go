package index_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/store/index"
)

// over is an index that asks for its documents again, and how to give them.
func over() (*index.Index, func(ref any) index.Doc) {
	again := func(ref any) index.Doc { return *ref.(*index.Doc) }
	return index.Over(rules(), again), again
}

// refs are documents as an index needs them that asks for the rest.
func refs(docs []index.Doc) []index.Doc {
	thin := make([]index.Doc, len(docs))
	for i := range docs {
		thin[i] = index.Doc{Key: docs[i].Key, Ref: &docs[i]}
	}
	return thin
}

// bare is a result without what the caller gave.
func bare(r index.Result) index.Result {
	r.Hits = slices.Clone(r.Hits)
	for i := range r.Hits {
		r.Hits[i].Ref = nil
	}
	return r
}

// TestAnIndexThatAsksAgainAnswersAsOneThatKeeps documents whole, after any
// changes, as a fork, and when it is loaded.
func TestAnIndexThatAsksAgainAnswersAsOneThatKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := shelf{fresh(), map[string]index.Doc{}}
		thin, again := over()
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			put, gone, then := whole.change(t)
			if rapid.Bool().Draw(t, "fork") {
				whole.index, thin = whole.index.Fork(put, gone), thin.Fork(refs(put), gone)
			} else {
				whole.index.Apply(put, gone)
				thin.Apply(refs(put), gone)
			}
			whole.docs = then
			if rapid.IntRange(0, 3).Draw(t, "load") == 0 {
				data, docs := saved(t, thin)
				for i := range docs {
					d, ok := whole.docs[docs[i].Key]
					if !ok {
						t.Fatalf("saved without %q", docs[i].Key)
					}
					docs[i].Ref = &d
				}
				var err error
				if thin, err = index.Load(data, rules(), docs, again); err != nil {
					t.Fatal(err)
				}
			}
		}
		whole.check(t, "kept whole")
		if !slices.Equal(thin.Tags(), whole.index.Tags()) {
			t.Fatalf("tags are %v, want %v", thin.Tags(), whole.index.Tags())
		}
		for _, text := range []string{"stale cache of user", "getUserName in v1.2.3", "缓存失效", "errors May 2023", "cachr", "rror"} {
			q := index.Query{Text: text, Limit: 50, Keep: func(d *index.Doc) bool { return d.Key != "k03" }}
			if a, b := bare(thin.Search(q)), bare(whole.index.Search(q)); !reflect.DeepEqual(a, b) {
				t.Fatalf("%q:\nasks  %+v\nkeeps %+v", text, a, b)
			}
			if a, b := bare(find(thin, text)), bare(find(whole.index, text)); !reflect.DeepEqual(a, b) {
				t.Fatalf("filter %q:\nasks  %+v\nkeeps %+v", text, a, b)
			}
		}
		for mark := range uint64(5) {
			if a, b := thin.Marked(mark), marked(whole.docs, mark); !slices.Equal(a, b) {
				t.Fatalf("mark %d is of %q, want %q", mark, a, b)
			}
			if a, b := whole.index.Marked(mark), marked(whole.docs, mark); !slices.Equal(a, b) {
				t.Fatalf("mark %d is of %q, want %q", mark, a, b)
			}
		}
	})
}

func marked(docs map[string]index.Doc, mark uint64) []string {
	var keys []string
	for key, d := range docs {
		if slices.Contains(d.Marks, mark) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
