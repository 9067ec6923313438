package index_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// rules are shared, so that each stem is worked out once.
var rules = sync.OnceValue(func() *textanalysis.Analyzer { return textanalysis.New(textanalysis.Options{}) })

func fresh(docs ...index.Doc) *index.Index {
	x := index.New(rules())
	x.Apply(docs, nil)
	return x
}

func keys(r index.Result) []string {
	var k []string
	for _, h := range r.Hits {
		k = append(k, h.Key)
	}
	return k
}

func find(x *index.Index, filter string) index.Result {
	return x.Search(index.Query{Filter: textanalysis.ParseFilter(filter), HasFilter: true, Limit: 50})
}

func TestFilterSearch(t *testing.T) {
	x := fresh(
		index.Doc{Key: "a", Title: "Exception handling", Body: "Throw the exception early, in getUserName.", Tags: []string{"Errors"}},
		index.Doc{Key: "b", Title: "Build in Go", Body: "Use plain go commands, C++ only for cgo. Growing.", Tags: []string{"build"}, Subject: "Tool chain"},
		index.Doc{Key: "c", Title: "缓存策略", Body: "缓存失效时调用refresh_cache函数。", Tags: []string{"cache"}},
		index.Doc{Key: "d", Title: "The cache", Body: "The cache is never stale. It grows."},
	)
	tests := []struct{ filter, want, fallback string }{
		{"exceptions", "a", ""},
		{"=exception", "a", ""},
		{"=exceptions", "", ""},
		{"getUserName", "a", ""},
		{"get_user_name", "a", ""},
		{"go", "b", ""},
		{"C++", "b", ""},
		{"#errors", "a", ""},
		{"#build | #cache", "b c", ""},
		{"cache -never", "c", ""},
		{"-cache", "a b", ""},
		{`"plain go"`, "b", ""},
		{`"go plain"`, "b", index.AnyWord},
		{"缓存失效", "c", ""},
		{"refresh", "c", ""},
		{"the", "a d", ""},
		{"subject:\"tool chain\"", "b", ""},
		{"-", "a b c d", ""},
		{"", "a b c d", ""},
		{"xception nothing", "a", index.InsideWords},
		{"rowing", "b", index.InsideWords},
		{"cache wombat", "c d", index.AnyWord},
		{"exceptoin", "a", index.AnyWord},
		{"exceptoin -throw", "", index.AnyWord},
		{"exceptoin #build", "", index.AnyWord},
		{"|||", "a b c d", ""},
	}
	for _, tt := range tests {
		r := find(x, tt.filter)
		got := keys(r)
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want || r.Fallback != tt.fallback {
			t.Errorf("%q found %v (%q), want %s (%q)", tt.filter, got, r.Fallback, tt.want, tt.fallback)
		}
	}
}

// someDocs are small documents from a small vocabulary, so that they share
// words, sessions and tags.
func someDocs(seed uint64, n int) []index.Doc {
	r := rand.New(rand.NewPCG(seed, 1))
	vocabulary := strings.Fields("cache caches stale the of getUserName user name go build 缓存 缓存失效 失效 v1.2.3 error errors May 2023")
	pick := func(n int) string {
		var w []string
		for range n {
			w = append(w, vocabulary[r.IntN(len(vocabulary))])
		}
		return strings.Join(w, " ")
	}
	var docs []index.Doc
	for i := range n {
		d := index.Doc{Key: fmt.Sprintf("k%02d", r.IntN(n)), Title: pick(r.IntN(4)), Body: pick(r.IntN(12)), Seq: i}
		if r.IntN(2) == 0 {
			d.Session = fmt.Sprintf("s%d", r.IntN(3))
		}
		if r.IntN(3) == 0 {
			d.Tags = []string{pick(1)}
		}
		if r.IntN(3) == 0 {
			d.Date = time.Date(2023, time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
		}
		for m := range i % 3 {
			d.Marks = append(d.Marks, (seed+uint64(7*i+m))%5)
		}
		docs = append(docs, d)
	}
	return docs
}

func TestChangedAnswersAsRebuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changed := fresh()
		now := make(map[string]index.Doc)
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			put := someDocs(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 20).Draw(t, "docs"))
			var gone []string
			for range rapid.IntRange(0, 6).Draw(t, "gone") {
				gone = append(gone, fmt.Sprintf("k%02d", rapid.IntRange(0, 20).Draw(t, "key")))
			}
			changed.Apply(put, gone)
			for _, k := range gone {
				delete(now, k)
			}
			for _, d := range put {
				now[d.Key] = d
			}
			if rapid.IntRange(0, 5).Draw(t, "merge") == 0 {
				changed.Merge()
			}
		}
		var docs []index.Doc
		for _, d := range now {
			docs = append(docs, d)
		}
		rebuilt := fresh(docs...)
		if changed.Len() != len(now) || !reflect.DeepEqual(changed.Tags(), rebuilt.Tags()) {
			t.Fatalf("%d entries and tags %v, want %d and %v", changed.Len(), changed.Tags(), len(now), rebuilt.Tags())
		}
		loaded := reload(t, changed)
		for _, text := range []string{"stale cache of user", "getUserName in v1.2.3", "缓存失效", "errors May 2023", "wombat", "cachr"} {
			q := index.Query{Text: text, Limit: 50}
			if a, b := changed.Search(q), rebuilt.Search(q); !reflect.DeepEqual(a, b) {
				t.Fatalf("%q:\nchanged %+v\nrebuilt %+v", text, a, b)
			}
			if a, b := loaded.Search(q), rebuilt.Search(q); !reflect.DeepEqual(a, b) {
				t.Fatalf("%q:\nloaded %+v\nrebuilt %+v", text, a, b)
			}
			if a, b := find(changed, text), find(rebuilt, text); !reflect.DeepEqual(a, b) {
				t.Fatalf("filter %q:\nchanged %+v\nrebuilt %+v", text, a, b)
			}
		}
	})
}
