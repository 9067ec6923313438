package index

import (
	"cmp"
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
	kept := s.kept(s.scratch.touched)
	return s.finish(p, kept, len(kept))
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
		s.accumulate(t, len(others) > 0)
		for _, n := range others {
			s.accumulate(&p.terms[n], true)
		}
		s.endGroup()
	}
}

// finish ranks scored documents and hands out those that were asked for.
func (s *search) finish(p *plan, docs []uint32, total int) Result {
	pool := s.best(docs, max(poolSize, 2*(s.Limit+s.Offset)), nil)
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

// weigh applies the caller's weights and brings the best into order, as many as
// are looked at further on.
func (s *search) weigh(pool []candidate) {
	if s.Weight != nil {
		for i := range pool {
			p := s.state.part(pool[i].doc)
			pool[i].score *= s.Weight(s.told(p.seg, pool[i].doc-p.base))
		}
	}
	n := max(s.Offset+s.Limit, marginDepth+1)
	if n >= len(pool)/2 || n < 0 {
		slices.SortFunc(pool, s.compare)
		return
	}
	slices.SortFunc(pool[:n], s.compare)
	for i := n; i < len(pool); i++ {
		c := pool[i]
		if s.compare(c, pool[n-1]) >= 0 {
			continue
		}
		pool[i] = pool[n-1]
		at, _ := slices.BinarySearchFunc(pool[:n-1], c, s.compare)
		copy(pool[at+1:n], pool[at:n-1])
		pool[at] = c
	}
}

// compare puts the better candidate first; equal ones are in key order.
func (s *search) compare(a, b candidate) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return cmp.Compare(s.state.key(a.doc), s.state.key(b.doc))
}

// listed hands out documents without a score, by weight and key.
func (s *search) listed(docs bitset) Result {
	var all []candidate
	for d := range docs.each {
		if s.keeps(d) {
			all = append(all, candidate{doc: d, score: 1})
		}
	}
	s.weigh(all)
	r := Result{Total: len(all), Hits: []Hit{}}
	for _, c := range s.page(all) {
		p := s.state.part(c.doc)
		r.Hits = append(r.Hits, Hit{Key: s.state.key(c.doc), Ref: p.seg.ref(c.doc - p.base), Score: c.score, Reasons: []Reason{}})
	}
	return r
}

// scored is a document with its score by words alone.
type scored struct {
	score float32
	doc   uint32
}

// best selects the n documents with the highest scores, of those that may be
// found; nil is all. It asks only about documents that would be among the best.
func (s *search) best(docs []uint32, n int, may func(doc uint32) bool) []candidate {
	top := s.scratch.top[:0] // a heap, the worst of the best first
	bar := float32(-1)       // what a document must reach to be among the best
	for _, d := range docs {
		c := scored{s.scratch.score[d], d}
		if c.score < bar {
			continue
		}
		if may != nil && (len(top) == n && !s.better(c, top[0]) || !may(d)) {
			continue
		}
		switch {
		case len(top) < n:
			top = append(top, c)
			if len(top) == n {
				for i := n/2 - 1; i >= 0; i-- {
					s.sink(top, i)
				}
				bar = top[0].score
			}
		case s.better(c, top[0]):
			top[0] = c
			s.sink(top, 0)
			bar = top[0].score
		}
	}
	slices.SortFunc(top, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return cmp.Compare(s.state.key(a.doc), s.state.key(b.doc))
	})
	pool := s.scratch.pool[:0]
	for _, c := range top {
		pool = append(pool, candidate{doc: c.doc, score: float64(c.score)})
	}
	s.scratch.top, s.scratch.pool = top, pool
	return pool
}

// better reports whether a ranks before b.
func (s *search) better(a, b scored) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return s.state.key(a.doc) < s.state.key(b.doc)
}

// sink moves an element down to its place, the worst being on top.
func (s *search) sink(heap []scored, i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if s.better(heap[worst], heap[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
}
