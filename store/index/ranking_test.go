package index_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"memory-mcp/store/index"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRankingStays holds the order and the scores, to nine digits, that a plain
// search of every posting and every text gave. Whatever makes searches faster
// must not change them. Rewrite the file only when the ranking itself is meant
// to change.
func TestRankingStays(t *testing.T) {
	var got strings.Builder
	many := manyDocs(3000)
	for i := range many {
		if i%7 == 0 {
			many[i].Body += "?"
		}
		if i%3 == 0 {
			many[i].Session, many[i].Files = "", []string{fmt.Sprintf("src/file%d.go", i%40)}
		}
	}
	large := fresh(many...)
	large.Apply(many[40:90], []string{many[5].Key, many[6].Key, many[1000].Key})
	for i := range 6 {
		large.Apply(many[200+10*i:203+10*i], []string{many[300+i].Key})
	}
	for i, q := range queries(60) {
		if i%3 == 0 {
			q = misspell(q)
		}
		record(&got, q, large.Search(index.Query{Text: q, Limit: 5}))
	}
	record(&got, "weighed", large.Search(index.Query{Text: queries(1)[0], Limit: 12, Offset: 3, Weight: func(d *index.Doc) float64 { return float64(len(d.Key)%3 + int(d.Key[len(d.Key)-1]-'0')) }}))
	small := fresh(someDocs(1, 80)...)
	for i := range 20 {
		small.Apply(someDocs(uint64(100+i), 6), []string{fmt.Sprintf("k%02d", i)})
	}
	for _, q := range []string{"stale cache of user", "getUserName in v1.2.3", "缓存失效", "errors May 2023", "cachr", "when was the cache stale", "build go build", "user name"} {
		record(&got, q, small.Search(index.Query{Text: q, Limit: 20}))
		record(&got, "filter "+q, find(small, q))
	}
	const path = "testdata/ranking.golden"
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d of %s:\nhave %s\nwant %s", i+1, path, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%d lines, want %d", len(a), len(b))
	}
}

// misspell turns two letters of the longest word round.
func misspell(q string) string {
	longest := ""
	for _, w := range strings.Fields(q) {
		if len(w) > len(longest) {
			longest = w
		}
	}
	if len(longest) < 5 {
		return q
	}
	return strings.Replace(q, longest, longest[:2]+longest[3:4]+longest[2:3]+longest[4:], 1)
}

func record(b *strings.Builder, q string, r index.Result) {
	e := r.Evidence
	fmt.Fprintf(b, "%s: %d, best %.9g, evidence %.6g %.6g %.6g %.6g %.6g %s\n", q, r.Total, r.Best, e.Relative, e.Coverage, e.Margin, e.Rarity, e.Words, r.Fallback)
	for _, h := range r.Hits {
		fmt.Fprintf(b, "  %s %.9g %.9g %.6g", h.Key, h.Score, h.Relevance, h.Coverage)
		for _, reason := range h.Reasons[:min(len(h.Reasons), 3)] {
			fmt.Fprintf(b, " %s/%s/%s/%.4g", reason.Kind, reason.Term, reason.Field, reason.Share)
		}
		b.WriteByte('\n')
	}
}
