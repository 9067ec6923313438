package index

import (
	"encoding/binary"
	"sort"
	"strings"

	"memory-mcp/textanalysis"
)

// A builder gathers documents into a segment.
type builder struct {
	analyzer *textanalysis.Analyzer
	seg      *segment
	sessions map[string]uint32 // the number of each, plus one
	lists    [][]byte          // by stem
	lastDoc  []uint32          // by stem: the number after the last document of its list
	counts   []byte            // by stem, of the document at hand
	lastWord []uint32          // by word: the number after the last document that has it
	touched  []uint32
	lastTold []uint32 // by stem: the number after the last document that has it as an informative one
	width    uint32   // of the document at hand
	titles   []uint32
	bodies   []uint32
}

func newBuilder(x *Index) *builder {
	return &builder{analyzer: x.analyzer, sessions: make(map[string]uint32), seg: &segment{
		again: x.again, words: newDictionary(), stems: newDictionary(),
		forwardStarts: []uint32{0},
		tags:          make(map[string][]uint32), subjects: make(map[string][]uint32), topics: make(map[string][]uint32),
	}}
}

// word numbers a word and its stem.
func (b *builder) word(text string) uint32 {
	if n, ok := b.seg.words.find(text); ok {
		return n
	}
	text = strings.Clone(text)
	return b.newWord(text, b.stem(b.analyzer.Stem(text)))
}

func (b *builder) newWord(text string, stem uint32) uint32 {
	b.seg.stemOf = append(b.seg.stemOf, stem)
	b.seg.signatures = append(b.seg.signatures, signature(text))
	b.seg.wordDocs = append(b.seg.wordDocs, 0)
	b.lastWord = append(b.lastWord, 0)
	return b.seg.words.add(text)
}

func (b *builder) stem(text string) uint32 {
	if n, ok := b.seg.stems.find(text); ok {
		return n
	}
	b.seg.df = append(b.seg.df, 0)
	b.lists = append(b.lists, nil)
	b.lastDoc = append(b.lastDoc, 0)
	b.counts = append(b.counts, 0)
	b.lastTold = append(b.lastTold, 0)
	return b.seg.stems.add(text)
}

// add takes one document in.
func (b *builder) add(given *Doc) {
	number, kept, d := uint32(len(b.seg.docs)), Kept{given.Key, given.Ref}, *given
	if b.seg.again == nil {
		kept.Ref = &d
	} else {
		d = b.seg.again(given.Ref)
	}
	b.touched, b.titles, b.bodies = b.touched[:0], b.titles[:0], b.bodies[:0]
	b.width = 0
	d.texts(func(z zone, text string) {
		counts := text == d.Title || text == d.Body // what is in neither makes nothing alike
		b.analyzer.Scan(text, func(t textanalysis.Token) {
			if stem := b.token(z, t); counts && t.Informative() && b.lastTold[stem] != number+1 {
				b.lastTold[stem] = number + 1
				b.width++
			}
		})
	})
	b.seg.length = append(b.seg.length, lengths{uint32(len(b.titles)), uint32(len(b.bodies))})
	b.seg.widths = append(b.seg.widths, b.width)
	b.finish(number)
	b.seg.docs = append(b.seg.docs, kept)
	b.seg.group(&d, number)
	b.seat(d.session(), d.Seq)
}

// seat gives the document that was added last its place in a session.
func (b *builder) seat(session string, seq int) {
	s, n := b.seg, uint32(0)
	if session != "" {
		if n = b.sessions[session]; n == 0 {
			s.names = append(s.names, session)
			n = uint32(len(s.names))
			b.sessions[session] = n
		}
	}
	s.session, s.seqs = append(s.session, n), append(s.seqs, seq)
}

// group takes a document into the lists of its tags, its subject and its topic,
// and among those that are like it.
func (s *segment) group(d *Doc, number uint32) {
	for _, m := range d.Marks {
		s.marks.add(m, number)
	}
	s.states, s.orders = append(s.states, stated(d)), append(s.orders, d.Order)
	s.plain = s.plain.with(number, d.Plain)
	for _, t := range d.tagNames() {
		s.tags[t] = append(s.tags[t], number)
	}
	if d.Subject != "" {
		name := tagName(d.Subject)
		s.subjects[name] = append(s.subjects[name], number)
	}
	s.topics[d.Topic] = append(s.topics[d.Topic], number)
}

// token counts a word and tells the number of its stem.
func (b *builder) token(z zone, t textanalysis.Token) uint32 {
	word := b.word(t.Text)
	if number := uint32(len(b.seg.docs)) + 1; z != zoneDate && b.lastWord[word] != number {
		b.lastWord[word] = number
		b.seg.wordDocs[word]++
	}
	stem := b.seg.stemOf[word]
	c := b.counts[stem]
	if c == 0 {
		b.touched = append(b.touched, stem)
	}
	b.counts[stem] = count(c, z)
	switch {
	case !t.Counted():
	case z == zoneTitle:
		b.titles = append(b.titles, word)
	case z == zoneBody:
		b.bodies = append(b.bodies, word)
	}
	return stem
}

// count adds one occurrence in a zone to packed counts.
func count(c byte, z zone) byte {
	switch z {
	case zoneTitle:
		if c&titleMask != titleMask {
			c += 1 << titleShift
		}
	case zoneBody:
		if c&bodyMask != bodyMask {
			c++
		}
	case zoneFiles:
		c |= fileBit
	case zoneDate:
		c |= dateBit
	}
	return c
}

// finish writes the postings and the forward text of one document.
func (b *builder) finish(number uint32) {
	for _, stem := range b.touched {
		c := b.counts[stem]
		b.counts[stem] = 0
		b.post(stem, number, c)
	}
	f := binary.AppendUvarint(b.seg.forward, uint64(len(b.titles)))
	for _, w := range b.titles {
		f = binary.AppendUvarint(f, uint64(w))
	}
	for _, w := range b.bodies {
		f = binary.AppendUvarint(f, uint64(w))
	}
	b.seg.forward = f
	b.seg.forwardStarts = append(b.seg.forwardStarts, uint32(len(f)))
}

func (b *builder) post(stem, number uint32, c byte) {
	list := binary.AppendUvarint(b.lists[stem], uint64(number+1-b.lastDoc[stem]))
	b.lists[stem] = append(list, c)
	b.lastDoc[stem] = number + 1
	if c&^dateBit != 0 {
		b.seg.df[stem]++
	}
}

// segment puts the lists one after the other and hands the segment out.
func (b *builder) segment() *segment {
	total := 0
	for _, l := range b.lists {
		total += len(l)
	}
	s := b.seg
	s.postings = make([]byte, 0, total)
	s.starts = make([]uint32, 0, len(b.lists)+1)
	for _, l := range b.lists {
		s.starts = append(s.starts, uint32(len(s.postings)))
		s.postings = append(s.postings, l...)
	}
	s.starts = append(s.starts, uint32(len(s.postings)))
	s.findSkips()
	sort.Sort(&s.marks)
	return s
}
