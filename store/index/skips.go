package index

import (
	"encoding/binary"
	"sort"
)

// A skip is a place in a list of postings from which reading may start.
type skip struct {
	doc uint32 // the number after the document before
	at  uint32 // in the postings of the segment
}

// skipEvery is how many postings lie between two skips. Shorter lists have
// none.
const skipEvery = 64

// findSkips finds the places from which reading may start.
func (s *segment) findSkips() {
	s.skipStarts = make([]uint32, 1, len(s.starts))
	for stem := range s.stems.names {
		s.addSkips(uint32(stem))
		s.skipStarts = append(s.skipStarts, uint32(len(s.skips)))
	}
}

func (s *segment) addSkips(stem uint32) {
	from, to := s.starts[stem], s.starts[stem+1]
	if to-from <= 2*skipEvery {
		return
	}
	doc, n := uint32(0), 0
	for at := from; at < to; n++ {
		if n > 0 && n%skipEvery == 0 {
			s.skips = append(s.skips, skip{doc, at})
		}
		delta, k := binary.Uvarint(s.postings[at:to])
		if k <= 0 {
			return
		}
		doc += uint32(delta)
		at += uint32(k) + 1
	}
}

// countsOf looks a document up in the postings of a stem; zero is for none.
func (s *segment) countsOf(stem, doc uint32) byte {
	at, to := s.starts[stem], s.starts[stem+1]
	after := uint32(0)
	skips := s.skips[s.skipStarts[stem]:s.skipStarts[stem+1]]
	if i := sort.Search(len(skips), func(i int) bool { return skips[i].doc > doc }); i > 0 {
		at, after = skips[i-1].at, skips[i-1].doc
	}
	if at > to {
		return 0 // no skip that we wrote
	}
	for list := s.postings[at:to]; len(list) > 1; {
		delta, k := binary.Uvarint(list)
		if k <= 0 || k >= len(list) {
			return 0
		}
		if after += uint32(delta); after > doc {
			if after == doc+1 {
				return list[k]
			}
			return 0
		}
		list = list[k+1:]
	}
	return 0
}
