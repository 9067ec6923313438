package benchrecall_test

import (
	"fmt"
	"os"
	"sort"
	"testing"
	"time"

	"memory-mcp/cmd/internal/benchrecall"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

func build(a *textanalysis.Analyzer, s benchrecall.Set) map[string]*index.Index {
	docs := make(map[string][]index.Doc)
	for i, n := range s.Notes {
		d := index.Doc{Key: n.ID, Title: n.Title, Body: n.Text, Tags: n.Tags, Session: n.Ctx, Seq: n.Seq, Date: benchrecall.ParseDate(n.Date)}
		if n.Group != "" {
			d.Speaker, d.Title = n.Title, ""
		}
		if n.Path != "" {
			d.Files = []string{n.Path}
			d.Seq = i
		}
		docs[n.Group] = append(docs[n.Group], d)
	}
	out := make(map[string]*index.Index)
	for g, d := range docs {
		out[g] = index.New(a)
		out[g].Apply(d, nil)
	}
	return out
}

func TestLab(t *testing.T) {
	dir := os.Getenv("RECALL_SETS")
	if dir == "" {
		t.Skip("RECALL_SETS names no folder of sets")
	}
	sets, err := benchrecall.LoadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	only := os.Getenv("RECALL_ONLY")
	a := textanalysis.New(textanalysis.Options{})
	type col struct{ even, odd, all benchrecall.Metrics }
	cols := map[string]col{}
	var spent time.Duration
	n := 0
	for _, s := range sets {
		if only != "" && only != s.Name {
			continue
		}
		xs := build(a, s)
		for c, qs := range s.Questions {
			ans := map[string][]string{}
			for _, q := range qs {
				t0 := time.Now()
				r := xs[q.Group].Search(index.Query{Text: q.Query, Limit: 10})
				spent += time.Since(t0)
				n++
				for _, h := range r.Hits {
					ans[q.ID] = append(ans[q.ID], h.Key)
				}
			}
			name := s.Name
			if c != "" {
				name += " " + c
			}
			cols[name] = col{benchrecall.Score(qs, ans, benchrecall.Even), benchrecall.Score(qs, ans, benchrecall.Odd), benchrecall.Score(qs, ans, benchrecall.Both)}
		}
	}
	var names []string
	for k := range cols {
		names = append(names, k)
	}
	sort.Strings(names)
	var he, ho, ha, r5 float64
	hn := 0.0
	var loss [3]float64
	for _, k := range names {
		c := cols[k]
		fmt.Printf("%-12s even %.3f odd %.3f all %.3f r@5 %.3f\n", k, c.even.NDCG10, c.odd.NDCG10, c.all.NDCG10, c.all.Recall5)
		if len(k) > 5 && k[len(k)-4:] == "typo" {
			p := cols[k[:len(k)-5]]
			loss[0] += (p.even.NDCG10 - c.even.NDCG10) / 3
			loss[1] += (p.odd.NDCG10 - c.odd.NDCG10) / 3
			loss[2] += (p.all.NDCG10 - c.all.NDCG10) / 3
			continue
		}
		he += c.even.NDCG10
		ho += c.odd.NDCG10
		ha += c.all.NDCG10
		r5 += c.all.Recall5
		hn++
	}
	fmt.Printf("HEADLINE     even %.4f odd %.4f all %.4f r@5 %.3f  typo loss even %.3f odd %.3f all %.3f  %.0f us/query\n", he/hn, ho/hn, ha/hn, r5/hn, loss[0], loss[1], loss[2], float64(spent.Microseconds())/float64(n))
}
