package index

import (
	"cmp"
	"container/heap"
	"slices"
)

// poolSize is how many of the best by words alone are looked at closely.
const poolSize = 200

// candidate is a document that may become a hit.
type candidate struct {
	doc       uint32
	score     float64
	relevance float64 // the score without the caller's weights
	close     closeness
}

// ranked finds by any word.
func (s *search) ranked(text string) Result {
	s.prepare()
	p := s.plan(text)
	if len(p.terms) == 0 {
		return s.listed(s.state.living())
	}
	s.run(p)
	total := len(s.scratch.touched)
	if s.Keep != nil {
		total = 0
		kept := s.scratch.touched[:0:0]
		for _, d := range s.scratch.touched {
			if s.Keep(s.state.doc(d).Key) {
				kept = append(kept, d)
				total++
			}
		}
		return s.finish(p, kept, total)
	}
	return s.finish(p, s.scratch.touched, total)
}

// run scores all documents by the terms of a plan.
func (s *search) run(p *plan) {
	expansions := make(map[int][]int)
	for i := range p.terms {
		if source := p.terms[i].source; source != i {
			expansions[source] = append(expansions[source], i)
		}
	}
	for i := range p.terms {
		t := &p.terms[i]
		if t.source != i {
			continue
		}
		others := expansions[i]
		s.accumulate(t, t.weight*t.idf, len(others) > 0)
		for _, n := range others {
			e := &p.terms[n]
			s.accumulate(e, e.weight*e.idf, true)
		}
		s.endGroup()
	}
}

// finish ranks scored documents and hands out those that were asked for.
func (s *search) finish(p *plan, docs []uint32, total int) Result {
	pool := s.best(docs, max(poolSize, 2*(s.Limit+s.Offset)))
	s.refine(p, pool)
	s.weigh(pool)
	r := Result{Total: total, Best: p.best(), Evidence: s.evidence(p, pool), Hits: []Hit{}}
	for _, c := range s.page(pool) {
		r.Hits = append(r.Hits, s.hit(p, c))
	}
	return r
}

// page is the part of the ranked candidates that was asked for.
func (s *search) page(pool []candidate) []candidate {
	from := min(s.Offset, len(pool))
	return pool[from:min(from+s.Limit, len(pool))]
}

// weigh applies the caller's weights and sorts.
func (s *search) weigh(pool []candidate) {
	if s.Weight != nil {
		for i := range pool {
			pool[i].score *= s.Weight(s.state.doc(pool[i].doc).Key)
		}
	}
	slices.SortFunc(pool, s.compare)
}

// compare puts the better candidate first; equal ones are in key order.
func (s *search) compare(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(s.state.doc(a.doc).Key, s.state.doc(b.doc).Key))
}

// listed hands out documents without a score, by weight and key.
func (s *search) listed(docs bitset) Result {
	var all []candidate
	for d := range docs.each {
		if s.Keep == nil || s.Keep(s.state.doc(d).Key) {
			all = append(all, candidate{doc: d, score: 1})
		}
	}
	s.weigh(all)
	r := Result{Total: len(all), Hits: []Hit{}}
	for _, c := range s.page(all) {
		r.Hits = append(r.Hits, Hit{Key: s.state.doc(c.doc).Key, Score: c.score, Reasons: []Reason{}})
	}
	return r
}

// best selects the n documents with the highest scores.
func (s *search) best(docs []uint32, n int) []candidate {
	h := &worstFirst{s: s}
	for _, d := range docs {
		c := candidate{doc: d, score: float64(s.scratch.score[d])}
		switch {
		case len(h.items) < n:
			heap.Push(h, c)
		case s.compare(c, h.items[0]) < 0:
			h.items[0] = c
			heap.Fix(h, 0)
		}
	}
	slices.SortFunc(h.items, s.compare)
	return h.items
}

// worstFirst is a heap with the worst candidate on top.
type worstFirst struct {
	s     *search
	items []candidate
}

func (h *worstFirst) Len() int           { return len(h.items) }
func (h *worstFirst) Less(i, j int) bool { return h.s.compare(h.items[i], h.items[j]) > 0 }
func (h *worstFirst) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }

// Push is for [heap.Push].
func (h *worstFirst) Push(x any) { h.items = append(h.items, x.(candidate)) }

// Pop is for [heap.Pop].
func (h *worstFirst) Pop() any {
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	return last
}
