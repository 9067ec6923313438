package index_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"memory-mcp/store/index"
)

func TestKeepAndWeight(t *testing.T) {
	x := fresh(
		index.Doc{Key: "a", Title: "Cache", Body: "stale cache"},
		index.Doc{Key: "b", Body: "the cache of another kind"},
		index.Doc{Key: "c", Body: "cache, cache and cache"},
	)
	r := x.Search(index.Query{
		Text:   "cache",
		Keep:   func(d *index.Doc) bool { return d.Key != "c" },
		Weight: func(d *index.Doc) float64 { return map[string]float64{"a": 0.1, "b": 2}[d.Key] },
	})
	if got := keys(r); !slices.Equal(got, []string{"b", "a"}) || r.Total != 2 {
		t.Errorf("found %v of %d, want b and a of 2", got, r.Total)
	}
	for _, h := range r.Hits {
		if h.Key == "b" && h.Score != 2*h.Relevance {
			t.Errorf("score %.3f is not twice the relevance %.3f", h.Score, h.Relevance)
		}
	}
	all := x.Search(index.Query{Weight: func(d *index.Doc) float64 { return map[string]float64{"b": 2, "c": 1, "a": 1}[d.Key] }})
	if got := keys(all); !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Errorf("without words the order is %v, want that of weight and key", got)
	}
}

func TestPages(t *testing.T) {
	x := fresh(someDocs(3, 40)...)
	whole := x.Search(index.Query{Text: "cache stale user", Limit: 30})
	var paged []index.Hit
	for offset := 0; offset < 30; offset += 7 {
		paged = append(paged, x.Search(index.Query{Text: "cache stale user", Limit: 7, Offset: offset}).Hits...)
	}
	if paged = paged[:min(len(paged), len(whole.Hits))]; !reflect.DeepEqual(paged, whole.Hits) {
		t.Errorf("pages differ from the whole")
	}
	if r := x.Search(index.Query{Text: "cache", Offset: 1 << 30}); len(r.Hits) != 0 || r.Total == 0 {
		t.Errorf("a page beyond the end has %d hits of %d", len(r.Hits), r.Total)
	}
}

func TestSimilar(t *testing.T) {
	text := "The build uses plain go commands without a makefile, since newcomers know them"
	x := fresh(
		index.Doc{Key: "same", Title: "Build", Body: text},
		index.Doc{Key: "near", Title: "Build", Body: text + ", and the pipeline runs staticcheck as well"},
		index.Doc{Key: "tiny", Body: "go makefile"},
		index.Doc{Key: "other", Body: "Paint fades in the sun"},
		index.Doc{Key: "zh", Body: "缓存失效时调用刷新函数，避免读取旧数据"},
	)
	found := x.Similar("Build", text, nil, 0.35, 3)
	if len(found) != 2 || found[0].Key != "near" && found[0].Key != "same" || found[0].Similarity != 1 {
		t.Errorf("found %+v, want same and near", found)
	}
	if found = x.Similar("", "缓存失效时调用刷新函数，防止读取旧数据", nil, 0.35, 3); len(found) != 1 || found[0].Key != "zh" {
		t.Errorf("found %+v, want the Chinese entry", found)
	}
	if found = x.Similar("Build", text, func(d *index.Doc) bool { return d.Key == "other" }, 0.35, 3); len(found) != 0 {
		t.Errorf("found %+v though only another entry is kept", found)
	}
}

func TestMisspeltAndCompound(t *testing.T) {
	x := fresh(
		index.Doc{Key: "a", Title: "Invalidation", Body: "Bump the version."},
		index.Doc{Key: "b", Body: "The filename is folded."},
		index.Doc{Key: "c", Body: "Handle white space in paths."},
		index.Doc{Key: "d", Body: "Nothing."},
	)
	for question, want := range map[string]string{"invalidaton": "a", "file name": "b", "whitespace": "c"} {
		if r := x.Search(index.Query{Text: question}); len(r.Hits) == 0 || r.Hits[0].Key != want {
			t.Errorf("%q finds %v, want %s first", question, keys(r), want)
		}
	}
}

func TestSearchBesideChanges(t *testing.T) {
	x := fresh(someDocs(1, 30)...)
	var readers, writer sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					x.Search(index.Query{Text: "stale cache of getUserName"})
					find(x, "cache -stale | #go")
					x.Tags()
				}
			}
		})
	}
	writer.Go(func() {
		for i := range 60 {
			x.Apply(someDocs(uint64(i), 5), []string{fmt.Sprintf("k%02d", i%30)})
			if i%20 == 0 && x.Len() > 0 {
				x.Merge()
			}
		}
	})
	writer.Wait()
	close(stop)
	readers.Wait()
}

func TestLongQueries(t *testing.T) {
	x := fresh(someDocs(1, 30)...)
	long := strings.Repeat("cache stale user name wombat ", 4000)
	if r := x.Search(index.Query{Text: long}); len(r.Hits) == 0 {
		t.Error("a long query finds nothing")
	}
	find(x, long)
	var many strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&many, "word%d ", i)
	}
	x.Search(index.Query{Text: many.String()})
	find(x, many.String())
}

// TestSimilarInATopic finds what a search of all finds of it, in topics of few
// entries and of many.
func TestSimilarInATopic(t *testing.T) {
	docs := someDocs(9, 900)
	for i := range docs {
		docs[i].Topic = []string{"many", "few", "many/below"}[min(i%11, 2)]
		if i%400 == 7 {
			docs[i].Topic = "two" // looked up in the lists, which are long
		}
	}
	x := fresh(docs...)
	for _, topic := range []string{"few", "two", "many", "none"} {
		inside := func(d *index.Doc) bool { return d.Topic == topic || strings.HasPrefix(d.Topic, topic+"/") }
		for _, d := range docs[:40] {
			got, want := x.SimilarIn(topic, d.Title, d.Body, nil, 0.3, 200), x.Similar(d.Title, d.Body, inside, 0.3, 200)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("like %q in %s: %d, of all %d", d.Body, topic, len(got), len(want))
			}
			for _, s := range got {
				if found, ok := x.Doc(s.Key); !ok || !inside(&found) {
					t.Fatalf("%s is not in %s", s.Key, topic)
				}
			}
		}
	}
}
