package index

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// decoder reads a snapshot. After the first error every value is zero. It makes
// sure that every number leads to something that is there; what postings and
// forward texts say, those who read them do.
type decoder struct {
	data []byte
	text string // the same bytes, of which texts are parts
	at   int
	err  error
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

func (r *decoder) signed() int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Varint(r.data[r.at:])
	if n <= 0 {
		r.fail("a number is broken")
		return 0
	}
	r.at += n
	return int(v)
}

// take passes over so many bytes.
func (r *decoder) take(n int) []byte {
	if r.err == nil && n > len(r.data)-r.at {
		r.fail("a part is longer than the rest")
	}
	if r.err != nil {
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

func (r *decoder) string() string {
	b := r.take(int(r.number()))
	if b == nil {
		return ""
	}
	return r.text[r.at-len(b) : r.at]
}

// bytes returns a part of the snapshot.
func (r *decoder) bytes() []byte { return r.take(int(r.number())) }

// count reads how many values follow, of which each takes so many bytes at
// least.
func (r *decoder) count(size int) int {
	n := int(r.number())
	if r.err == nil && n > (len(r.data)-r.at)/size {
		r.fail("more values are told than can follow")
	}
	if r.err != nil {
		return 0
	}
	return n
}

func (r *decoder) strings() []string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	lengths := r.data[r.at:]
	texts, total := make([]string, n), 0
	for range n {
		total += int(r.number())
	}
	if r.take(total) == nil {
		return nil
	}
	at := r.at - total
	for i := range texts {
		size, k := binary.Uvarint(lengths)
		lengths = lengths[k:]
		texts[i] = r.text[at : at+int(size)]
		at += int(size)
	}
	return texts
}

// numbers reads a list of as many as it must have, each below a bound.
func (r *decoder) numbers(want int, below uint32) []uint32 {
	n := r.count(4)
	if n != want {
		r.fail("a list has another length")
		return nil
	}
	data, list := r.take(4*n), make([]uint32, n)
	if data == nil {
		return nil
	}
	highest := uint32(0)
	for i := range list {
		v := binary.LittleEndian.Uint32(data[4*i:])
		list[i], highest = v, max(highest, v)
	}
	if n > 0 && highest >= below {
		r.fail("a number is out of range")
		return nil
	}
	return list
}

// some reads a list of any length of numbers below a bound.
func (r *decoder) some(below uint32) []uint32 {
	at := r.at
	n := r.count(4)
	r.at = at
	if r.err != nil {
		return nil
	}
	return r.numbers(n, below)
}

// bounds reads the bounds of parts that lie one after the other, up to the end.
func (r *decoder) bounds(parts int) []uint32 {
	list := r.numbers(parts+1, math.MaxUint32)
	if r.err == nil && (list[0] != 0 || !slices.IsSorted(list)) {
		r.fail("bounds are out of order")
		return nil
	}
	return list
}

// covers makes sure that bounds end where what they divide does.
func (r *decoder) covers(bounds []uint32, end int) {
	if r.err == nil && int(bounds[len(bounds)-1]) != end {
		r.fail("bounds do not cover the whole")
	}
}

func (r *decoder) sums(want int) []uint64 {
	n := r.count(8)
	if want >= 0 && n != want {
		r.fail("a list has another length")
	}
	data := r.take(8 * n)
	if data == nil {
		return nil
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return list
}

func (r *decoder) lists(docs int) map[string][]uint32 {
	names := r.strings()
	lists := make(map[string][]uint32, len(names))
	for _, name := range names {
		lists[name] = r.some(uint32(docs))
	}
	return lists
}

// segment reads the one segment, and the documents of sessions in order.
func (r *decoder) segment(docs []Kept) (s *segment, order []uint32) {
	s = &segment{docs: docs}
	n := len(docs)
	if int(r.number()) != n {
		r.fail("there are other documents")
	}
	stems, words := r.strings(), r.strings()
	s.df = r.numbers(len(stems), math.MaxUint32)
	s.stemOf = r.numbers(len(words), uint32(len(stems)))
	s.signatures = r.numbers(len(words), math.MaxUint32)
	s.wordDocs = r.numbers(len(words), math.MaxUint32)
	s.starts = r.bounds(len(stems))
	s.forwardStarts = r.bounds(n)
	s.skipStarts = r.bounds(len(stems))
	s.session = r.numbers(n, math.MaxUint32)
	s.widths = r.numbers(n, math.MaxUint32)
	s.postings, s.forward = r.bytes(), r.bytes()
	r.covers(s.starts, len(s.postings))
	r.covers(s.forwardStarts, len(s.forward))
	r.skips(s)
	r.lengths(s)
	r.orders(s)
	if s.states = r.bytes(); len(s.states) != n {
		r.fail("a list has another length")
	}
	s.plain = r.sums((n + 63) / 64)
	s.marks.sums = r.sums(-1)
	s.marks.docs = r.numbers(len(s.marks.sums), uint32(n))
	s.tags, s.subjects, s.topics = r.lists(n), r.lists(n), r.lists(n)
	s.names = r.strings()
	if order = r.some(uint32(n)); n > 0 && int(slices.Max(append(s.session, 0))) > len(s.names) {
		r.fail("a session is not there")
	}
	if r.err == nil {
		s.stems, s.words = numbered(stems), numbered(words)
	}
	return s, order
}

func (r *decoder) skips(s *segment) {
	if r.err != nil {
		return
	}
	n := int(s.skipStarts[len(s.skipStarts)-1])
	if n > len(r.data)/8 {
		r.fail("more values are told than can follow")
		return
	}
	data := r.take(8 * n)
	if data == nil {
		return
	}
	s.skips = make([]skip, n)
	for i := range s.skips {
		k := skip{binary.LittleEndian.Uint32(data[8*i:]), binary.LittleEndian.Uint32(data[8*i+4:])}
		if s.skips[i] = k; int(k.at) > len(s.postings) {
			r.fail("a skip leads nowhere")
			return
		}
	}
}

// lengths reads how long each document is, and its place in its session.
func (r *decoder) lengths(s *segment) {
	if r.err != nil || len(s.docs) > len(r.data)/8 {
		r.fail("more values are told than can follow")
		return
	}
	s.length, s.seqs = make([]lengths, len(s.docs)), make([]int, len(s.docs))
	for i := range s.docs {
		data := r.take(8)
		if data == nil {
			return
		}
		s.length[i] = lengths{binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])}
		s.seqs[i] = r.signed()
	}
}

func (r *decoder) orders(s *segment) {
	data := r.take(16 * len(s.docs))
	if data == nil {
		return
	}
	s.orders = make([]Order, len(s.docs))
	for i := range s.orders {
		s.orders[i] = Order{
			math.Float64frombits(binary.LittleEndian.Uint64(data[16*i:])), int64(binary.LittleEndian.Uint64(data[16*i+8:])),
		}
	}
}

// numbered is the dictionary of names in the order of their numbers.
func numbered(names []string) dictionary {
	d := newDictionary()
	d.reserve(len(names))
	for i, name := range names {
		hash := d.hash(name)
		d.slots[d.free(hash)] = uint64(hash)<<32 | uint64(i+1)
	}
	d.names = names
	return d
}
