package index

import (
	"cmp"
	"slices"
)

// reach is how many documents before and after lend their words.
const reach = 5

// nearSteps is how much a neighbour's word counts by its distance.
func nearSteps() [reach + 1]uint32 { return [reach + 1]uint32{0, 4, 3, 2, 1, 1} }

// session names the documents among which one has neighbours: its session or,
// without one, those that cite the same file first.
func (d *Doc) session() string {
	if d.Session != "" || len(d.Files) == 0 {
		return d.Session
	}
	return "\x00" + d.Files[0]
}

// member is a document's place in its session.
type member struct {
	seq int
	key string
}

// neighbours are the documents around one, how much each counts, and how many
// words their bodies have together, so weighted. They fill one line of the
// processor's cache.
type neighbours struct {
	docs    [2 * reach]uint32
	length  uint32
	weights [2 * reach]uint8
	n       uint8
	linked  bool // the document has a session, if only for itself
}

// nearPage holds the neighbours of documents that follow one another. States
// share the pages in which nothing changed.
type nearPage [pageSize]neighbours

const pageSize = 64

// neighbours returns those of a document; nil when it has no session.
func (s *state) neighbours(doc uint32) *neighbours {
	i := int(doc / pageSize)
	if i >= len(s.near) || s.near[i] == nil {
		return nil
	}
	if n := &s.near[i][doc%pageSize]; n.linked {
		return n
	}
	return nil
}

func compareMembers(a, b member) int {
	return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.key, b.key))
}

func (x *Index) join(session string, m member) {
	members := x.sessions[session]
	i, _ := slices.BinarySearchFunc(members, m, compareMembers)
	x.sessions[session] = slices.Insert(members, i, m)
}

func (x *Index) leave(session string, m member) {
	members := x.sessions[session]
	i, found := slices.BinarySearchFunc(members, m, compareMembers)
	if !found {
		return
	}
	if members = slices.Delete(members, i, i+1); len(members) == 0 {
		delete(x.sessions, session)
		return
	}
	x.sessions[session] = members
}

// A linker writes the neighbours of the next state: those of the state before,
// except where a session changed or the numbers did.
type linker struct {
	*edit
	old, next *state
	owned     bitset // pages that are not shared with the state before
	base      map[*segment]uint32
}

// linkSessions gives the state its neighbours.
func (e *edit) linkSessions(s *state) {
	if len(e.x.sessions) == 0 && !e.x.partial.hasSessions() {
		s.sum.near, s.sum.withNear = 0, 0
		return
	}
	pages := (s.size + pageSize - 1) / pageSize
	s.near = make([]*nearPage, pages)
	l := linker{edit: e, old: e.x.current.Load(), next: s, owned: newBitset(pages), base: make(map[*segment]uint32, len(s.parts))}
	copy(s.near, l.old.near[:min(len(l.old.near), pages)])
	for d := e.moved; d < uint32(l.old.size); d++ {
		l.unlink(d)
	}
	for _, d := range e.died {
		if d < e.moved {
			l.unlink(d)
		}
	}
	l.findMoved()
	for name, around := range e.fresh {
		l.link(e.x.sessions[name], around)
	}
}

// linkWhole gives a state of one segment its neighbours, all at once. The
// documents that have a session are given as they follow each other.
func (e *edit) linkWhole(s *state, order []uint32) {
	if len(order) == 0 {
		return
	}
	seg, pages := s.parts[0].seg, (s.size+pageSize-1)/pageSize
	s.near = make([]*nearPage, pages)
	all := make([]nearPage, pages)
	l := linker{edit: e, next: s, owned: newBitset(pages)}
	for i := range all {
		s.near[i] = &all[i]
		l.owned.set(uint32(i))
	}
	words := make([]uint32, 0, len(order))
	for from, i := 0, 0; i < len(order); i++ {
		words = append(words, seg.length[order[i]].body)
		if i+1 == len(order) || seg.session[order[i+1]] != seg.session[order[i]] {
			l.row(order[from:i+1], words, 0, len(words))
			from, words = i+1, words[:0]
		}
	}
}

// unlink takes away the neighbours that a document had.
func (l *linker) unlink(doc uint32) {
	n := l.old.neighbours(doc)
	if n == nil {
		return
	}
	l.next.sum.near -= int64(n.length)
	l.next.sum.withNear--
	if int(doc/pageSize) < len(l.next.near) {
		*l.at(doc) = neighbours{}
	}
}

// at is where the neighbours of a document are to be written.
func (l *linker) at(doc uint32) *neighbours {
	page := doc / pageSize
	if !l.owned.has(page) {
		l.owned.set(page)
		own := &nearPage{}
		if shared := l.next.near[page]; shared != nil {
			*own = *shared
		}
		l.next.near[page] = own
	}
	return &l.next.near[page][doc%pageSize]
}

// findMoved adds the sessions of documents with another number to those whose
// neighbours must be worked out.
func (l *linker) findMoved() {
	for i := range l.next.parts {
		p := &l.next.parts[i]
		l.base[p.seg] = p.base
		if p.base < l.moved {
			continue // a part moves as a whole
		}
		for n := range p.seg.docs {
			if name := p.seg.sessionOf(uint32(n)); name != "" && !p.dead.has(uint32(n)) {
				l.fresh[name] = append(l.fresh[name], member{p.seg.seqs[n], p.seg.docs[n].Key})
			}
		}
	}
}

// link works out the neighbours of one session's members around some that came,
// went or moved.
func (l *linker) link(members, around []member) {
	places := make([]int, 0, len(around))
	for _, m := range around {
		i, _ := slices.BinarySearchFunc(members, m, compareMembers)
		places = append(places, i)
	}
	slices.Sort(places)
	var numbers, words []uint32
	for n := 0; n < len(places); {
		first := max(0, places[n]-reach)
		last := first
		for ; n < len(places) && places[n]-reach <= last; n++ {
			last = min(len(members), places[n]+reach+1)
		}
		from, to := max(0, first-reach), min(len(members), last+reach)
		numbers, words = numbers[:0], words[:0]
		for _, m := range members[from:to] {
			at := l.x.places[m.key]
			numbers = append(numbers, l.base[at.seg]+at.doc)
			words = append(words, at.seg.length[at.doc].body)
		}
		l.row(numbers, words, first-from, last-from)
	}
}

// row makes neighbours of documents that follow each other in a session, of so
// many words each: of those in the middle of the row, from one to before another.
func (l *linker) row(numbers, words []uint32, from, to int) {
	steps := nearSteps()
	for i := from; i < to; i++ {
		n := neighbours{linked: true}
		for j := max(0, i-reach); j < min(len(numbers), i+reach+1); j++ {
			if j == i {
				continue
			}
			w := steps[max(i-j, j-i)]
			n.docs[n.n], n.weights[n.n] = numbers[j], uint8(w)
			n.n++
			n.length += w * words[j]
		}
		at := l.at(numbers[i])
		if at.linked {
			l.next.sum.near -= int64(at.length)
			l.next.sum.withNear--
		}
		*at = n
		l.next.sum.near += int64(n.length)
		l.next.sum.withNear++
	}
}
