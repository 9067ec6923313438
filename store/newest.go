package store

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
	"strings"
	"time"

	"memory-mcp/store/entry"
)

// Between gives the states that were recorded after one time and not after
// another, newest first. A zero time is open. Late texts are among them.
func (p *Past) Between(from, to time.Time) []Moment { return slices.Collect(p.Newest(from, to)) }

// Newest is [Past.Between] for a caller that may not want all of it: what it
// does not take is not read.
func (p *Past) Newest(from, to time.Time) iter.Seq[Moment] {
	return func(yield func(Moment) bool) {
		queue := p.candidates(from, to)
		heap.Init(&queue)
		for len(queue) > 0 {
			c := heap.Pop(&queue).(Moment)
			m, ok := p.confirm(c)
			switch {
			case !ok || !from.IsZero() && !m.Recorded.After(from) || !to.IsZero() && m.Recorded.After(to):
			case newerFirst(c, m) < 0:
				heap.Push(&queue, m) // it is older than it looked
			case !yield(m):
				return
			}
		}
	}
}

// candidates are the moments that may lie in a span of time, as far as names
// and the times of files tell: the heads that may be pending at the latest time
// at which they can be.
func (p *Past) candidates(from, to time.Time) queue {
	var all queue
	after, until := "", "\xff"
	if !from.IsZero() {
		after = entry.KeyTime(from) + "\xff" // behind every key of that time
	}
	if !to.IsZero() {
		until = entry.KeyTime(to) + "\xff"
	}
	n := 0
	for _, g := range p.groups() {
		n += len(g.keys)
	}
	if from.IsZero() {
		all = make(queue, 0, n)
	}
	for _, g := range p.groups() {
		for _, key := range g.keys {
			if after < key && key < until {
				at, _ := entry.RevisionTime(key) // a key is in a group because it has one
				all = append(all, Moment{ID: g.id, Key: key, Recorded: at})
			}
		}
	}
	for _, m := range p.unwritten() {
		if from.IsZero() || m.Recorded.After(from) {
			all = append(all, m)
		}
	}
	return all
}

// unwritten gives the heads that may be pending, at the time at which they are
// if they are.
func (p *Past) unwritten() []Moment {
	var all []Moment
	add := func(h *Head, at time.Time) {
		all = append(all, Moment{ID: h.Entry.ID, Recorded: at, Pending: true})
	}
	doubtful, _ := p.unsettled(nil)
	for _, g := range doubtful {
		h, ok := p.view.ID(g.id)
		if !ok {
			continue
		}
		at := earlier(h.touched(), p.now).UTC()
		if newest, _ := entry.RevisionTime(g.newest()); at.Before(newest.Add(time.Millisecond)) { // see above
			at = newest.Add(time.Millisecond)
		}
		add(h, at)
	}
	for _, h := range p.unknown() {
		add(h, earlier(h.touched(), p.now).UTC())
	}
	return all
}

// confirm reads what a candidate is; false when it is none.
func (p *Past) confirm(c Moment) (Moment, bool) {
	l := p.line(c.ID)
	if c.Pending && l.head != nil && !l.pending && l.in >= 0 {
		f := l.facts[l.in] // it was written down since history was listed, or else it is a candidate of its own
		g, _ := p.names.of(c.ID)
		return f.moment(c.ID), !slices.Contains(g.keys, f.key)
	}
	if c.Pending {
		return l.moment(), l.pending
	}
	for _, f := range slices.Concat(l.facts, l.late) {
		if f.key == c.Key {
			return f.moment(c.ID), true
		}
	}
	return Moment{}, false
}

// Around gives the span of time, [from, to), in which nothing was recorded, and
// in which a time lies. A zero time is open.
func (p *Past) Around(at time.Time) (from, to time.Time) {
	before, after := "", ""
	mark := entry.KeyTime(at)
	for _, g := range p.groups() {
		n := g.until(mark)
		if n > 0 {
			before = max(before, g.keys[n-1])
		}
		if n < len(g.keys) && (after == "" || g.keys[n] < after) {
			after = g.keys[n]
		}
	}
	if before != "" {
		from, _ = entry.RevisionTime(before) // a key is in a group because it has one
	}
	if after != "" {
		to, _ = entry.RevisionTime(after) // see above
	}
	for _, c := range p.unwritten() {
		m, ok := p.confirm(c)
		switch {
		case !ok:
		case m.Recorded.After(at):
			if to.IsZero() || m.Recorded.Before(to) {
				to = m.Recorded
			}
		case m.Recorded.After(from):
			from = m.Recorded
		}
	}
	return from, to
}

// newerFirst is the order of a timeline. What is pending has no key, and comes
// after what is in history at the same time.
func newerFirst(a, b Moment) int {
	return cmp.Or(b.Recorded.Compare(a.Recorded), strings.Compare(b.Key, a.Key), strings.Compare(a.ID, b.ID))
}

// queue is a heap of moments, the newest on top.
type queue []Moment

// Len is how many there are.
func (q queue) Len() int { return len(q) }

// Less puts the newer one first.
func (q queue) Less(i, j int) bool { return newerFirst(q[i], q[j]) < 0 }

// Swap exchanges two.
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push takes a moment.
func (q *queue) Push(m any) { *q = append(*q, m.(Moment)) }

// Pop gives the last one away.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
