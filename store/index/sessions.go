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
// words their bodies have together, so weighted.
type neighbours struct {
	docs    []uint32
	weights []uint8
	length  uint32
}

func compareMembers(a, b member) int {
	return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.key, b.key))
}

func (x *Index) join(d *Doc) {
	members := x.sessions[d.session()]
	m := member{d.Seq, d.Key}
	i, _ := slices.BinarySearchFunc(members, m, compareMembers)
	x.sessions[d.session()] = slices.Insert(members, i, m)
}

func (x *Index) leave(d *Doc) {
	members := x.sessions[d.session()]
	i, found := slices.BinarySearchFunc(members, member{d.Seq, d.Key}, compareMembers)
	if !found {
		return
	}
	if members = slices.Delete(members, i, i+1); len(members) == 0 {
		delete(x.sessions, d.session())
		return
	}
	x.sessions[d.session()] = members
}

// linkSessions gives the state its neighbours: those of the state before,
// except where a session changed or the numbers did.
func (e *edit) linkSessions(s *state) {
	if len(e.x.sessions) == 0 {
		return
	}
	s.near = make([]*neighbours, s.size)
	base := make(map[*segment]uint32, len(s.parts))
	for _, p := range s.parts {
		base[p.seg] = p.base
	}
	if old := e.x.current.Load().near; !e.moved && old != nil {
		copy(s.near, old)
		for name := range e.fresh {
			e.link(s, base, e.x.sessions[name])
		}
	} else {
		for _, members := range e.x.sessions {
			e.link(s, base, members)
		}
	}
	e.countNear(s)
}

// link works out the neighbours of one session's members.
func (e *edit) link(s *state, base map[*segment]uint32, members []member) {
	steps := nearSteps()
	numbers := make([]uint32, len(members))
	words := make([]uint32, len(members))
	for i, m := range members {
		at := e.x.places[m.key]
		numbers[i] = base[at.seg] + at.doc
		words[i] = at.seg.length[at.doc].body
	}
	for i := range members {
		from, to := max(0, i-reach), min(len(members), i+reach+1)
		n := &neighbours{docs: make([]uint32, 0, to-from-1)}
		for j := from; j < to; j++ {
			if j != i {
				w := steps[max(i-j, j-i)]
				n.docs = append(n.docs, numbers[j])
				n.weights = append(n.weights, uint8(w))
				n.length += w * words[j]
			}
		}
		s.near[numbers[i]] = n
	}
}

// countNear adds up the neighbours' words of the living. The dead are told
// by the document itself, since an old link may be left on them.
func (e *edit) countNear(s *state) {
	for i := range s.parts {
		p := &s.parts[i]
		for n := range p.seg.docs {
			near := s.near[p.base+uint32(n)]
			if near == nil {
				continue
			}
			if p.dead.has(uint32(n)) {
				s.near[p.base+uint32(n)] = nil
				continue
			}
			s.sum.near += int64(near.length)
			s.sum.withNear++
		}
	}
}
