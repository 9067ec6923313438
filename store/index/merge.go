package index

import "encoding/binary"

// merge writes the living documents of the parts, in order, as one segment.
// No text is analysed again: words, postings and texts are renumbered.
func (x *Index) merge(parts []part) *segment {
	if len(parts) == 1 && parts[0].gone == 0 {
		return parts[0].seg
	}
	b := newBuilder(x)
	for _, p := range parts {
		b.take(p)
	}
	return b.segment()
}

func (b *builder) take(p part) {
	s := p.seg
	words := make([]uint32, len(s.words.names))
	stems := make([]uint32, len(s.stems.names))
	numbers := make([]uint32, len(s.docs))
	next := uint32(len(b.seg.docs))
	for i := range s.docs {
		if !p.dead.has(uint32(i)) {
			numbers[i] = next + 1 // zero means dead
			next++
		}
	}
	b.takePostings(s, numbers, stems)
	b.takeWords(p, stems, words)
	for i := range s.docs {
		if numbers[i] != 0 {
			b.takeText(s, uint32(i), words)
		}
	}
	for i, doc := range s.marks.docs {
		if n := numbers[doc]; n != 0 {
			b.seg.marks.add(s.marks.sums[i], n-1)
		}
	}
	regroup(b.seg.tags, s.tags, numbers)
	regroup(b.seg.subjects, s.subjects, numbers)
	regroup(b.seg.topics, s.topics, numbers)
}

// regroup takes lists of documents over, renumbered; those without a number,
// and lists of none, are left out.
func regroup(to, from map[string][]uint32, numbers []uint32) {
	for name, docs := range from {
		list := to[name]
		for _, doc := range docs {
			if n := numbers[doc]; n != 0 {
				list = append(list, n-1)
			}
		}
		if len(list) > 0 {
			to[name] = list
		}
	}
}

// takePostings renumbers the postings; stems gets the new numbers of those
// stems that are still in use, plus one.
func (b *builder) takePostings(s *segment, numbers, stems []uint32) {
	for old, name := range s.stems.names {
		for p := range s.all(uint32(old)) {
			if numbers[p.doc] == 0 {
				continue
			}
			if stems[old] == 0 {
				stems[old] = b.stem(name) + 1
			}
			b.post(stems[old]-1, numbers[p.doc]-1, p.counts)
		}
	}
}

// takeWords renumbers the words whose stem is still in use.
func (b *builder) takeWords(p part, stems, words []uint32) {
	s := p.seg
	for old, name := range s.words.names {
		stem := stems[s.stemOf[old]]
		if stem == 0 {
			continue
		}
		n, ok := b.seg.words.find(name)
		if !ok {
			n = b.newWord(name, stem-1)
		}
		words[old] = n
		b.seg.wordDocs[n] += uint32(p.wordDocs(uint32(old)))
	}
}

func (b *builder) takeText(s *segment, old uint32, words []uint32) {
	b.seg.states, b.seg.orders = append(b.seg.states, s.states[old]), append(b.seg.orders, s.orders[old])
	b.seg.plain = b.seg.plain.with(uint32(len(b.seg.docs)), s.plain.has(old))
	b.seg.docs = append(b.seg.docs, s.docs[old])
	b.seat(s.sessionOf(old), s.seqs[old])
	b.seg.length, b.seg.widths = append(b.seg.length, s.length[old]), append(b.seg.widths, s.widths[old])
	title, body := s.text(old, nil)
	f := binary.AppendUvarint(b.seg.forward, uint64(len(title)))
	for _, w := range title {
		f = binary.AppendUvarint(f, uint64(words[w]))
	}
	for _, w := range body {
		f = binary.AppendUvarint(f, uint64(words[w]))
	}
	b.seg.forward = f
	b.seg.forwardStarts = append(b.seg.forwardStarts, uint32(len(f)))
}
