package index_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// manyDocs are documents whose words are as unevenly frequent as in a natural
// text: the n-th most frequent word is about 1/n as frequent as the first.
func manyDocs(n int) []index.Doc {
	r := rand.New(rand.NewPCG(7, 7))
	words := vocabulary(60000)
	zipf := rand.NewZipf(r, 1.07, 4, uint64(len(words)-1))
	text := func(n int) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[zipf.Uint64()])
		}
		return b.String()
	}
	docs := make([]index.Doc, n)
	for i := range docs {
		docs[i] = index.Doc{
			Key: fmt.Sprintf("note-%06d", i), Title: text(6), Body: text(30 + r.IntN(80)),
			Tags: []string{words[zipf.Uint64()]}, Session: fmt.Sprintf("s%d", i/20), Seq: i,
			Date: time.Date(2025, 1, 1+i%600, 0, 0, 0, 0, time.UTC),
		}
	}
	return docs
}

func vocabulary(n int) []string {
	r := rand.New(rand.NewPCG(3, 3))
	stop := strings.Fields("the of and to in is a for it that with on as are be this was not by or from")
	words := slices.Clone(stop)
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru stra tion ing er est")
	for len(words) < n {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		words = append(words, b.String())
	}
	return words
}

func queries(n int) []string {
	r := rand.New(rand.NewPCG(11, 11))
	words := vocabulary(60000)
	zipf := rand.NewZipf(r, 1.07, 4, uint64(len(words)-1))
	list := make([]string, n)
	for i := range list {
		var w []string
		for range 4 + r.IntN(8) {
			w = append(w, words[zipf.Uint64()])
		}
		list[i] = strings.Join(w, " ")
	}
	return list
}

// BenchmarkSearch tells the time of a query, the median, the 95th percentile,
// and the memory of the index, by the number of notes.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			docs := manyDocs(n)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			x := index.New(textanalysis.New(textanalysis.Options{}))
			start := time.Now()
			x.Apply(docs, nil)
			built := time.Since(start)
			runtime.GC()
			runtime.ReadMemStats(&after)
			asked := queries(200)
			var times []time.Duration
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				x.Search(index.Query{Text: asked[i%len(asked)]})
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), "p95-µs")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "bytes/note")
			b.ReportMetric(float64(built.Microseconds())/float64(n), "build-µs/note")
		})
	}
}

// BenchmarkApply tells the time of one change to a large index.
func BenchmarkApply(b *testing.B) {
	docs := manyDocs(20000)
	x := index.New(textanalysis.New(textanalysis.Options{}))
	x.Apply(docs, nil)
	for i := 0; b.Loop(); i++ {
		d := docs[i%len(docs)]
		d.Body += fmt.Sprint(" changed ", i)
		x.Apply([]index.Doc{d}, nil)
	}
}

// BenchmarkLoad tells the time to read a snapshot, against building anew.
func BenchmarkLoad(b *testing.B) {
	x := index.New(textanalysis.New(textanalysis.Options{}))
	x.Apply(manyDocs(20000), nil)
	data, kept := saved(b, x)
	b.ReportMetric(float64(len(data))/20000, "bytes/note")
	for b.Loop() {
		if _, err := index.Load(data, x.Analyzer(), kept, nil); err != nil {
			b.Fatal(err)
		}
	}
}
