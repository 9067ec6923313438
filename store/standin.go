package store

import (
	"slices"
	"strings"

	"memory-mcp/store/entry"
)

// standIns is which states of an id others stand in for: their content was
// erased, or masked.
type standIns struct {
	by map[string]string // keys of states that do not count, and of what counts instead
}

// blank tells whether a state is one whose content was erased.
func (f fact) blank() bool { return f.op == entry.OpBlank }

// late tells whether a state was never in a line.
func (f fact) isLate() bool {
	return f.op == entry.OpLate || f.blank() && f.was == entry.OpLate
}

// place is what orders a state: the name that it had first.
func (f fact) place() string {
	if len(f.instead) > 0 {
		return f.instead[0]
	}
	return f.key
}

// standInsOf finds out what stands in for what. Nearly always that is nothing.
func standInsOf(facts []fact) standIns {
	var s standIns
	best := map[string]fact{}
	for _, f := range facts {
		for _, key := range f.instead {
			if old, taken := best[key]; !taken || f.before(old) {
				best[key] = f
			}
		}
	}
	if len(best) == 0 {
		return s
	}
	s.by = make(map[string]string, len(best))
	for key, f := range best {
		s.by[key] = f.key
	}
	for _, f := range facts {
		for _, key := range f.instead {
			if s.by[key] != f.key && s.by[f.key] == "" {
				s.by[f.key] = s.by[key] // another one stands in for the same
			}
		}
	}
	return s
}

// before tells which of two that stand in for one state counts.
func (f fact) before(other fact) bool {
	if f.blank() != other.blank() {
		return f.blank()
	}
	return f.key < other.key
}

// replaced tells whether a state does not count, since another one stands in
// for it.
func (s standIns) replaced(key string) bool { return s.by[key] != "" }

// now is the state that counts for one that was named.
func (s standIns) now(key string) string {
	for range len(s.by) {
		next := s.by[key]
		if next == "" {
			break
		}
		key = next
	}
	return key
}

// standIn drops the states from a chain that others stand in for. Who follows
// one of them follows what stands in for it.
func (c *chain) standIn() {
	c.stand = standInsOf(slices.Concat(c.facts, c.late))
	if c.stand.by == nil {
		return
	}
	drop := func(f fact) bool {
		if c.stand.replaced(f.key) {
			c.dropped = append(c.dropped, f)
			return true
		}
		return false
	}
	c.facts, c.late = slices.DeleteFunc(c.facts, drop), slices.DeleteFunc(c.late, drop)
	c.bad = slices.DeleteFunc(c.bad, func(key string) bool { return drop(fact{key: key}) })
	for _, list := range [][]fact{c.facts, c.late} {
		for i, f := range list {
			list[i].parents = make([]string, len(f.parents)) // what was read is kept for others
			for n, parent := range f.parents {
				list[i].parents[n] = c.stand.now(parent)
			}
		}
		slices.SortFunc(list, func(a, b fact) int { return strings.Compare(a.place(), b.place()) })
	}
}

// masked gives the place in the line of what stands in for the state that a
// head is in: it was masked there, and is not yet masked itself.
func (c *chain) masked(h *Head) (int, bool) {
	for _, f := range c.dropped {
		if !f.holds(h.Hash, h.Path) {
			continue
		}
		now := c.stand.now(f.key)
		at := slices.IndexFunc(c.facts, func(f fact) bool { return f.key == now && !f.blank() })
		return at, at >= 0
	}
	return 0, false
}

// standing gives what stands in for states of an id, in history or among what
// it has brought along.
func (w *writer) standing(id string) standIns {
	var facts []fact
	for _, dir := range []string{folderOf(id), broughtFolder(id)} {
		keys, err := keysIn(w.root, dir, id)
		if err != nil {
			continue // it is found out where the folder is needed
		}
		for _, key := range keys {
			if f, err := w.s.memo.fact(one(w.root), id, key, true); err == nil {
				facts = append(facts, f)
			}
		}
	}
	return standInsOf(facts)
}
