package index

import (
	"encoding/binary"
	"sync"

	"memory-mcp/textanalysis"
)

// Weights and normalisation of BM25F: how much an occurrence counts by where
// it stands, and how much a long field dilutes it. A word of the body weighs 1
// and is diluted in full.
const (
	k1           = 1.2
	titleWeight  = 2.5
	nearWeight   = 0.085
	dateWeight   = 0.4
	fileWeight   = 0.5
	titleB       = 0.75
	nearB        = 1.0
	lengthSmooth = 60.0 // words added to every length, so that tiny texts do not win
)

// search is one search under way.
type search struct {
	Query
	analyzer *textanalysis.Analyzer
	state    *state
	pool     *sync.Pool // of *scratch
	scratch  *scratch
	norms    norms
	readers  []*reader
	scope    bitset // of Topic; nil when there is none
	judged   Doc    // see told
}

// norms are the average lengths, smoothed.
type norms struct{ title, body, near float64 }

// scratch is memory that searches use in turn. Everything is zero between
// searches, but for touched.
type scratch struct {
	score   []float32
	best    []float32
	group   []uint32
	cells   []uint32 // of the term at hand: counts, above them the neighbours' body counts
	touched []uint32 // documents with a score
	kept    []uint32 // those of them that may be found
	term    []uint32 // documents with the term at hand
	readers []*reader
	text    []uint32
	top     []scored
	pool    []candidate
	table   []float32 // see direct
}

func (s *search) prepare() {
	sc, _ := s.pool.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	if len(sc.score) < s.state.size {
		sc.score = make([]float32, s.state.size)
		sc.best = make([]float32, s.state.size)
		sc.cells = make([]uint32, s.state.size)
	}
	s.scratch = sc
	if s.Topic != "" {
		s.scope = s.state.topic(s.Topic)
	}
	average := func(sum int64, n int) float64 { return float64(sum)/float64(max(n, 1)) + lengthSmooth }
	s.norms = norms{
		average(s.state.sum.title, s.state.live),
		average(s.state.sum.body, s.state.live),
		average(s.state.sum.near, s.state.sum.withNear),
	}
}

// denseShare is from which part of all documents on clearing all scores costs
// less than clearing those that were touched.
const denseShare = 16

func (s *search) free() {
	if s.scratch == nil {
		return
	}
	if len(s.scratch.touched) > s.state.size/denseShare {
		clear(s.scratch.score[:s.state.size])
	} else {
		for _, d := range s.scratch.touched {
			s.scratch.score[d] = 0
		}
	}
	s.scratch.touched = s.scratch.touched[:0]
	s.scratch.keep(s.state, s.readers)
	s.pool.Put(s.scratch)
	s.scratch = nil
}

// Words that stand in more than this share of the documents, and in more than
// a handful, are not lent to neighbours, nor those that stand in a great many:
// it would cost much and tell little.
const (
	lendShare   = 0.4
	lendHandful = 50.0
	lendMany    = 2000
)

// accumulate adds one term's part to the score of every document that has it,
// or whose neighbours do. Of grouped terms only the best one counts, until
// endGroup.
func (s *search) accumulate(t *term, grouped bool) {
	worth := t.weight * t.idf
	lends := s.state.near != nil && t.df <= lendMany && float64(t.df) <= lendShare*float64(s.state.live)+lendHandful
	for i := range s.state.parts {
		p := &s.state.parts[i]
		id, ok := p.seg.stems.find(t.stem)
		switch {
		case !ok:
		case lends:
			s.gather(p, p.seg.list(id))
		default:
			s.direct(p, p.seg.list(id), worth, grouped)
		}
	}
	if !lends {
		return
	}
	sc := s.scratch
	for _, d := range sc.term {
		tf := 0.0
		cell := sc.cells[d]
		if s.scope != nil && !s.scope.has(d) {
			sc.cells[d] = 0
			continue
		}
		if counts := byte(cell); counts != 0 {
			p := s.state.part(d)
			tf = s.frequency(p.seg.length[d-p.base], counts)
		}
		if near := cell >> nearShift; near != 0 {
			tf += nearWeight * float64(near) / dilution(nearB, float64(s.state.neighbours(d).length), s.norms.near)
		}
		sc.cells[d] = 0
		s.credit(d, float32(worth*saturate(tf)), grouped)
	}
	sc.term = sc.term[:0]
}

// credit adds to a document's score.
func (s *search) credit(d uint32, add float32, grouped bool) {
	sc := s.scratch
	if add <= 0 {
		return
	}
	if grouped {
		old := sc.best[d]
		if add <= old {
			return
		}
		if old == 0 {
			sc.group = append(sc.group, d)
		}
		sc.best[d] = add
		add -= old
	}
	if sc.score[d] == 0 {
		sc.touched = append(sc.touched, d)
	}
	sc.score[d] += add
}

