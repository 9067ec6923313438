package index

import (
	"cmp"
	"encoding/binary"
	"slices"

	"memory-mcp/textanalysis"
)

// A Similar is an entry that shares much of its text with another.
type Similar struct {
	Key        string
	Similarity float64
}

// Similar finds entries of which [textanalysis.Similarity] to the given text
// is greater than min, the most similar first.
func (x *Index) Similar(title, body string, keep func(d *Doc) bool, min float64, limit int) []Similar {
	return x.SimilarIn("", title, body, keep, min, limit)
}

// SimilarIn is Similar for the entries of a topic and of those below it.
//
// How many words an entry has in common with the text is counted in the
// postings. Only entries that may be alike enough by that are read.
func (x *Index) SimilarIn(topic, title, body string, keep func(d *Doc) bool, min float64, limit int) []Similar {
	s := &search{Query: Query{Topic: topic, Keep: keep}, analyzer: x.analyzer, state: x.current.Load(), pool: &x.scratch}
	defer s.free()
	s.prepare()
	want := x.analyzer.FingerprintOf(title, body)
	found := []Similar{}
	if limit <= 0 {
		return found
	}
	for _, c := range s.alike(x.analyzer.InformativeStems(title, body), min) {
		if len(found) >= limit && c.similarity < found[limit-1].Similarity {
			break // nor is any that follows
		}
		if !s.keeps(c.doc) {
			continue
		}
		d := s.state.doc(c.doc)
		if v := textanalysis.Similarity(want, x.analyzer.FingerprintOf(d.Title, d.Body)); v > min {
			one := Similar{d.Key, v}
			at, _ := slices.BinarySearchFunc(found, one, bySimilarity)
			found = slices.Insert(found, at, one)
		}
	}
	return found[:lesser(limit, len(found))]
}

func bySimilarity(a, b Similar) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Key, b.Key))
}

// alike is a document and the most that its similarity can be: a stem counts
// also where it stands as a function word, or in a tag.
type alike struct {
	doc        uint32
	similarity float64
}

// alike are the living documents that may be more similar than min to a text of
// some informative stems, those that may be the most so first.
func (s *search) alike(stems []string, min float64) []alike {
	var found []alike
	sc := s.scratch
	for i := range s.state.parts {
		p := &s.state.parts[i]
		s.share(p, stems)
		for _, d := range sc.term {
			shared := int(sc.cells[d])
			sc.cells[d] = 0
			width := int(p.seg.widths[d-p.base])
			most := textanalysis.SimilarityOf(lesser(shared, lesser(width, len(stems))), len(stems), width)
			if most > min && !p.dead.has(d-p.base) {
				found = append(found, alike{d, most})
			}
		}
		sc.term = sc.term[:0]
	}
	slices.SortFunc(found, func(a, b alike) int { return cmp.Compare(b.similarity, a.similarity) })
	return found
}

// share counts in the scratch's cells how many of the stems each document of a
// part has in its text.
func (s *search) share(p *part, stems []string) {
	few := s.few(p)
	for _, stem := range stems {
		id, ok := p.seg.stems.find(stem)
		if !ok {
			continue
		}
		if few != nil && len(few)*lookupWorth < int(p.seg.df[id]) {
			for _, d := range few {
				if p.seg.countsOf(id, d-p.base)&textMask != 0 {
					s.shares(d)
				}
			}
			continue
		}
		list := p.seg.list(id)
		for at, doc := 0, uint32(0); at < len(list); {
			delta, n := uint64(list[at]), 1
			if delta >= 0x80 {
				delta, n = binary.Uvarint(list[at:])
			}
			doc += uint32(delta)
			if n <= 0 || at+n >= len(list) || doc-1 >= uint32(len(p.seg.docs)) {
				break // no list that we wrote
			}
			counts := list[at+n]
			at += n + 1
			d := p.base + doc - 1
			if counts&textMask == 0 || s.scope != nil && !s.scope.has(d) {
				continue
			}
			s.shares(d)
		}
	}
}

// lookupWorth is how many postings are read in the time of a look for one
// document in a list.
const lookupWorth = 32

// few are the documents of a part that are searched, when that is a part of a
// topic of few.
func (s *search) few(p *part) []uint32 {
	if s.scope == nil || s.scope.count() > mostFew {
		return nil
	}
	docs := []uint32{}
	for d := range s.scope.each {
		if d >= p.base && d < p.base+uint32(len(p.seg.docs)) {
			docs = append(docs, d)
		}
	}
	return docs
}

// mostFew is how many documents are few.
const mostFew = 1000

// shares counts one more stem of a document.
func (s *search) shares(d uint32) {
	sc := s.scratch
	if sc.cells[d] == 0 {
		sc.term = append(sc.term, d)
	}
	sc.cells[d]++
}

func lesser(a, b int) int {
	if a < b {
		return a
	}
	return b
}
