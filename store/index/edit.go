package index

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"memory-mcp/textanalysis"
)

// inlineMerge bounds the segments that an Apply merges at once; larger ones
// wait for [Index.Merge].
const inlineMerge = 2048

// An edit is the next state in the making. What it shares with the current
// one is copied before it is changed.
type edit struct {
	x      *Index
	parts  []part
	copied map[*segment]bool
	sum    lengthSums
	fresh  map[string][]member // by session: around which members neighbours must be worked out again
	later  bool                // what dies is counted when somebody asks; see part.counted
	died   []uint32            // documents of the current state
	moved  uint32              // from this document on, the numbers are others
}

func (x *Index) edit() *edit {
	now := x.current.Load()
	return &edit{
		x: x, parts: slices.Clone(now.parts), sum: now.sum, moved: uint32(now.size),
		copied: make(map[*segment]bool), fresh: make(map[string][]member),
	}
}

// remove marks a document as dead.
func (e *edit) remove(key string) {
	at, ok := e.x.places[key]
	if !ok {
		return
	}
	delete(e.x.places, key)
	i := slices.IndexFunc(e.parts, func(p part) bool { return p.seg == at.seg })
	p := &e.parts[i]
	if !e.copied[p.seg] {
		e.copied[p.seg] = true
		dead := newBitset(len(p.seg.docs))
		copy(dead, p.dead)
		p.dead = dead
		if e.later {
			p.less, p.lessWords, p.counted = nil, nil, make([]atomic.Int32, len(p.seg.df))
		} else {
			p.less = grown(p.less, len(p.seg.df))
			p.lessWords = grown(p.lessWords, len(p.seg.wordDocs))
		}
		p.lessTags = maps.Clone(p.lessTags)
		if p.lessTags == nil {
			p.lessTags = make(map[string]int)
		}
	}
	p.dead.set(at.doc)
	p.gone++
	e.died = append(e.died, p.base+at.doc)
	e.sum.title -= int64(p.seg.length[at.doc].title)
	e.sum.body -= int64(p.seg.length[at.doc].body)
	d := p.seg.doc(at.doc)
	if !e.later {
		p.uncount(e.x.analyzer, d)
	}
	for _, tag := range d.tagNames() {
		p.lessTags[tag]++
	}
	if name := p.seg.sessionOf(at.doc); name != "" {
		m := member{p.seg.seqs[at.doc], key}
		e.x.leave(name, m)
		e.fresh[name] = append(e.fresh[name], m)
	}
}

// grown is a copy with n elements.
func grown(counts []uint32, n int) []uint32 {
	c := make([]uint32, n)
	copy(c, counts)
	return c
}

// uncount takes a document's words out of the counts.
func (p *part) uncount(a *textanalysis.Analyzer, d *Doc) {
	stems, words := make(map[uint32]bool), make(map[uint32]bool)
	d.texts(func(z zone, text string) {
		if z == zoneDate {
			return
		}
		a.Scan(text, func(t textanalysis.Token) {
			if word, ok := p.seg.words.find(t.Text); ok {
				words[word] = true
				stems[p.seg.stemOf[word]] = true
			}
		})
	})
	for stem := range stems {
		p.less[stem]++
	}
	for word := range words {
		p.lessWords[word]++
	}
}

// append adds a segment whose documents are new.
func (e *edit) append(s *segment) {
	e.parts = append(e.parts, part{seg: s})
	for i := range s.docs {
		key := s.docs[i].Key
		e.x.places[key] = place{s, uint32(i)}
		e.sum.title += int64(s.length[i].title)
		e.sum.body += int64(s.length[i].body)
		if name := s.sessionOf(uint32(i)); name != "" {
			m := member{s.seqs[i], key}
			e.x.join(name, m)
			e.fresh[name] = append(e.fresh[name], m)
		}
	}
}

// mergeSmall keeps the number of small segments low: the last two become one
// while they are of like size. Segments without a living document are dropped.
func (e *edit) mergeSmall() {
	empty := func(p part) bool { return p.living() == 0 }
	if i := slices.IndexFunc(e.parts, empty); i >= 0 {
		e.moveFrom(i)
		e.parts = slices.DeleteFunc(e.parts, empty)
	}
	for len(e.parts) >= 2 {
		last := len(e.parts) - 1
		a, b := e.parts[last-1], e.parts[last]
		if a.living() > 2*b.living() || len(a.seg.docs) > inlineMerge || len(b.seg.docs) > inlineMerge {
			return
		}
		e.replace(last-1, e.x.merge(e.parts[last-1:]))
	}
}

// replace puts one segment in the place of all parts from i on.
func (e *edit) replace(i int, s *segment) {
	e.moveFrom(i)
	e.parts = append(e.parts[:i:i], part{seg: s})
	for n := range s.docs {
		e.x.places[s.docs[n].Key] = place{s, uint32(n)}
	}
}

// moveFrom notes that documents from a part on get other numbers.
func (e *edit) moveFrom(i int) {
	base := 0
	for _, p := range e.parts[:i] {
		base += len(p.seg.docs)
	}
	e.moved = min(e.moved, uint32(base))
}

func (p *part) living() int { return len(p.seg.docs) - p.gone }

// publish makes the edit the state that searches see.
func (e *edit) publish() {
	s := e.state()
	e.linkSessions(s)
	e.x.current.Store(s)
}

// state is the next one, but for the neighbours.
func (e *edit) state() *state {
	s := &state{parts: e.parts, sum: e.sum}
	for i := range s.parts {
		p := &s.parts[i]
		p.base = uint32(s.size)
		s.size += len(p.seg.docs)
		s.live += p.living()
	}
	s.tags = sync.OnceValue(s.countTags)
	return s
}

// Merge makes one segment of all, which searches fastest. It may take a
// second for a hundred thousand documents; searches go on meanwhile, changes
// wait.
func (x *Index) Merge() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.complete()
	e := x.edit()
	if len(e.parts) == 0 || len(e.parts) == 1 && e.parts[0].gone == 0 {
		return
	}
	e.replace(0, x.merge(e.parts))
	e.publish()
}

// NeedsMerge reports whether [Index.Merge] would make searches noticeably
// faster: too many segments, or too many dead documents.
func (x *Index) NeedsMerge() bool {
	s := x.current.Load()
	return len(s.parts) > 8 || s.size-s.live > s.live/4+inlineMerge
}
