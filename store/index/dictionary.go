package index

import "hash/maphash"

// A dictionary numbers strings. It takes a third of the room of a map, and of
// the time to make one.
type dictionary struct {
	names []string
	seed  maphash.Seed
	// slots are a power of two in number. Each holds half of a hash and the
	// number of the name plus one, or zero.
	slots []uint64
}

func newDictionary() dictionary {
	return dictionary{seed: maphash.MakeSeed(), slots: make([]uint64, 16)}
}

// reserve makes room for so many names.
func (d *dictionary) reserve(n int) {
	size := len(d.slots)
	for size*3 < n*4 {
		size *= 2
	}
	if size == len(d.slots) {
		return
	}
	old := d.slots
	d.slots = make([]uint64, size)
	for _, slot := range old {
		if slot != 0 {
			d.slots[d.free(uint32(slot>>32))] = slot
		}
	}
}

func (d *dictionary) hash(name string) uint32 { return uint32(maphash.String(d.seed, name)) }

// free is the first empty slot for a hash.
func (d *dictionary) free(hash uint32) uint32 {
	mask := uint32(len(d.slots) - 1)
	i := hash & mask
	for d.slots[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

func (d *dictionary) find(name string) (uint32, bool) {
	hash, mask := d.hash(name), uint32(len(d.slots)-1)
	for i := hash & mask; d.slots[i] != 0; i = (i + 1) & mask {
		if n := uint32(d.slots[i]) - 1; uint32(d.slots[i]>>32) == hash && d.names[n] == name {
			return n, true
		}
	}
	return 0, false
}

// add numbers a name that is not known yet.
func (d *dictionary) add(name string) uint32 {
	n := uint32(len(d.names))
	d.reserve(len(d.names) + 1)
	d.names = append(d.names, name)
	hash := d.hash(name)
	d.slots[d.free(hash)] = uint64(hash)<<32 | uint64(n+1)
	return n
}