// endGroup ends a word and those that may stand for it.
func (s *search) endGroup() {
	for _, d := range s.scratch.group {
		s.scratch.best[d] = 0
	}
	s.scratch.group = s.scratch.group[:0]
}

// Most postings stand in the body alone, of a text that is not long. What they
// are worth is kept in a table, by counts and length, while a term lasts.
const tableLength = 256

// direct scores a list of which nothing is lent.
func (s *search) direct(p *part, list []byte, worth float64, grouped bool) {
	sc := s.scratch
	if sc.table == nil {
		sc.table = make([]float32, (bodyMask+1)*tableLength)
	}
	table := sc.table
	clear(table)
	for at, doc := 0, uint32(0); at < len(list); {
		delta, n := uint64(list[at]), 1
		if delta >= 0x80 {
			delta, n = binary.Uvarint(list[at:])
		}
		doc += uint32(delta)
		if n <= 0 || at+n >= len(list) || doc-1 >= uint32(len(p.seg.length)) {
			break // no list that we wrote
		}
		counts := list[at+n]
		at += n + 1
		if p.dead != nil && p.dead.has(doc-1) || s.scope != nil && !s.scope.has(p.base+doc-1) {
			continue
		}
		length := p.seg.length[doc-1]
		var add float32
		if counts&^bodyMask != 0 || length.body >= tableLength {
			add = s.alone(length, counts, worth)
		} else {
			slot := &table[uint32(counts)*tableLength+length.body]
			if *slot == 0 {
				*slot = s.alone(length, counts, worth)
			}
			add = *slot
		}
		d := p.base + doc - 1
		switch old := sc.score[d]; {
		case grouped || add <= 0:
			s.credit(d, add, grouped)
		case old == 0:
			sc.touched = append(sc.touched, d)
			sc.score[d] = add
		default:
			sc.score[d] = old + add
		}
	}
}

// alone is what a posting is worth of which nothing is lent.
func (s *search) alone(l lengths, counts byte, worth float64) float32 {
	if counts&^bodyMask != 0 {
		return float32(worth * saturate(s.frequency(l, counts)))
	}
	// The same for those in the body alone, with one division.
	tf := float64(counts) * s.norms.body
	return float32(worth * (k1 + 1) * tf / (k1*(float64(l.body)+lengthSmooth) + tf))
}

// gather collects a list's counts, and lends them to the neighbours.
func (s *search) gather(p *part, list []byte) {
	sc := s.scratch
	for at, doc := 0, uint32(0); at < len(list); {
		delta, n := uint64(list[at]), 1
		if delta >= 0x80 {
			delta, n = binary.Uvarint(list[at:])
		}
		doc += uint32(delta)
		if n <= 0 || at+n >= len(list) || doc-1 >= uint32(len(p.seg.length)) {
			break // no list that we wrote
		}
		counts := list[at+n]
		at += n + 1
		if p.dead != nil && p.dead.has(doc-1) {
			continue
		}
		d := p.base + doc - 1
		if sc.cells[d] == 0 {
			sc.term = append(sc.term, d)
		}
		sc.cells[d] |= uint32(counts)
		s.lend(d, counts)
	}
}

// nearShift is where a cell holds the neighbours' counts.
const nearShift = 8

func (s *search) lend(d uint32, counts byte) {
	n := uint32(counts & bodyMask)
	near := s.state.neighbours(d)
	if n == 0 || near == nil {
		return
	}
	sc := s.scratch
	for i, other := range near.docs[:near.n] {
		old := sc.cells[other]
		if old == 0 {
			sc.term = append(sc.term, other)
		}
		sc.cells[other] = old + n*uint32(near.weights[i])<<nearShift
	}
}

// frequency is how often a term stands in a document itself, weighted by field
// and diluted by length.
func (s *search) frequency(l lengths, counts byte) float64 {
	tf := 0.0
	if b := counts & bodyMask; b != 0 {
		tf += float64(b) * s.norms.body / (float64(l.body) + lengthSmooth)
	}
	if t := counts & titleMask; t != 0 {
		tf += titleWeight * float64(t>>titleShift) / dilution(titleB, float64(l.title), s.norms.title)
	}
	if counts&fileBit != 0 {
		tf += fileWeight
	}
	if counts&dateBit != 0 {
		tf += dateWeight
	}
	return tf
}

// dilution is above 1 for a field longer than the average.
func dilution(b, length, average float64) float64 {
	return 1 - b + b*(length+lengthSmooth)/average
}

// saturate bounds what many occurrences are worth.
func saturate(tf float64) float64 { return tf * (k1 + 1) / (k1 + tf) }
