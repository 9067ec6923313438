package index

import "slices"

// A reader knows the plan's terms by the stem numbers of one segment. It is
// kept for the next search.
type reader struct {
	search *search
	plan   *plan
	state  *state // of which worth is
	part   *part
	terms  []uint16  // by stem: the number of the term, plus one
	worth  []float64 // by stem: the idf, as far as it was asked for
	known  []knownTerm
	seen   []uint32 // scratch
	places []occurrence
	found  []bool
}

// knownTerm is a term of the plan that the segment has.
type knownTerm struct {
	term int
	stem uint32
}

// occurrence is a place in a text at which a term of the plan stands.
type occurrence struct{ term, at int }

// reader returns the reader for the segment of a document.
func (s *search) reader(p *plan, doc uint32) *reader {
	at := s.state.part(doc)
	for _, r := range s.readers {
		if r.part == at {
			return r
		}
	}
	r := s.scratch.reader(s.state, at)
	r.search, r.plan = s, p
	for n := range p.terms {
		if stem, ok := at.seg.stems.find(p.terms[n].stem); ok {
			r.terms[stem] = uint16(n + 1)
			r.known = append(r.known, knownTerm{n, stem})
		}
	}
	s.readers = append(s.readers, r)
	return r
}

// reader takes out the reader that was last used for a part, or makes one.
func (sc *scratch) reader(s *state, at *part) *reader {
	for i, r := range sc.readers {
		if r.state == s && r.part == at {
			sc.readers = slices.Delete(sc.readers, i, i+1)
			return r
		}
	}
	n := len(at.seg.stems.names)
	return &reader{state: s, part: at, terms: make([]uint16, n), worth: make([]float64, n)}
}

// keep puts the readers of a search back; those of other states are dropped.
func (sc *scratch) keep(s *state, readers []*reader) {
	sc.readers = slices.DeleteFunc(sc.readers, func(r *reader) bool { return r.state != s })
	for _, r := range readers {
		for _, known := range r.known {
			r.terms[known.stem] = 0
		}
		r.search, r.plan, r.known = nil, nil, r.known[:0]
		sc.readers = append(sc.readers, r)
	}
}

// term returns the plan's term for a word of the text, or -1.
func (r *reader) term(word uint32) int { return int(r.terms[r.part.seg.stemOf[word]]) - 1 }

// locate finds all places of terms in a text.
func (r *reader) locate(title, body []uint32) {
	r.places = r.places[:0]
	for i, w := range title {
		if n := r.term(w); n >= 0 {
			r.places = append(r.places, occurrence{n, i})
		}
	}
	for i, w := range body {
		if n := r.term(w); n >= 0 {
			r.places = append(r.places, occurrence{n, len(title) + titleGap + i})
		}
	}
}

// stands reports whether a term stands in a part of the text that was located.
func (r *reader) stands(from, to int) bool {
	return slices.ContainsFunc(r.places, func(o occurrence) bool { return from <= o.at && o.at < to })
}

// idf is that of any stem of the segment.
func (r *reader) idf(stem uint32) float64 {
	if r.worth[stem] == 0 {
		df := r.part.df(stem)
		if len(r.state.parts) > 1 {
			df = r.state.df(r.part.seg.stems.names[stem])
		}
		r.worth[stem] = idf(df, r.state.live)
	}
	return r.worth[stem]
}
