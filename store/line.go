package store

import (
	"os"
	"slices"
	"time"

	"memory-mcp/store/entry"
)

// fact is what the order of states needs to know of one revision.
type fact struct {
	key     string
	op      entry.Op
	gone    bool
	hash    string // of the head
	path    string
	parents []string
	at      time.Time
	instead []string // keys of what it stands in for
	was     entry.Op // of a blank: what the erased state did
}

func factOf(key string, r entry.Revision) fact {
	f := fact{key: key, op: r.Op, gone: r.Gone(), path: r.Path, parents: r.Parents, at: r.Recorded, instead: r.Instead, was: r.Was}
	if !f.gone {
		f.hash = entry.Sum(r.Head)
	}
	return f
}

// holds tells whether a head is in the revision: its bytes, where they lie.
func (f fact) holds(hash, path string) bool {
	return !f.gone && f.hash == hash && f.path == utf8Path(path)
}

// chain is the revisions of one id that can be read.
type chain struct {
	id     string
	facts  []fact // oldest first, without late ones
	late   []fact
	bad    []string // keys of those that are damaged
	erased bool
	open   map[string]bool // keys of facts that no other one follows

	stand   standIns
	dropped []fact // states that others stand in for, and that are here all the same
}

// last is the place of the newest state that was not blanked; -1 for an id
// without one.
func (c *chain) last() int {
	for i, f := range slices.Backward(c.facts) {
		if !f.blank() {
			return i
		}
	}
	return -1
}

// newest is the last of the line; false for an id without a history.
func (c *chain) newest() (fact, bool) {
	if i := c.last(); i >= 0 {
		return c.facts[i], true
	}
	return fact{}, false
}

// readChain reads what the revisions of an id say. What this process has read
// once is not read again: a name tells what the bytes are.
func (s *Store) readChain(root *os.Root, id string, keys []string) *chain {
	return s.readChainFrom(one(root), id, keys)
}

func (s *Store) readChainFrom(sh *shelf, id string, keys []string) *chain {
	c := &chain{id: id}
	for _, key := range keys {
		f, err := s.memo.fact(sh, id, key, len(keys) > 1) // of the many there is little to keep
		switch {
		case err != nil:
			c.bad = append(c.bad, key)
		case f.isLate():
			c.late = append(c.late, f)
		default:
			c.facts = append(c.facts, f)
			c.erased = c.erased || f.op == entry.OpErase
		}
	}
	if c.erased {
		c.facts = slices.DeleteFunc(c.facts, func(f fact) bool { return f.op != entry.OpErase })
		c.late = nil
	} else {
		c.standIn()
	}
	c.findOpen()
	return c
}

// findOpen finds the leaves. Where a revision cannot be read, an older one
// without a follower may have had it for one: it is no leaf.
func (c *chain) findOpen() {
	c.open = map[string]bool{}
	intact, doubt := map[string]bool{}, ""
	for _, f := range c.facts {
		c.open[f.key], intact[f.key] = true, true
	}
	for _, key := range c.bad {
		doubt = max(doubt, key)
	}
	for _, f := range c.facts {
		if f.blank() {
			delete(c.open, f.key) // nobody can go on from it
		}
		for _, parent := range f.parents {
			if delete(c.open, parent); !intact[parent] {
				doubt = max(doubt, parent)
			}
		}
	}
	last, _ := c.newest()
	for key := range c.open {
		if key < doubt && key != last.key {
			delete(c.open, key)
		}
	}
}

// line is what the history of an id and its head come to.
type line struct {
	*chain
	head    *Head // nil when there is none
	in      int   // the fact that the head, or its absence, is in: what comes after it is beside the line
	pending bool  // the head is in none: it is the last of the line
	at      time.Time
	op      entry.Op // of what is pending
}

// lineOf puts a head into the line of its id.
func lineOf(c *chain, h *Head, now time.Time) *line {
	l := &line{chain: c, head: h, in: c.last()}
	last, known := c.newest()
	switch {
	case h != nil && c.erased:
		l.op, l.at = entry.OpAdopt, earlier(h.touched(), now).UTC()
		return l
	case h == nil: // without a head, what is newest was taken away, whatever lies beside it
		return l
	case known && last.holds(h.Hash, h.Path):
		return l
	}
	for i, f := range slices.Backward(c.facts) {
		if c.open[f.key] && f.holds(h.Hash, h.Path) && !h.Modified.After(last.at) { // a file that is younger was put back by a person
			l.in = i
			return l
		}
	}
	if i, ok := l.masked(h); ok {
		l.in = i
		return l
	}
	l.pending, l.op, l.at = true, entry.OpAdopt, earlier(h.touched(), now).UTC()
	if known {
		if next := last.at.Add(time.Millisecond); l.at.Before(next) {
			l.at = next
		}
		if !last.gone && last.hash == h.Hash {
			l.op = entry.OpMove
		}
	}
	return l
}

// plainSum is the sum of the keys of an id, if its line is just them: all can be
// read, none is late, they stand in their order, and the head is in the newest
// and has no twin. It is 0 if not.
func (l *line) plainSum(g group) uint64 {
	inOrder := func(i int) bool { return l.facts[i].key == g.keys[i] }
	if l.agrees() && len(l.facts) == len(g.keys) && l.in == len(l.facts)-1 && len(l.twins()) == 0 && (l.stand.by == nil || every(len(g.keys), inOrder)) {
		return g.sum
	}
	return 0
}

// every tells whether all of the first n numbers pass.
func every(n int, pass func(int) bool) bool {
	for i := range n {
		if !pass(i) {
			return false
		}
	}
	return true
}

// agrees tells whether the head, or its absence, is what history says.
func (l *line) agrees() bool {
	if l.head != nil {
		return !l.pending && !l.erased
	}
	return l.erased || l.in < 0 || l.facts[l.in].gone
}

// believed gives the state that held at a time before now: the fact, or the
// pending head, or neither.
func (l *line) believed(at time.Time) (f fact, pending, ok bool) {
	if l.erased {
		return fact{}, false, false
	}
	f, pending, ok = l.held(at)
	return f, pending, ok && !f.gone
}

// held is believed, of which a tombstone is an answer too.
func (l *line) held(at time.Time) (f fact, pending, ok bool) {
	if l.pending && !at.Before(l.at) {
		return fact{}, true, true
	}
	for _, f := range slices.Backward(l.facts[:l.in+1]) {
		if !f.at.After(at) {
			return f, false, true
		}
	}
	return fact{}, false, false
}

// twins are the leaves that the head is not in.
func (l *line) twins() []fact {
	if l.erased {
		return nil
	}
	var all []fact
	for i, f := range l.facts {
		if i == l.in || !l.open[f.key] {
			continue
		}
		if is := l.facts[l.in]; is.gone != f.gone || is.hash != f.hash || is.path != f.path {
			all = append(all, f) // what both sides have written is no conflict
		}
	}
	return all
}

// chosen are the leaves that a pending head is, besides the newest state: a
// person who put one of them back has chosen between them.
func (l *line) chosen() []string {
	var keys []string
	last, _ := l.newest()
	for _, f := range l.facts {
		if l.open[f.key] && f.key != last.key && f.holds(l.head.Hash, l.head.Path) {
			keys = append(keys, f.key)
		}
	}
	return keys
}
