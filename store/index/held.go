package index

import (
	"cmp"
	"slices"
)

// Kept is what an index keeps of a document itself.
type Kept struct {
	Key string
	Ref any // the caller's, or the *[Doc] where documents are kept whole
}

// doc gives a whole document of the segment.
func (s *segment) doc(n uint32) *Doc {
	k := &s.docs[n]
	if s.again == nil {
		return k.Ref.(*Doc)
	}
	d := s.again(k.Ref)
	d.Key, d.Ref = k.Key, k.Ref
	return &d
}

// ref is the caller's own value of a document.
func (s *segment) ref(n uint32) any {
	if s.again == nil {
		return s.docs[n].Ref.(*Doc).Ref
	}
	return s.docs[n].Ref
}

// told is what the caller is told of a document that it shall judge. It holds
// until the next one is told.
func (s *search) told(seg *segment, n uint32) *Doc {
	k := &seg.docs[n]
	if seg.again == nil {
		return k.Ref.(*Doc)
	}
	s.judged.Key, s.judged.Ref = k.Key, k.Ref
	return &s.judged
}

// marks find documents by numbers that the caller gave them.
type marks struct {
	sums []uint64 // in order
	docs []uint32 // by sum
}

func (m *marks) add(sum uint64, doc uint32) {
	m.sums, m.docs = append(m.sums, sum), append(m.docs, doc)
}

func (m *marks) Len() int { return len(m.sums) }

func (m *marks) Less(i, j int) bool {
	return m.sums[i] < m.sums[j] || m.sums[i] == m.sums[j] && m.docs[i] < m.docs[j]
}

func (m *marks) Swap(i, j int) {
	m.sums[i], m.sums[j] = m.sums[j], m.sums[i]
	m.docs[i], m.docs[j] = m.docs[j], m.docs[i]
}

// Marked gives the keys of the documents with a mark, in order.
func (x *Index) Marked(mark uint64) []string {
	var keys []string
	for _, p := range x.current.Load().parts {
		m := &p.seg.marks
		i, _ := slices.BinarySearch(m.sums, mark)
		for ; i < len(m.sums) && m.sums[i] == mark; i++ {
			if doc := m.docs[i]; !p.dead.has(doc) {
				keys = append(keys, p.seg.docs[doc].Key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// seating is the sessions of a segment's documents, and their places in them.
type seating struct {
	names   []string // of sessions
	session []uint32 // by document: the number of its session, plus one; 0 for none
	seqs    []int    // by document
}

// sessionOf is the session of a document; "" for none.
func (p *seating) sessionOf(doc uint32) string {
	if n := p.session[doc]; n > 0 {
		return p.names[n-1]
	}
	return ""
}

// inOrder lists the documents that have a session, by session and then as
// members of one follow each other.
func (s *segment) inOrder() []uint32 {
	var docs []uint32
	for doc, n := range s.session {
		if n > 0 {
			docs = append(docs, uint32(doc))
		}
	}
	slices.SortFunc(docs, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.session[a], s.session[b]),
			compareMembers(member{s.seqs[a], s.docs[a].Key}, member{s.seqs[b], s.docs[b].Key}))
	})
	return docs
}
