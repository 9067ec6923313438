package index

import "slices"

// Fork returns an index that answers as this one would after Apply(put, gone),
// while this one stays as it is. The two share what is alike: a fork costs
// what differs, not what there is. It may be changed like any other index; the
// first change costs as much as naming every document.
func (x *Index) Fork(put []Doc, gone []string) *Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.complete()
	f := &Index{analyzer: x.analyzer, places: make(map[string]place), sessions: make(map[string][]member)}
	f.current.Store(x.current.Load())
	f.borrow(x, put, gone)
	f.change(put, gone).publish()
	return f
}

// partly says of a fork that it knows no more documents and sessions than its
// one change has touched.
type partly struct{ sessions int } // that there are besides

func (p *partly) hasSessions() bool { return p != nil && p.sessions > 0 }

// borrow takes over from x what the change of a fork touches: where the
// documents stand that it replaces or takes out, and the sessions of these and
// of the new ones with all their members.
func (f *Index) borrow(x *Index, put []Doc, gone []string) {
	names := make(map[string]bool)
	touch := func(key string) {
		if at, ok := x.places[key]; ok {
			f.places[key] = at
			names[at.seg.docs[at.doc].session()] = true
		}
	}
	for _, key := range gone {
		touch(key)
	}
	for i := range put {
		touch(put[i].Key)
		names[put[i].session()] = true
	}
	for name := range names {
		members, ok := x.sessions[name]
		if !ok {
			continue
		}
		f.sessions[name] = slices.Clone(members)
		for _, m := range members {
			f.places[m.key] = x.places[m.key]
		}
	}
	f.partial = &partly{sessions: len(x.sessions) - len(f.sessions)}
}

// complete makes a fork know every document and session, as any other index
// does. The caller holds x.mu.
func (x *Index) complete() {
	if x.partial == nil {
		return
	}
	x.partial = nil
	x.places, x.sessions = make(map[string]place), make(map[string][]member)
	for _, p := range x.current.Load().parts {
		for i := range p.seg.docs {
			d := &p.seg.docs[i]
			if p.dead.has(uint32(i)) {
				continue
			}
			x.places[d.Key] = place{p.seg, uint32(i)}
			if name := d.session(); name != "" {
				x.sessions[name] = append(x.sessions[name], member{d.Seq, d.Key})
			}
		}
	}
	for _, members := range x.sessions {
		slices.SortFunc(members, compareMembers)
	}
}
