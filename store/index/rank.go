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
		s.accumulate(t, len(others) > 0)
		for _, n := range others {
			s.accumulate(&p.terms[n], true)
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
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return cmp.Compare(s.state.doc(a.doc).Key, s.state.doc(b.doc).Key)
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
	top := heap{less: func(a, b candidate) bool { return s.compare(a, b) > 0 }}
	bar := float32(-1) // what a document must reach to be among the best
	for _, d := range docs {
		score := s.scratch.score[d]
		if score < bar {
			continue
		}
		c := candidate{doc: d, score: float64(score)}
		switch {
		case len(top.items) < n:
			top.push(c)
		case s.compare(c, top.items[0]) < 0:
			top.items[0] = c
			top.down(0)
		}
		if len(top.items) == n {
			bar = float32(top.items[0].score)
		}
	}
	slices.SortFunc(top.items, s.compare)
	return top.items
}

// heap keeps the candidate that less puts first on top.
type heap struct {
	items []candidate
	less  func(a, b candidate) bool
}

func (h *heap) push(c candidate) {
	h.items = append(h.items, c)
	for i := len(h.items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.less(h.items[i], h.items[parent]) {
			return
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

func (h *heap) down(i int) {
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.items); child++ {
			if h.less(h.items[child], h.items[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.items[i], h.items[first] = h.items[first], h.items[i]
		i = first
	}
}
