package store

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// Since gives the ids whose state at a time is not their present head, sorted.
// Of what has changed since, the state of that time is read; nothing else is.
func (p *Past) Since(at time.Time) []string {
	var ids []string
	for _, c := range p.changed(at, false) {
		if _, there := p.view.ID(c.id); there || !c.blank {
			ids = append(ids, c.id)
		}
	}
	return ids
}

// Erased counts the ids of which a view that [Past.At] gave knows nothing since
// the content of what they were then was erased.
func (p *Past) Erased(at time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.erased[at]
}

// At gives what was believed at a time as a view of its own. It shares with the
// present view what is alike, so that [View.Since] tells what differs. Copies
// are left out, since history does not know them.
func (p *Past) At(ctx context.Context, at time.Time) (*View, error) {
	if !at.Before(p.now) {
		return p.view, nil
	}
	changes := p.changed(at, true)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	blank := 0
	for _, c := range changes {
		if c.blank {
			blank++
		}
	}
	p.mu.Lock()
	p.erased[at] = blank
	p.mu.Unlock()
	d := newDraft(p.view)
	for _, path := range p.view.copies() {
		d.drop(path)
	}
	for _, c := range changes {
		if h, ok := p.view.ID(c.id); ok {
			d.drop(h.Path)
		}
	}
	for _, c := range changes {
		if c.was != nil {
			d.put(refTo(d.free(c.was)))
		}
	}
	return d.done(), nil
}

// free gives a head a path of its own when another one lies at its path.
func (d *draft) free(h *Head) *Head {
	if _, taken := lookup(d.v.paths[shardOf(h.Path)], h.Path); !taken {
		return h
	}
	other := *h
	other.Path = strings.TrimSuffix(h.Path, ".md") + "." + entry.Hash16([]byte(h.Entry.ID)) + ".md"
	return &other
}

// Absent gives the ids, sorted, whose heads are gone though nobody has written
// that down: what [Store.Settle] makes deletions of once they rest. Files that
// went with their folder, or in a mass, are not among them.
func (p *Past) Absent() []string {
	p.gone.Do(func() { p.absent = p.absentees() })
	return p.absent
}

func (p *Past) absentees() []string {
	todo, _ := p.unsettled(nil)
	todo = slices.DeleteFunc(todo, func(g group) bool {
		_, there := p.view.ID(g.id)
		return there
	})
	ids := p.which(todo, func(l *line) bool { return l.head == nil && !l.agrees() })
	root, err := p.s.root()
	if err != nil || root == nil || massive(ids, p.view) {
		return nil
	}
	defer root.Close() // a folder handle: nothing to lose
	if _, err := root.Lstat(lobeName); err != nil {
		return nil
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		l := p.line(id)
		_, err := root.Lstat(topOf(l.facts[l.in].path))
		return err != nil
	})
	slices.Sort(ids)
	return ids
}

// change is an id whose state was another one.
type change struct {
	id  string
	was *Head // nil: it was not there, or nobody asked
	// blank says that it was there, and that what it was is not known any more
	blank bool
}

// changed gives the ids whose state at a time is not their present head, sorted,
// and if it is wanted what they were.
func (p *Past) changed(at time.Time, want bool) []change {
	if !at.Before(p.now) {
		return nil
	}
	mark := entry.KeyTime(at)
	todo, plain := p.unsettled(func(g group) bool { return recordedAfter(g.newest(), mark) })
	all := gather(len(todo), func(from, to int) []change {
		var some []change
		p.reading(func(sh *shelf) {
			for i := from; i < to; i++ {
				if c, ok := p.was(sh, todo[i], plain[i], at, want); ok {
					some = append(some, c)
				}
			}
		})
		return some
	})
	for id, h := range p.unknown() {
		if earlier(h.touched(), p.now).After(at) {
			all = append(all, change{id: id})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return strings.Compare(a.id, b.id) })
	return all
}

