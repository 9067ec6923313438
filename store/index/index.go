package index

import (
	"sync"
	"sync/atomic"

	"memory-mcp/textanalysis"
)

// An Index finds documents. Searches may run at any time, from any number of
// goroutines; changes wait for each other.
type Index struct {
	analyzer *textanalysis.Analyzer
	again    func(ref any) Doc // nil: documents are kept whole; see [Over]
	current  atomic.Pointer[state]
	scratch  sync.Pool // of *scratch

	mu       sync.Mutex // held by the writer
	places   map[string]place
	sessions map[string][]member
	partial  *partly // of a fork that has not been changed since; see [Index.Fork]
}

// place is where a living document stands.
type place struct {
	seg *segment
	doc uint32
}

// state is what one search sees. It never changes.
type state struct {
	parts []part
	size  int // documents, with the dead ones
	live  int
	sum   lengthSums
	near  []*nearPage // nil when there are no sessions
	tags  func() []Tag
}

// part is a segment within a state.
type part struct {
	seg       *segment
	base      uint32 // number of its first document in the state
	dead      bitset
	gone      int
	less      []uint32 // by stem: how many of df are dead; nil when none is
	lessWords []uint32 // by word: the same of wordDocs
	// counted is of a fork that has dead documents: by stem, how many living
	// ones have it, plus one, once somebody has asked. less and lessWords are
	// nil then.
	counted  []atomic.Int32
	lessTags map[string]int // by tag: how many of its documents are dead
}

// lengthSums are the words of all living documents.
type lengthSums struct {
	title, body, near int64
	withNear          int
}

// New returns an empty index that finds words by the rules of a.
func New(a *textanalysis.Analyzer) *Index { return Over(a, nil) }

// Over returns an empty index that keeps of each document no more than Key and
// Ref: only these need be filled in for [Index.Apply], and only these are told
// to [Query.Keep] and [Query.Weight]. The rest is asked of again, by the Ref,
// whenever it is needed: it must give the same for the same Ref each time.
func Over(a *textanalysis.Analyzer, again func(ref any) Doc) *Index {
	x := &Index{analyzer: a, again: again, places: make(map[string]place), sessions: make(map[string][]member)}
	x.current.Store(&state{tags: func() []Tag { return nil }})
	return x
}

// Len is the number of documents.
func (x *Index) Len() int { return x.current.Load().live }

// Analyzer returns the rules by which the index finds words.
func (x *Index) Analyzer() *textanalysis.Analyzer { return x.analyzer }

// Doc returns the document with a key.
func (x *Index) Doc(key string) (Doc, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.complete()
	at, ok := x.places[key]
	if !ok {
		return Doc{}, false
	}
	return *at.seg.doc(at.doc), true
}

// All calls yield for every document until it says stop.
func (x *Index) All(yield func(Doc) bool) {
	for _, p := range x.current.Load().parts {
		for i := range p.seg.docs {
			if !p.dead.has(uint32(i)) && !yield(*p.seg.doc(uint32(i))) {
				return
			}
		}
	}
}

// Apply puts documents in and takes documents out, by key, as one change. A
// document whose key is known replaces the old one; of two documents in put
// with one key the later counts, and what is in both lists stays in.
func (x *Index) Apply(put []Doc, gone []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.complete()
	next := x.change(put, gone, false)
	next.mergeSmall()
	next.publish()
}

// change is the state with the documents put in and taken out. What dies may be
// counted later, when somebody asks.
func (x *Index) change(put []Doc, gone []string, later bool) *edit {
	next := x.edit()
	next.later = later
	for _, key := range gone {
		next.remove(key)
	}
	b := newBuilder(x)
	last := make(map[string]int, len(put))
	for i := range put {
		last[put[i].Key] = i
	}
	for i := range put {
		if last[put[i].Key] != i {
			continue
		}
		next.remove(put[i].Key)
		b.add(&put[i])
	}
	if len(b.seg.docs) > 0 {
		next.append(b.segment())
	}
	return next
}

// Remove takes documents out.
func (x *Index) Remove(keys ...string) { x.Apply(nil, keys) }

// part returns the part that holds a document of the state. There are few of
// them, and most documents are in the first.
func (s *state) part(doc uint32) *part {
	i := 0
	for i+1 < len(s.parts) && s.parts[i+1].base <= doc {
		i++
	}
	return &s.parts[i]
}

// doc returns a document of the state.
func (s *state) doc(doc uint32) *Doc {
	p := s.part(doc)
	return p.seg.doc(doc - p.base)
}

// key is the key of a document of the state.
func (s *state) key(doc uint32) string {
	p := s.part(doc)
	return p.seg.docs[doc-p.base].Key
}

// df is the number of living documents with a stem in title, body or files.
func (s *state) df(stem string) int {
	n := 0
	for i := range s.parts {
		p := &s.parts[i]
		if id, ok := p.seg.stems.find(stem); ok {
			n += p.df(id)
		}
	}
	return n
}

func (p *part) df(stem uint32) int {
	if p.counted != nil {
		return p.count(stem)
	}
	if p.less == nil {
		return int(p.seg.df[stem])
	}
	return int(p.seg.df[stem] - p.less[stem])
}

// wordDocs is the number of living documents with a word; of a fork, of all.
func (p *part) wordDocs(word uint32) int {
	if p.lessWords == nil {
		return int(p.seg.wordDocs[word])
	}
	return int(p.seg.wordDocs[word] - p.lessWords[word])
}
