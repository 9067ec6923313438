package store

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// Since gives the ids whose state at a time is not their present head, sorted.
// What is known not to have changed since is not read.
func (p *Past) Since(at time.Time) []string {
	if !at.Before(p.now) {
		return nil
	}
	mark := entry.KeyTime(at)
	todo := p.unsettled(func(g group) bool { return recordedAfter(g.newest(), mark) })
	ids := p.which(todo, func(l *line) bool { return l.differs(at) })
	for id, h := range p.view.heads() {
		if !earlier(h.touched(), p.now).After(at) {
			continue
		}
		if _, known := p.names.of(id); !known {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Absent gives the ids, sorted, whose heads are gone though nobody has written
// that down.
func (p *Past) Absent() []string {
	never := func(group) bool { return false }
	todo := slices.DeleteFunc(p.unsettled(never), func(g group) bool {
		_, there := p.view.ID(g.id)
		return there
	})
	ids := p.which(todo, func(l *line) bool { return l.head == nil && !l.agrees() })
	slices.Sort(ids)
	return ids
}

// recordedAfter tells whether a revision was recorded after the time that
// [entry.KeyTime] made the mark of.
func recordedAfter(key, mark string) bool { return key[:len(mark)] > mark }

// unsettled gives the ids that a test picks by their names, and those of which
// it is not known that their heads are what history says.
func (p *Past) unsettled(pick func(group) bool) []group {
	head := func(id string) *Head {
		h, _ := p.view.ID(id)
		return h
	}
	var todo []group
	for _, l := range p.names {
		if l == nil {
			continue
		}
		known := p.s.accord.settled(l.groups, head)
		for i, g := range l.groups {
			if !known[i] || pick(g) {
				todo = append(todo, g)
			}
		}
	}
	return todo
}

// which gives the ids of those lines, of many, that a test picks. They are
// read side by side.
func (p *Past) which(groups []group, pick func(*line) bool) []string {
	workers := min(2*runtime.GOMAXPROCS(0), len(groups))
	found := make([][]string, workers)
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			from, to := len(groups)*worker/workers, len(groups)*(worker+1)/workers
			p.each(groups[from:to], func(l *line) {
				if pick(l) {
					found[worker] = append(found[worker], l.id)
				}
			})
		})
	}
	wait.Wait()
	return slices.Concat(found...)
}

// each gives the line of each of some ids, which lie next to each other. It
// keeps only those that are not simply what their heads are.
func (p *Past) each(groups []group, f func(*line)) {
	root, err := p.s.root()
	if err != nil || root == nil {
		return
	}
	defer root.Close() // a folder handle: nothing to lose
	sh := &shelf{root: root, keep: true}
	defer sh.close()
	for _, g := range groups {
		p.mu.Lock()
		l := p.lines[g.id]
		p.mu.Unlock()
		if l == nil {
			l = p.resolve(sh, g)
			p.keep(l)
		}
		f(l)
	}
}

// keep remembers a line for as long as the Past lives.
func (p *Past) keep(l *line) {
	if len(l.facts) == 1 && l.agrees() {
		return // the many; and the file is read anew in no time
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[l.id] = l
}

// differs tells whether what was believed at a time is not what the head says.
func (l *line) differs(at time.Time) bool {
	f, pending, ok := l.believed(at)
	if !ok || l.head == nil {
		return ok || l.head != nil
	}
	return !pending && !f.holds(l.head.Hash, l.head.Path)
}

// At gives what was believed at a time as a view of its own. It shares with the
// present view what is alike, so that [View.Since] tells what differs. Copies
// are left out, since history does not know them.
func (p *Past) At(ctx context.Context, at time.Time) (*View, error) {
	if !at.Before(p.now) {
		return p.view, nil
	}
	root, err := p.s.root()
	if err != nil || root == nil {
		return &View{}, err
	}
	defer root.Close() // a folder handle: nothing to lose
	ids := p.Since(at)
	d := newDraft(p.view)
	for _, path := range p.view.copies() {
		d.drop(path)
	}
	for _, id := range ids {
		if h, ok := p.view.ID(id); ok {
			d.drop(h.Path)
		}
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, err := p.once(root, id, at)
		if err != nil {
			return nil, err
		}
		if h != nil {
			d.put(d.free(h))
		}
	}
	return d.done(), nil
}

// once gives the head that an id had; nil when it had none.
func (p *Past) once(root *os.Root, id string, at time.Time) (*Head, error) {
	m, ok := p.Believed(id, at)
	if !ok {
		return nil, nil
	}
	return p.headOf(root, m)
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