// was finds out what an id was at a time; false when that is its present head.
// Of a plain line only that one state is read.
func (p *Past) was(sh *shelf, g group, plain bool, at time.Time, want bool) (change, bool) {
	c := change{id: g.id}
	h, _ := p.view.ID(g.id)
	var f fact
	var ok, pending bool
	if plain {
		f, ok = p.plainly(sh, g, at)
	} else {
		f, pending, ok = p.lineFrom(sh, g).believed(at)
	}
	switch {
	case !ok:
		c.blank = f.blank()
		return c, h != nil || c.blank
	case pending, h != nil && f.holds(h.Hash, h.Path):
		return c, false
	case !want:
		return c, true
	}
	k, err := p.s.memo.read(sh, g.id, f.key)
	if err != nil { // it was there a moment ago
		p.damaged(folderOf(g.id), g.id, f.key, err)
		return c, true
	}
	c.was = p.s.headOnce(k)
	return c, true
}

// plainly gives the state of a plain line at a time.
func (p *Past) plainly(sh *shelf, g group, at time.Time) (fact, bool) {
	n := g.until(entry.KeyTime(at))
	if n == 0 {
		return fact{}, false
	}
	k, err := p.s.memo.read(sh, g.id, g.keys[n-1])
	if err != nil { // it was read once, and is damaged since
		f, _, ok := p.lineFrom(sh, g).believed(at)
		return f, ok
	}
	f := factOf(g.keys[n-1], k.Revision)
	return f, !f.gone
}

// recordedAfter tells whether a revision was recorded after the time that
// [entry.KeyTime] made the mark of.
func recordedAfter(key, mark string) bool { return key[:len(mark)] > mark }

// unsettled gives the ids that a test picks by their names, and those of which
// it is not known that their heads are what history says. It tells which of
// them are known to be plain lines.
func (p *Past) unsettled(pick func(group) bool) (some []group, plain []bool) {
	for _, l := range p.names {
		if l == nil {
			continue
		}
		known := p.s.accord.settled(l.groups, p.view.RefOf)
		for i, g := range l.groups {
			if !known[i] || pick != nil && pick(g) {
				some, plain = append(some, g), append(plain, known[i])
			}
		}
	}
	return some, plain
}

// which gives the ids of those lines, of many, that a test picks.
func (p *Past) which(groups []group, pick func(*line) bool) []string {
	return gather(len(groups), func(from, to int) []string {
		var some []string
		p.reading(func(sh *shelf) {
			for _, g := range groups[from:to] {
				if l := p.lineFrom(sh, g); pick(l) {
					some = append(some, l.id)
				}
			}
		})
		return some
	})
}

// gather does n things side by side, each worker some that lie next to each
// other, and puts together what they give.
func gather[T any](n int, some func(from, to int) []T) []T {
	workers := min(2*runtime.GOMAXPROCS(0), n)
	found := make([][]T, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() { found[worker] = some(n*worker/workers, n*(worker+1)/workers) })
	}
	group.Wait()
	return slices.Concat(found...)
}

// reading opens the history for somebody who reads much of it.
func (p *Past) reading(f func(*shelf)) {
	root, err := p.s.root()
	if err != nil || root == nil {
		return
	}
	defer root.Close() // a folder handle: nothing to lose
	sh := &shelf{root: root, keep: true}
	defer sh.close()
	f(sh)
}

// lineFrom gives the line of an id. It keeps only those that are not simply
// what their heads are.
func (p *Past) lineFrom(sh *shelf, g group) *line {
	p.mu.Lock()
	l := p.lines[g.id]
	p.mu.Unlock()
	if l != nil {
		return l
	}
	l = p.resolve(sh, g)
	if len(l.facts) == 1 && l.agrees() {
		return l // the many; and the file is read anew in no time
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[l.id] = l
	return l
}

// headOnce gives the head that a revision's bytes are.
func (s *Store) headOnce(k *kept) *Head {
	return s.memo.parsed(k, func() *Head {
		h := s.parse(placeOf(k.Revision), stamp{mtime: k.Recorded.UnixNano()}, k.Head)
		h.Entry.ID = k.ID
		return h
	})
}
