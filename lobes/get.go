package lobes

import (
	"context"
	"strings"
	"time"

	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// get answers entries by id, whatever their status.
func (s *Set) get(ctx context.Context, a *Answer, readings []reading, q Query) error {
	q.History = true
	var hits []hit
	for _, id := range q.IDs {
		id = strings.TrimSpace(id)
		found := false
		for _, r := range readings {
			if h, ok := r.view.ID(id); ok {
				hits, found = append(hits, hit{reading: r, head: h, score: 1}), true
			}
		}
		if !found {
			a.Missing = append(a.Missing, id)
		}
	}
	if len(hits) == 0 {
		return s.unknownID(ctx, q.IDs[0], readings)
	}
	a.RankedBy, a.Total = "id", len(hits)
	page := hits[min(q.Offset, len(hits)):min(q.Offset+q.Limit, len(hits))]
	a.Omitted = max(0, a.Total-q.Offset-len(page))
	for _, h := range page {
		h.lobe.use(h.head.Entry.ID)
	}
	s.tell(a, page, q, words{})
	return nil
}

// unknownID says where an id that was not found may be.
func (s *Set) unknownID(ctx context.Context, id string, readings []reading) error {
	id = strings.TrimSpace(id)
	e := &UnknownIDError{ID: id, Lobes: []string{}, Near: []string{}, Elsewhere: []string{}}
	var known []string
	searched := make(map[*Lobe]bool)
	for _, r := range readings {
		e.AsOf = r.then
		searched[r.lobe] = true
		e.Lobes = append(e.Lobes, r.lobe.name)
		for h := range r.view.Heads() {
			known = append(known, h.Entry.ID)
		}
		if r.old != nil {
			if _, erased := r.old.ErasedAt(id, r.then); erased {
				e.Erased = true
			}
		}
		if entry.ValidID(id) && e.Gone.IsZero() && e.AsOf.IsZero() {
			to := ""
			if e.Gone, e.Erased, to = r.retracted(id); to != "" && to != r.lobe.name {
				return &MovedError{ID: id, Lobe: r.lobe.name, To: to}
			}
		}
	}
	e.Near = textanalysis.Nearest(id, known, 3)
	for _, l := range s.lobes {
		if !searched[l] && l.has(ctx, id) {
			e.Elsewhere = append(e.Elsewhere, l.name)
		}
	}
	return e
}

// retracted is when the entry was taken back, whether nothing is left of it, and
// the lobe that it went to, if it was moved; zero when it never was here.
func (r reading) retracted(id string) (at time.Time, erased bool, to string) {
	newest, ok, err := r.store.Newest(id)
	if err != nil || !ok {
		return time.Time{}, false, ""
	}
	if !newest.Gone() { // its file is gone, and the history has not heard of it
		if r.lobe.vanished.Load() != nil {
			return time.Time{}, false, ""
		}
		return r.lobe.o.Now(), false, ""
	}
	return newest.Recorded, newest.Op == entry.OpErase, newest.MovedTo
}

// has tells whether the lobe has the entry, as far as it can be read.
func (l *Lobe) has(ctx context.Context, id string) bool {
	r, err := l.look(ctx)
	if err != nil {
		return false
	}
	_, ok := r.view.ID(id)
	return ok
}
