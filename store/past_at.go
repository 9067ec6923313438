package store

import (
	"context"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"memory-mcp/store/entry"
)

// Since gives the ids whose state at a time is not their present head, sorted.
// What has not changed since is not read.
func (p *Past) Since(at time.Time) []string {
	if !at.Before(p.now) {
		return nil
	}
	var ids []string
	for id := range p.IDs() {
		if p.differs(id, at) {
			ids = append(ids, id)
		}
	}
	return ids
}

// differs tells whether what was believed of an id is not what its head says.
func (p *Past) differs(id string, at time.Time) bool {
	l := p.line(id)
	f, pending, ok := l.believed(at)
	if !ok {
		return l.head != nil
	}
	if l.head == nil {
		return true
	}
	return !pending && !f.holds(l.head.Hash, l.head.Path)
}

// Between gives the states that were recorded after one time and not after
// another, newest first. A zero time is open. Late texts are among them.
func (p *Past) Between(from, to time.Time) []Moment { return slices.Collect(p.Newest(from, to)) }

// Newest is [Past.Between] for a caller that may not want all of it: what it
// does not take is not read.
func (p *Past) Newest(from, to time.Time) iter.Seq[Moment] {
	inside := func(at time.Time) bool {
		return (from.IsZero() || at.After(from)) && (to.IsZero() || !at.After(to))
	}
	var all []Moment
	for id := range p.IDs() {
		l := p.line(id)
		for _, f := range slices.Concat(l.facts, l.late) {
			if inside(f.at) {
				all = append(all, f.moment(id))
			}
		}
		if l.pending && inside(l.at) {
			all = append(all, l.moment())
		}
	}
	slices.SortFunc(all, newerFirst)
	return slices.Values(all)
}

// newerFirst is the order of a timeline. What is pending has no key, and comes
// after what is in history at the same time.
func newerFirst(a, b Moment) int {
	if c := b.Recorded.Compare(a.Recorded); c != 0 {
		return c
	}
	if c := strings.Compare(b.Key, a.Key); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// Around gives the span of time, [from, to), in which what is believed is what
// was believed at a time. A zero time is open.
func (p *Past) Around(at time.Time) (from, to time.Time) {
	for m := range p.Newest(time.Time{}, time.Time{}) {
		if !m.Recorded.After(at) {
			return m.Recorded, to
		}
		to = m.Recorded
	}
	return time.Time{}, to
}

// Absent gives the ids, sorted, whose heads are gone though nobody has written
// that down.
func (p *Past) Absent() []string {
	var ids []string
	for id := range p.IDs() {
		if l := p.line(id); l.head == nil && !l.agrees() {
			ids = append(ids, id)
		}
	}
	return ids
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
	for h := range p.view.Heads() {
		if h.Copy != "" {
			d.drop(h.Path)
		}
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
