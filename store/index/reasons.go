package index

import (
	"cmp"
	"slices"
)

// maxReasons bounds the reasons of one hit.
const maxReasons = 8

// hit writes a candidate out, with its reasons.
func (s *search) hit(p *plan, c candidate) Hit {
	d := s.state.doc(c.doc)
	counts := s.counts(p, d)
	h := Hit{Key: d.Key, Score: c.score, Coverage: p.coverage(counts)}
	total := c.parts.title + c.parts.near
	for i := range p.terms {
		t := &p.terms[i]
		if counts[i] == 0 {
			continue
		}
		share := t.weight * t.idf * saturate(s.frequency(c.doc, counts[i], 0))
		total += share
		h.Reasons = append(h.Reasons, p.reason(i, counts[i], share))
	}
	if c.parts.title > 0 {
		h.Reasons = append(h.Reasons, Reason{Kind: "title", Field: "title", Share: c.parts.title})
	}
	if c.parts.near > 0 {
		h.Reasons = append(h.Reasons, Reason{Kind: "near", Field: "body", Share: c.parts.near})
	}
	for i := range h.Reasons {
		h.Reasons[i].Share /= max(total, 1e-9)
	}
	slices.SortStableFunc(h.Reasons, func(a, b Reason) int { return cmp.Compare(b.Share, a.Share) })
	h.Reasons = h.Reasons[:min(len(h.Reasons), maxReasons)]
	return h
}

func (p *plan) reason(i int, counts byte, share float64) Reason {
	t := &p.terms[i]
	r := Reason{Kind: "term", Term: t.text, Share: share}
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
func (s *search) counts(p *plan, d *Doc) []byte {
	counts := make([]byte, len(p.terms))
	d.texts(func(z zone, text string) { s.countIn(p, z, text, counts) })
	return counts
}

// coverage is the share of the informative words, by weight, that are there.
func (p *plan) coverage(counts []byte) float64 {
	given, all := 0.0, 0.0
	for i := range p.terms {
		t := &p.terms[i]
		if t.source != i || !t.informative() {
			continue
		}
		w := t.weight * t.idf
		all += w
		if counts[i] != 0 {
			given += w
		}
	}
	if all == 0 {
		return 0
	}
	return given / all
}
