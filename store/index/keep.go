package index

import (
	"iter"
	"strings"
)

// keeps reports whether a document may be found.
func (s *search) keeps(doc uint32) bool {
	if s.scope != nil && !s.scope.has(doc) {
		return false
	}
	if s.Keep == nil {
		return true
	}
	p := s.state.part(doc)
	if s.KeepsPlain && p.seg.plain.has(doc-p.base) {
		return true
	}
	return s.Keep(s.told(p.seg, doc-p.base))
}

// kept are those of the documents that may be found. They are the search's
// own until it ends.
func (s *search) kept(docs []uint32) []uint32 {
	if s.Keep == nil && s.scope == nil {
		return docs
	}
	kept := s.scratch.kept[:0]
	for _, d := range docs {
		if s.keeps(d) {
			kept = append(kept, d)
		}
	}
	s.scratch.kept = kept
	return kept
}

// topic finds the living documents of a topic and of those below it.
func (s *state) topic(name string) bitset {
	found := newBitset(s.size)
	for _, p := range s.parts {
		for topic, docs := range p.seg.topics {
			if !inTopic(topic, name) {
				continue
			}
			for _, d := range docs {
				if !p.dead.has(d) {
					found.set(p.base + d)
				}
			}
		}
	}
	return found
}

func inTopic(topic, name string) bool {
	return topic == name || len(topic) > len(name) && topic[len(name)] == '/' && strings.HasPrefix(topic, name)
}

// Listed is what is told of a document without asking for it.
type Listed struct {
	Ref   any
	Plain bool
	Order Order
}

// Each gives every document of a topic and of those below it, or every document
// when it is empty.
func (x *Index) Each(topic string) iter.Seq[Listed] {
	return func(yield func(Listed) bool) {
		s := x.current.Load()
		docs := s.living()
		if topic != "" {
			docs = s.topic(topic)
		}
		for d := range docs.each {
			p := s.part(d)
			if n := d - p.base; !yield(Listed{p.seg.ref(n), p.seg.plain.has(n), p.seg.orders[n]}) {
				return
			}
		}
	}
}

// living are the documents of the state that count.
func (s *state) living() bitset {
	all := newBitset(s.size)
	for _, p := range s.parts {
		for i := range p.seg.docs {
			if !p.dead.has(uint32(i)) {
				all.set(p.base + uint32(i))
			}
		}
	}
	return all
}
