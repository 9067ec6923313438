package index

import (
	"cmp"
	"slices"
)

// maxReasons bounds the reasons of one hit.
const maxReasons = 8

// hit writes a candidate out, with its reasons.
func (s *search) hit(p *plan, c candidate) Hit {
	counts := s.counts(p, c.doc)
	at := s.state.part(c.doc)
	length := at.seg.length[c.doc-at.base]
	h := Hit{Key: s.state.key(c.doc), Ref: at.seg.ref(c.doc - at.base), Score: c.score, Relevance: c.relevance, Coverage: p.coverage(counts), Reasons: []Reason{}}
	for i := range p.terms {
		t := &p.terms[i]
		if counts[i] != 0 {
			h.Reasons = append(h.Reasons, p.reason(i, counts[i], t.weight*t.idf*saturate(s.frequency(length, counts[i]))))
		}
	}
	own := 0.0
	for _, r := range h.Reasons {
		own += r.Share
	}
	h.add("title", "title", c.close.title)
	h.add("opening", "body", c.close.lead)
	h.add("near", "body", c.close.near)
	h.add("context", "neighbours", float64(s.scratch.score[c.doc])-own)
	total := 0.0
	for _, r := range h.Reasons {
		total += r.Share
	}
	for i := range h.Reasons {
		h.Reasons[i].Share /= total
	}
	slices.SortStableFunc(h.Reasons, func(a, b Reason) int { return cmp.Compare(b.Share, a.Share) })
	h.Reasons = h.Reasons[:min(len(h.Reasons), maxReasons)]
	return h
}

// negligible is the share of a score below which a reason is not worth telling.
const negligible = 1e-3

func (h *Hit) add(kind, field string, share float64) {
	if share > negligible {
		h.Reasons = append(h.Reasons, Reason{Kind: kind, Field: field, Share: share})
	}
}

func (p *plan) reason(i int, counts byte, share float64) Reason {
	t := &p.terms[i]
	r := Reason{Kind: "term", Term: t.text, Share: share, Filler: !p.terms[t.source].informative()}
	if t.source != i {
		r.Kind, r.For = "expansion", p.terms[t.source].text
	}
	switch {
	case counts&titleMask != 0:
		r.Field = "title"
	case counts&bodyMask != 0:
		r.Field = "body"
	case counts&fileBit != 0:
		r.Field = "files"
	default:
		r.Field = "date"
	}
	return r
}

// counts finds the plan's terms in a document's own text.
func (s *search) counts(p *plan, doc uint32) []byte {
	r := s.reader(p, doc)
	counts := make([]byte, len(p.terms))
	for _, known := range r.known {
		counts[known.term] = r.part.seg.countsOf(known.stem, doc-r.part.base)
	}
	return counts
}

// coverage is the share of the informative words, by weight, that are there.
// A word that stands for the one asked for counts as much as it is worth.
func (p *plan) coverage(counts []byte) float64 {
	found := make([]float64, len(p.terms))
	for i, c := range counts {
		if c != 0 {
			source := p.terms[i].source
			found[source] = max(found[source], p.relative(i))
		}
	}
	given, all := 0.0, 0.0
	for i := range p.terms {
		if t := &p.terms[i]; t.source == i && t.informative() {
			all += t.weight * t.idf
			given += t.weight * t.idf * found[i]
		}
	}
	if all == 0 {
		return 0
	}
	return given / all
}
