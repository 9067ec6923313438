package index

import (
	"slices"

	"memory-mcp/textanalysis"
)

// Fork returns an index that answers as this one would after Apply(put, gone),
// while this one stays as it is. The two share what is alike: a fork costs
// what differs, not what there is. It may be changed like any other index; the
// first change costs as much as naming every document.
func (x *Index) Fork(put []Doc, gone []string) *Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.complete()
	f := &Index{analyzer: x.analyzer, again: x.again, places: make(map[string]place), sessions: make(map[string][]member)}
	f.current.Store(x.current.Load())
	f.borrow(x, put, gone)
	f.change(put, gone, true).publish()
	return f
}

// count is the number of living documents with a stem, found by its postings.
func (p *part) count(stem uint32) int {
	if n := p.counted[stem].Load(); n > 0 {
		return int(n) - 1
	}
	n := int32(0)
	for posting := range p.seg.all(stem) {
		if posting.counts&^dateBit != 0 && !p.dead.has(posting.doc) {
			n++
		}
	}
	p.counted[stem].Store(n + 1)
	return int(n)
}

// everyForm tells whether all documents that have a stem have it in the form of
// a word. Where the dead are not counted yet, it asks for these, too.
func (p *part) everyForm(word, stem uint32) bool {
	if p.counted != nil {
		return p.seg.wordDocs[word] == p.seg.df[stem]
	}
	return p.wordDocs(word) == p.df(stem)
}

// alive tells whether a living document has a word.
func (p *part) alive(a *textanalysis.Analyzer, word uint32) bool {
	if p.counted == nil || p.seg.wordDocs[word] == 0 {
		return p.wordDocs(word) > 0
	}
	stem, text := p.seg.stemOf[word], p.seg.words.names[word]
	if p.count(stem) == 0 {
		return false
	}
	var buffer []uint32
	for posting := range p.seg.all(stem) {
		if posting.counts&^dateBit == 0 || p.dead.has(posting.doc) {
			continue
		}
		title, body := p.seg.text(posting.doc, buffer)
		if slices.Contains(title, word) || slices.Contains(body, word) || p.seg.doc(posting.doc).has(a, text) {
			return true
		}
	}
	return false
}

// has tells whether a document has a word outside of its date.
func (d *Doc) has(a *textanalysis.Analyzer, word string) bool {
	found := false
	d.texts(func(z zone, part string) {
		if !found && z != zoneDate {
			a.Scan(part, func(t textanalysis.Token) { found = found || t.Text == word })
		}
	})
	return found
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
			names[at.seg.sessionOf(at.doc)] = true
		}
	}
	for _, key := range gone {
		touch(key)
	}
	for i := range put {
		touch(put[i].Key)
		d := &put[i]
		if x.again != nil {
			whole := x.again(d.Ref)
			d = &whole
		}
		names[d.session()] = true
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
	x.countDead()
	x.places, x.sessions = make(map[string]place, x.Len()), make(map[string][]member)
	for _, p := range x.current.Load().parts {
		for i := range p.seg.docs {
			if p.dead.has(uint32(i)) {
				continue
			}
			key := p.seg.docs[i].Key
			x.places[key] = place{p.seg, uint32(i)}
			if name := p.seg.sessionOf(uint32(i)); name != "" {
				x.sessions[name] = append(x.sessions[name], member{p.seg.seqs[i], key})
			}
		}
	}
	for _, members := range x.sessions {
		slices.SortFunc(members, compareMembers)
	}
}

// countDead counts what a fork has left for later. Searches under way keep the
// state that they have.
func (x *Index) countDead() {
	s := *x.current.Load()
	s.parts = slices.Clone(s.parts)
	for i := range s.parts {
		p := &s.parts[i]
		if p.counted == nil {
			continue
		}
		p.counted, p.less, p.lessWords = nil, make([]uint32, len(p.seg.df)), make([]uint32, len(p.seg.wordDocs))
		for doc := range p.seg.docs {
			if p.dead.has(uint32(doc)) {
				p.uncount(x.analyzer, p.seg.doc(uint32(doc)))
			}
		}
	}
	x.current.Store(&s)
}
