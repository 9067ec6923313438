package index

import "math/bits"

// bitset is a set of document numbers. A nil bitset is empty.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i uint32) bool {
	w := int(i >> 6)
	return w < len(b) && b[w]&(1<<(i&63)) != 0
}

// with is the set, grown to hold a further number.
func (b bitset) with(i uint32, member bool) bitset {
	for int(i>>6) >= len(b) {
		b = append(b, 0)
	}
	if member {
		b.set(i)
	}
	return b
}

func (b bitset) set(i uint32) { b[i>>6] |= 1 << (i & 63) }

func (b bitset) and(c bitset) {
	for i := range b {
		b[i] &= c[i]
	}
}

func (b bitset) or(c bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}

func (b bitset) andNot(c bitset) {
	for i := range b {
		b[i] &^= c[i]
	}
}

func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls yield for every member in order, until it says stop.
func (b bitset) each(yield func(uint32) bool) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			if !yield(uint32(i<<6 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}
