package index

import (
	"encoding/binary"
	"iter"
)

// A segment is a set of documents with their words. It never changes.
//
// Postings are, per stem, a run of (varint distance to the document before,
// one byte of counts). The forward text of a document is its words in order,
// as varints of word numbers: first how many stand in the title, then how many
// in the body, then the words.
type segment struct {
	again  func(ref any) Doc // see [Over]
	docs   []Kept
	length []lengths
	widths []uint32 // by document: different informative stems of title and body
	seating
	orders []Order
	marks  marks

	words      dictionary
	stemOf     []uint32 // by word
	signatures []uint32 // by word; see signature
	wordDocs   []uint32 // by word: documents with it in title, body or files
	stems      dictionary

	df       []uint32 // by stem: documents with it in title, body or files
	postings []byte
	starts   []uint32 // by stem, and one more

	forward       []byte
	forwardStarts []uint32 // by document, and one more

	skips      []skip
	skipStarts []uint32 // by stem, and one more
	states     []byte   // by document; see stated

	tags     map[string][]uint32
	subjects map[string][]uint32
	topics   map[string][]uint32
	plain    bitset
}

// lengths are the words of a document's title and body that take a place.
type lengths struct{ title, body uint32 }

// posting is one document's counts of a stem.
type posting struct {
	doc    uint32
	counts byte
}

func (s *segment) list(stem uint32) []byte { return s.postings[s.starts[stem]:s.starts[stem+1]] }

// all walks the postings of a stem in document order.
func (s *segment) all(stem uint32) iter.Seq[posting] {
	return func(yield func(posting) bool) {
		doc := uint32(0)
		for list := s.list(stem); len(list) > 1; {
			delta, n := binary.Uvarint(list)
			if n <= 0 || n >= len(list) {
				return
			}
			doc += uint32(delta)
			if doc-1 >= uint32(len(s.docs)) || !yield(posting{doc - 1, list[n]}) {
				return
			}
			list = list[n+1:]
		}
	}
}

// text decodes the forward text of a document: the numbers of its title's and
// body's words.
func (s *segment) text(doc uint32, buffer []uint32) (title, body []uint32) {
	data := s.forward[s.forwardStarts[doc]:s.forwardStarts[doc+1]]
	nTitle, k := binary.Uvarint(data)
	if k <= 0 {
		return nil, nil
	}
	data = data[k:]
	buffer = buffer[:0]
	for len(data) > 0 {
		w, k := uint64(data[0]), 1
		switch {
		case w < 0x80:
		case len(data) > 1 && data[1] < 0x80:
			w, k = w&0x7F|uint64(data[1])<<7, 2
		default:
			w, k = binary.Uvarint(data)
		}
		if k <= 0 || w >= uint64(len(s.stemOf)) {
			break
		}
		buffer = append(buffer, uint32(w))
		data = data[k:]
	}
	n := min(int(nTitle), len(buffer))
	return buffer[:n], buffer[n:]
}
