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
	return x.SimilarIn("", title, body, keep, min, limit)
}

// SimilarIn is Similar for the entries of a topic and of those below it.
func (x *Index) SimilarIn(topic, title, body string, keep func(d *Doc) bool, min float64, limit int) []Similar {
	s := &search{Query: Query{Topic: topic, Keep: keep, Limit: limit}, analyzer: x.analyzer, state: x.current.Load(), pool: &x.scratch}
	defer s.free()
	s.prepare()
	want := x.analyzer.FingerprintOf(title, body)
	found := []Similar{}
	for _, doc := range s.comparable(title + "\n" + body) {
		d := s.state.doc(doc)
		if v := textanalysis.Similarity(want, x.analyzer.FingerprintOf(d.Title, d.Body)); v > min {
			found = append(found, Similar{d.Key, v})
		}
	}
	slices.SortFunc(found, func(a, b Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Key, b.Key))
	})
	return found[:max(0, lesser(limit, len(found)))]
}

// comparable are the candidates for a text: all of a topic that has few, else
// the best by words.
func (s *search) comparable(text string) []uint32 {
	var docs []uint32
	if s.scope != nil && s.scope.count() <= similarPool {
		for doc := range s.scope.each {
			if s.keeps(doc) {
				docs = append(docs, doc)
			}
		}
		return docs
	}
	s.run(s.plan(text))
	for _, c := range s.best(s.scratch.touched, similarPool, s.keeps) {
		docs = append(docs, c.doc)
	}
	return docs
}

func lesser(a, b int) int {
	if a < b {
		return a
	}
	return b
}
