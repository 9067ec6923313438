package index

import (
	"slices"

	"memory-mcp/textanalysis"
)

// The close look at the best candidates.
const (
	titleSmooth     = 9.0
	leadWords       = 15 // how many words open a body
	leadWeight      = 0.7
	leadSmooth      = 12.0
	proximityWeight = 0.6
	proximityPool   = 100 // how many of the best are looked at for it
	proximityReach  = 8   // words apart at most
	reversedPenalty = 1   // words that stand in the other order count as further apart
	coverageWeight  = 0.2 // how much of the score depends on how many words were found
)

// closeness is what the close look adds to a score.
type closeness struct{ title, lead, near float64 }

func (c closeness) sum() float64 { return c.title + c.lead + c.near }

// refine adds what only a look at the text can tell: how much of the title and
// of the opening the query names, how close its words stand together, and how
// many of them are there.
func (s *search) refine(p *plan, pool []candidate) {
	pairs := p.adjacent()
	var crowd *crowd
	if len(pairs) > fewPairs {
		crowd = crowded(pairs)
	}
	buffer := s.scratch.text
	for i := range pool {
		c := &pool[i]
		r := s.reader(p, c.doc)
		title, body := r.part.seg.text(c.doc-r.part.base, buffer)
		r.locate(title, body)
		if r.stands(0, len(title)) {
			c.close.title = r.named(title, titleSmooth)
		}
		if from := len(title) + titleGap; len(body) > leadWords && r.stands(from, from+leadWords) {
			c.close.lead = leadWeight * r.named(body[:leadWords], leadSmooth)
		}
		if i < proximityPool && len(pairs) > 0 {
			c.close.near = proximityWeight * r.near(pairs, crowd)
		}
		c.score += c.close.sum()
		c.score *= 1 - coverageWeight + coverageWeight*r.covered()
		c.score *= statedFactor(r.part.seg.states[c.doc-r.part.base])
		c.relevance = c.score
		buffer = title[:0]
	}
	s.scratch.text = buffer
}

// named is g²/(t+smooth), where t is what all words of a part of the text are
// worth and g what those are worth that the query has.
func (r *reader) named(words []uint32, smooth float64) float64 {
	given, all := 0.0, 0.0
	r.seen = r.seen[:0]
	for _, w := range words {
		stem := r.part.seg.stemOf[w]
		if slices.Contains(r.seen, stem) {
			continue
		}
		r.seen = append(r.seen, stem)
		if n := int(r.terms[stem]) - 1; n >= 0 {
			given += r.plan.terms[n].idf * r.plan.relative(n)
			all += r.plan.terms[n].idf
			continue
		}
		all += r.idf(stem)
	}
	return given * given / (all + smooth)
}

// covered is the share of the query's words, by weight, that the text has that
// was located.
func (r *reader) covered() float64 {
	terms := r.plan.terms
	r.found = append(r.found[:0], make([]bool, len(terms))...)
	found := r.found
	for _, place := range r.places {
		found[terms[place.term].source] = true
	}
	given, all := 0.0, 0.0
	for i := range terms {
		t := &terms[i]
		if t.source != i || t.class != textanalysis.Word && t.class != textanalysis.Sign {
			continue
		}
		all += t.weight * t.idf
		if found[i] {
			given += t.weight * t.idf
		}
	}
	if all == 0 {
		return 0
	}
	return given / all
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
// together in the text that was located, less with distance.
func (r *reader) proximity(pairs [][2]int) float64 {
	terms := r.plan.terms
	sum := 0.0
	for _, pair := range pairs {
		if d := r.closest(pair[0], pair[1]); d <= proximityReach {
			sum += min(terms[pair[0]].idf, terms[pair[1]].idf) / float64(d)
		}
	}
	return sum
}

// closest is the smallest distance from a place of term a to one of b; one more
// when b comes first.
func (r *reader) closest(a, b int) int {
	best := proximityReach + 1
	lastA, lastB := -titleGap, -titleGap
	for _, place := range r.places {
		switch place.term {
		case a:
			lastA = place.at
			best = min(best, lastA-lastB+reversedPenalty)
		case b:
			lastB = place.at
			best = min(best, lastB-lastA)
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
