package index

import (
	"math"
	"memory-mcp/textanalysis"
	"slices"
)

// The close look at the best candidates.
const (
	titleCoverageSmooth = 9.0
	proximityWeight     = 0.6
	proximityPool       = 100
	proximityReach      = 8
	reversedPenalty     = 1
	leadWords           = 15
	leadWeight          = 0.7
	leadMin             = 15
	leadSmooth          = 12.0
	coverWeight         = 0.2
	coverPower          = 1.0
)

// refine adds what only a look at the text can tell: how much of the title
// the query names, and how close the query's words stand together.
func (s *search) refine(p *plan, pool []candidate) {
	pairs := p.adjacent()
	var buffer []uint32
	for i := range pool {
		c := &pool[i]
		at := s.state.part(c.doc)
		title, body := at.seg.text(c.doc-at.base, buffer)
		c.parts.title = s.coverage(p, at, title, titleCoverageSmooth)
		if i < proximityPool && len(pairs) > 0 {
			c.parts.near = proximityWeight * s.proximity(p, at.seg, pairs, title, body)
		}
		c.score += c.parts.title + c.parts.near
		if leadWeight > 0 && len(body) > leadMin {
			c.score += leadWeight * s.coverage(p, at, body[:min(len(body), leadWords)], leadSmooth)
		}
		if coverWeight > 0 {
			c.score *= 1 - coverWeight + coverWeight*math.Pow(s.covered(p, at, title, body), coverPower)
		}
		if asks(&at.seg.docs[c.doc-at.base]) {
			c.score *= askingFactor
		}
		buffer = title[:0]
	}
}

// coverage is g²/(t+smooth), where t is what all words of a part of the text
// are worth and g what those are worth that the query has.
func (s *search) coverage(p *plan, at *part, words []uint32, smooth float64) float64 {
	given, all := 0.0, 0.0
	s.items = s.items[:0]
	for _, w := range words {
		stem := at.seg.stemOf[w]
		if slices.Contains(s.items, stem) {
			continue
		}
		s.items = append(s.items, stem)
		name := at.seg.stems.names[stem]
		if n, ok := p.number[name]; ok {
			given += p.terms[n].idf * p.relative(n)
			all += p.terms[n].idf
			continue
		}
		all += idf(s.state.df(name), s.state.live)
	}
	return given * given / (all + smooth)
}

// relative is what a term is worth of the word that it stands for.
func (p *plan) relative(n int) float64 {
	t := &p.terms[n]
	if t.source == n {
		return 1
	}
	return t.weight / p.terms[t.source].weight
}

// adjacent lists the neighbouring content words of the query.
func (p *plan) adjacent() [][2]int {
	var pairs [][2]int
	last := -1
	for _, n := range p.order {
		if p.terms[n].class != textanalysis.Word {
			continue
		}
		if last >= 0 && last != n {
			pairs = append(pairs, [2]int{last, n})
		}
		last = n
	}
	return pairs
}

// titleGap keeps the last word of the title away from the first of the body.
const titleGap = 2 * proximityReach

// proximity adds up what pairs of query words are worth that stand close
// together in the text, less with distance.
func (s *search) proximity(p *plan, seg *segment, pairs [][2]int, title, body []uint32) float64 {
	at := make(map[int][]int)
	collect := func(words []uint32, offset int) {
		for i, w := range words {
			if n, ok := p.number[seg.stems.names[seg.stemOf[w]]]; ok && p.terms[n].class == textanalysis.Word {
				at[n] = append(at[n], offset+i)
			}
		}
	}
	collect(title, 0)
	collect(body, len(title)+titleGap)
	sum := 0.0
	for _, pair := range pairs {
		if d := closest(at[pair[0]], at[pair[1]]); d <= proximityReach {
			sum += min(p.terms[pair[0]].idf, p.terms[pair[1]].idf) / float64(d)
		}
	}
	return sum
}

func (s *search) covered(p *plan, at *part, title, body []uint32) float64 {
	seen := map[int]bool{}
	for _, words := range [][]uint32{title, body} {
		for _, w := range words {
			if n, ok := p.number[at.seg.stems.names[at.seg.stemOf[w]]]; ok {
				seen[p.terms[n].source] = true
			}
		}
	}
	given, all := 0.0, 0.0
	for i := range p.terms {
		t := &p.terms[i]
		if t.source != i || t.class != textanalysis.Word && t.class != textanalysis.Sign {
			continue
		}
		all += t.weight * t.idf
		if seen[i] {
			given += t.weight * t.idf
		}
	}
	return given / max(all, 1e-9)
}

// closest is the smallest distance from a place in a to one in b; one more
// when b comes first. Both are in order.
func closest(a, b []int) int {
	best := proximityReach + 1
	for i, j := 0, 0; i < len(a) && j < len(b); {
		d := b[j] - a[i]
		if d > 0 {
			best = min(best, d)
			i++
		} else {
			best = min(best, -d+reversedPenalty)
			j++
		}
	}
	return max(best, 1)
}

// best is what an entry with every word, often, would score.
func (p *plan) best() float64 {
	sum := 0.0
	for i := range p.terms {
		if t := &p.terms[i]; t.source == i {
			sum += t.weight * t.idf * (k1 + 1)
		}
	}
	return sum
}
