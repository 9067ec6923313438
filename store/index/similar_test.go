package index_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// likeIt are the entries that are alike by the definition: every one is read.
func likeIt(docs map[string]index.Doc, topic, title, body string, keep func(*index.Doc) bool, least float64, limit int) []index.Similar {
	want, found := rules().FingerprintOf(title, body), []index.Similar{}
	for key, d := range docs {
		if topic != "" && d.Topic != topic && !strings.HasPrefix(d.Topic, topic+"/") || keep != nil && !keep(&d) {
			continue
		}
		if v := textanalysis.Similarity(want, rules().FingerprintOf(d.Title, d.Body)); v > least {
			found = append(found, index.Similar{Key: key, Similarity: v})
		}
	}
	slices.SortFunc(found, func(a, b index.Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), strings.Compare(a.Key, b.Key))
	})
	return found[:min(limit, len(found))]
}

// Similar finds all that is alike, and nothing else, also after changes, after
// a merge and from a snapshot.
func TestSimilarIsThatOfTheTexts(t *testing.T) {
	words := strings.Fields("cache caches cached being the of not get_user_name getUserName getusername user name build builds 缓存 缓存失效 失效时 v1.2.3 error Fehler 2023 retry")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			if rapid.Bool().Draw(t, "known") { // texts that are quite the same are in the order of their keys
				return rapid.SampledFrom([]string{"the retry of a build", "cache error", "缓存失效时 getUserName 2023"}).Draw(t, "text")
			}
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 24).Draw(t, "words"), " ")
		})
		x, docs := index.New(rules()), map[string]index.Doc{}
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			var put []index.Doc
			for range rapid.IntRange(0, 12).Draw(t, "put") {
				put = append(put, index.Doc{
					Key: fmt.Sprint("k", rapid.IntRange(0, 20).Draw(t, "key")), Title: text.Draw(t, "title"), Body: text.Draw(t, "body"),
					Tags:   rapid.SliceOfN(rapid.SampledFrom(words), 0, 2).Draw(t, "tags"),
					Fields: []string{text.Draw(t, "field")}, Subject: rapid.SampledFrom(words).Draw(t, "subject"),
					Topic: rapid.SampledFrom([]string{"gotchas", "modules/a", "modules/b", "modulesque"}).Draw(t, "topic"),
				})
			}
			gone := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 20), func(n int) string { return fmt.Sprint("k", n) }), 0, 4).Draw(t, "gone")
			x.Apply(put, gone)
			for _, key := range gone {
				delete(docs, key)
			}
			for _, d := range put {
				docs[d.Key] = d
			}
		}
		if rapid.Bool().Draw(t, "merge") {
			x.Merge()
		}
		topic := rapid.SampledFrom([]string{"", "gotchas", "modules", "none"}).Draw(t, "of")
		title, body := text.Draw(t, "asked title"), text.Draw(t, "asked body")
		least, limit := rapid.SampledFrom([]float64{0, 0.2, 0.35, 0.92}).Draw(t, "least"), rapid.IntRange(0, 6).Draw(t, "limit")
		var keep func(*index.Doc) bool
		if rapid.Bool().Draw(t, "keeps") {
			keep = func(d *index.Doc) bool { return d.Key != "k3" && d.Key != "k5" }
		}
		got, want := x.SimilarIn(topic, title, body, keep, least, limit), likeIt(docs, topic, title, body, keep, least, limit)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("found %v, want %v", got, want)
		}
		var saved strings.Builder
		keys, err := x.Save(&saved)
		if err != nil {
			t.Fatal(err)
		}
		var kept []index.Kept
		for _, key := range keys {
			d := docs[key]
			kept = append(kept, index.Kept{Key: key, Ref: &d})
		}
		loaded, err := index.Load([]byte(saved.String()), rules(), kept, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := loaded.SimilarIn(topic, title, body, keep, least, limit); !reflect.DeepEqual(got, want) {
			t.Fatalf("from a snapshot %v, want %v", got, want)
		}
	})
}
