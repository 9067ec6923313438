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
	var buffer []uint32
	for i := range pool {
		c := &pool[i]
		r := s.reader(p, c.doc)
		title, body := r.part.seg.text(c.doc-r.part.base, buffer)
		c.close.title = r.named(title, titleSmooth)
		if len(body) > leadWords {
			c.close.lead = leadWeight * r.named(body[:leadWords], leadSmooth)
		}
		if i < proximityPool && len(pairs) > 0 {
			c.close.near = proximityWeight * r.proximity(pairs, title, body)
		}
		c.score += c.close.sum()
		c.score *= 1 - coverageWeight + coverageWeight*r.covered(title, body)
		c.score *= stated(&r.part.seg.docs[c.doc-r.part.base])
		c.relevance = c.score
		buffer = title[:0]
	}
}

// A reader knows the plan's terms by the stem numbers of one segment.
type reader struct {
	search *search
	plan   *plan
	part   *part
	terms  []uint16 // by stem: the number of the term, plus one
	seen   []uint32 // scratch
}

// reader returns the reader for the segment of a document.
func (s *search) reader(p *plan, doc uint32) *reader {
	at := s.state.part(doc)
	for _, r := range s.readers {
		if r.part == at {
			return r
		}
	}
	r := &reader{search: s, plan: p, part: at, terms: make([]uint16, len(at.seg.stems.names))}
	for n := range p.terms {
		if stem, ok := at.seg.stems.find(p.terms[n].stem); ok {
			r.terms[stem] = uint16(n + 1)
		}
	}
	s.readers = append(s.readers, r)
	return r
}

// term returns the plan's term for a word of the text, or -1.
func (r *reader) term(word uint32) int { return int(r.terms[r.part.seg.stemOf[word]]) - 1 }

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
		all += r.search.worth(r.part, stem)
	}
	return given * given / (all + smooth)
}

// worth is the idf of any stem of a segment.
func (s *search) worth(at *part, stem uint32) float64 {
	df := at.df(stem)
	if len(s.state.parts) > 1 {
		df = s.state.df(at.seg.stems.names[stem])
	}
	if df >= len(s.idfs) {
		return idf(df, s.state.live)
	}
	if s.idfs[df] == 0 {
		s.idfs[df] = idf(df, s.state.live)
	}
	return s.idfs[df]
}

// covered is the share of the query's words, by weight, that a text has.
func (r *reader) covered(title, body []uint32) float64 {
	terms := r.plan.terms
	found := make([]bool, len(terms))
	for _, words := range [][]uint32{title, body} {
		for _, w := range words {
			if n := r.term(w); n >= 0 {
				found[terms[n].source] = true
			}
		}
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
// together in the text, less with distance.
func (r *reader) proximity(pairs [][2]int, title, body []uint32) float64 {
	terms := r.plan.terms
	at := make(map[int][]int)
	collect := func(words []uint32, offset int) {
		for i, w := range words {
			if n := r.term(w); n >= 0 && terms[n].class == textanalysis.Word {
				at[n] = append(at[n], offset+i)
			}
		}
	}
	collect(title, 0)
	collect(body, len(title)+titleGap)
	sum := 0.0
	for _, pair := range pairs {
		if d := closest(at[pair[0]], at[pair[1]]); d <= proximityReach {
			sum += min(terms[pair[0]].idf, terms[pair[1]].idf) / float64(d)
		}
	}
	return sum
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
