package index

import (
	"cmp"
	"slices"
)

// reach is how many documents before and after lend their words.
const reach = 3

// member is a document's place in its session.
type member struct {
	seq int
	key string
}

// neighbours are the documents around one, and how many words their bodies
// have together.
type neighbours struct {
	docs   []uint32
	length uint32
}

func compareMembers(a, b member) int {
	return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.key, b.key))
}

func (x *Index) join(d *Doc) {
	members := x.sessions[d.Session]
	m := member{d.Seq, d.Key}
	i, _ := slices.BinarySearchFunc(members, m, compareMembers)
	x.sessions[d.Session] = slices.Insert(members, i, m)
}

func (x *Index) leave(d *Doc) {
	members := x.sessions[d.Session]
	i, found := slices.BinarySearchFunc(members, member{d.Seq, d.Key}, compareMembers)
	if !found {
		return
	}
	if members = slices.Delete(members, i, i+1); len(members) == 0 {
		delete(x.sessions, d.Session)
		return
	}
	x.sessions[d.Session] = members
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
				n.docs = append(n.docs, numbers[j])
				n.length += words[j]
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
