package index

import (
	"encoding/binary"
	"fmt"
	"math"
)

// decoder reads a snapshot. After the first error every value is zero.
type decoder struct {
	data  []byte
	text  string // the same bytes, of which texts are parts
	known func(key string) (Doc, bool)
	at    int
	err   error
}

func (r *decoder) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at byte %d", ErrSnapshot, what, r.at)
	}
}

func (r *decoder) number() uint32 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 || v > math.MaxUint32 {
		r.fail("a number is broken")
		return 0
	}
	r.at += n
	return uint32(v)
}

// span reads a length and passes over as many bytes.
func (r *decoder) span() (from, to int) {
	n := int(r.number())
	if r.err == nil && n > len(r.data)-r.at {
		r.fail("a text is longer than the rest")
	}
	if r.err != nil {
		return 0, 0
	}
	from = r.at
	r.at += n
	return from, r.at
}

func (r *decoder) string() string {
	from, to := r.span()
	return r.text[from:to]
}

// bytes returns a part of the snapshot; nil for none.
func (r *decoder) bytes() []byte {
	from, to := r.span()
	if from == to {
		return nil
	}
	return r.data[from:to:to]
}

// count reads how many values follow, of which each takes a byte at least.
func (r *decoder) count() int {
	n := int(r.number())
	if r.err == nil && n > len(r.data)-r.at {
		r.fail("more values are told than can follow")
	}
	if r.err != nil {
		return 0
	}
	return n
}

func (r *decoder) strings() []string {
	n := r.count()
	if n == 0 {
		return nil
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = r.string()
	}
	return texts
}

// numbers reads as many numbers as it must, each below a bound.
func (r *decoder) numbers(want int, below uint64) []uint32 {
	n := r.count()
	if n != want {
		r.fail("a list has another length")
		return nil
	}
	list := make([]uint32, n)
	for i := range list {
		if list[i] = r.number(); uint64(list[i]) >= below {
			r.fail("a number is out of range")
			return nil
		}
	}
	return list
}

// steps reads the bounds of parts that lie one after the other, up to the end.
func (r *decoder) steps(parts, end int) []uint32 {
	n := r.count()
	if n != parts+1 {
		r.fail("a list of bounds has another length")
		return nil
	}
	list := make([]uint32, n)
	sum := uint64(0)
	for i := range list {
		sum += uint64(r.number())
		if sum > uint64(end) {
			r.fail("a bound lies beyond the end")
			return nil
		}
		list[i] = uint32(sum)
	}
	if list[0] != 0 || list[parts] != uint32(end) {
		r.fail("bounds do not cover the whole")
		return nil
	}
	return list
}

func (r *decoder) dictionary() dictionary {
	d, names := newDictionary(), r.strings()
	d.reserve(len(names))
	d.names = make([]string, 0, len(names))
	for _, name := range names {
		if _, twice := d.find(name); twice {
			r.fail("a word stands twice in the dictionary")
			return newDictionary()
		}
		d.add(name)
	}
	return d
}

func (r *decoder) segment() *segment {
	s := &segment{tags: make(map[string][]uint32), subjects: make(map[string][]uint32), topics: make(map[string][]uint32)}
	s.stems = r.dictionary()
	s.df = r.numbers(len(s.stems.names), math.MaxUint64)
	s.words = r.dictionary()
	s.stemOf = r.numbers(len(s.words.names), uint64(len(s.stems.names)))
	s.wordDocs = r.numbers(len(s.words.names), math.MaxUint64)
	s.postings = r.bytes()
	s.starts = r.steps(len(s.stems.names), len(s.postings))
	s.forward = r.bytes()
	forwardStarts := r.at
	r.skipSteps()
	r.docs(s)
	end := r.at
	if r.err == nil {
		r.at = forwardStarts
		s.forwardStarts = r.steps(len(s.docs), len(s.forward))
	}
	if r.err == nil {
		r.at = end
		s.signatures = make([]uint32, len(s.words.names))
		for i, name := range s.words.names {
			s.signatures[i] = signature(name)
		}
		r.check(s)
	}
	if r.err == nil {
		s.derive()
	}
	return s
}

// skipSteps passes over a list that is read when its length is known.
func (r *decoder) skipSteps() {
	for range r.count() {
		r.number()
	}
}

func (r *decoder) docs(s *segment) {
	n := r.count()
	s.docs = make([]Doc, n)
	s.length = make([]lengths, n)
	keys := make(map[string]bool, n)
	for i := range s.docs {
		d := &s.docs[i]
		r.doc(d)
		s.length[i] = lengths{r.number(), r.number()}
		if r.err != nil {
			return
		}
		keys[d.Key] = true
		s.group(d, uint32(i))
	}
	if len(keys) != n {
		r.fail("a key stands twice")
	}
}

func (r *decoder) doc(d *Doc) {
	key := r.string()
	if r.err != nil {
		return
	}
	var ok bool
	if *d, ok = r.known(key); !ok || d.Key != key {
		r.fail("a document is not known")
	}
}

// check walks all postings and texts, so that no search can meet a document or
// a word that is not there.
func (r *decoder) check(s *segment) {
	for stem := range s.stems.names {
		doc := uint64(0)
		counted := uint32(0)
		for list := s.list(uint32(stem)); len(list) > 0; {
			delta, n := binary.Uvarint(list)
			doc += delta
			if n <= 0 || n >= len(list) || delta == 0 || delta > math.MaxUint32 || doc > uint64(len(s.docs)) {
				r.fail("a posting is broken")
				return
			}
			if list[n]&^dateBit != 0 {
				counted++
			}
			list = list[n+1:]
		}
		if counted != s.df[stem] {
			r.fail("a word is counted wrong")
			return
		}
	}
	for d := range s.docs {
		if !s.textHolds(uint32(d)) {
			r.fail("a text is broken")
			return
		}
	}
}

// textHolds checks the forward text of one document.
func (s *segment) textHolds(doc uint32) bool {
	data := s.forward[s.forwardStarts[doc]:s.forwardStarts[doc+1]]
	title, n := binary.Uvarint(data)
	if n <= 0 || title != uint64(s.length[doc].title) {
		return false
	}
	words := uint64(0)
	for data = data[n:]; len(data) > 0; data = data[n:] {
		var w uint64
		if w, n = binary.Uvarint(data); n <= 0 || w >= uint64(len(s.words.names)) {
			return false
		}
		words++
	}
	return words == title+uint64(s.length[doc].body)
}
