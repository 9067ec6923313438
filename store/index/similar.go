package index

import (
	"cmp"
	"slices"

	"memory-mcp/textanalysis"
)

// A Similar is an entry that shares much of its text with another.
type Similar struct {
	Key        string
	Similarity float64
}

// similarPool is how many candidates by words are compared exactly.
const similarPool = 100

// Similar finds entries of which [textanalysis.Similarity] to the given text
// is greater than min, the most similar first. Candidates come from the
// words, so the work does not grow with the square of the entries.
func (x *Index) Similar(title, body string, keep func(d *Doc) bool, min float64, limit int) []Similar {
	s := &search{Query: Query{Keep: keep, Limit: limit}, analyzer: x.analyzer, state: x.current.Load(), pool: &x.scratch}
	defer s.free()
	s.prepare()
	p := s.plan(title + "\n" + body)
	s.run(p)
	want := x.analyzer.FingerprintOf(title, body)
	found := []Similar{}
	for _, c := range s.best(s.scratch.touched, similarPool, s.keeps) {
		d := s.state.doc(c.doc)
		if v := textanalysis.Similarity(want, x.analyzer.FingerprintOf(d.Title, d.Body)); v > min {
			found = append(found, Similar{d.Key, v})
		}
	}
	slices.SortFunc(found, func(a, b Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Key, b.Key))
	})
	return found[:max(0, lesser(limit, len(found)))]
}

func lesser(a, b int) int {
	if a < b {
		return a
	}
	return b
}
