package lobes

import (
	"context"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// Diff tells what became of what was believed between two times; see
// [Differences]. Without Until it goes to the present.
func (s *Set) Diff(ctx context.Context, t Target, w Window) (Differences, error) {
	w, err := w.checked(s.o.Now())
	if err != nil {
		return Differences{}, err
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return Differences{}, err
	}
	readings, degraded, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return Differences{}, err
	}
	var d Differences
	err = settled(func() error {
		d = Differences{
			Lobes: []string{}, From: w.Since.UTC(), To: w.Until.UTC(), Learned: []Change{}, Revised: []Change{},
			Retracted: []Change{}, Promoted: []Change{}, Adopted: []Change{}, Degraded: degraded,
		}
		if w.Until.IsZero() {
			d.To = s.o.Now().UTC()
		}
		for _, r := range readings {
			d.Lobes = append(d.Lobes, r.lobe.name)
			if err := r.differences(ctx, w, &d); err != nil {
				return err
			}
		}
		d.finish(w.Limit)
		return nil
	})
	return d, err
}

// finish orders the lists and cuts them.
func (d *Differences) finish(limit int) {
	for _, list := range []*[]Change{&d.Learned, &d.Revised, &d.Retracted, &d.Promoted, &d.Adopted} {
		slices.SortStableFunc(*list, func(a, b Change) int {
			if c := b.Recorded.Compare(a.Recorded); c != 0 {
				return c
			}
			return strings.Compare(a.ID, b.ID)
		})
		if limit > 0 && len(*list) > limit {
			d.Omitted += len(*list) - limit
			*list = (*list)[:limit]
		}
	}
}

// A comparison is what became of one entry.
type comparison struct {
	id      string
	was, is *state // nil: nothing was believed
	// the content of what was believed then, or is, was erased: it is not known
	wasBlank, isBlank bool
	last              state // the newest change in between
	byHand            bool  // all of them were
}

// differences compares two times of one lobe.
func (r reading) differences(ctx context.Context, w Window, d *Differences) error {
	p, err := r.store.Past(ctx)
	if err != nil {
		return err
	}
	h := history{r, p}
	until := w.Until
	if until.IsZero() {
		until = p.Now()
	}
	var all []comparison
	for _, g := range h.between(w) {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, ok, err := h.compare(g, w, until)
		if err != nil {
			return err
		}
		if ok {
			all = append(all, c)
		}
	}
	replaced := make(map[string]comparison)
	for _, c := range all {
		if c.is == nil || c.was != nil {
			continue
		}
		for _, old := range c.is.is.Supersedes {
			replaced[old] = c
		}
	}
	for _, c := range all {
		if _, told := replaced[c.id]; told && c.was != nil && c.is != nil && c.last.rev.Op == entry.OpSupersede {
			continue // the entry that took its place tells it
		}
		h.sort(c, w, d)
	}
	return nil
}

// A stir is what was recorded of an entry in a window.
type stir struct {
	id      string
	moments []store.Moment // newest first
}

// between gathers what was recorded in a window by entry, the newest first.
func (h history) between(w Window) []*stir {
	var all []*stir
	known := make(map[string]*stir)
	of := func(id string) *stir {
		if known[id] == nil {
			known[id] = &stir{id: id}
			all = append(all, known[id])
		}
		return known[id]
	}
	note := func(m store.Moment) {
		if m.Op != entry.OpLate && (w.ID == "" || w.ID == m.ID) {
			g := of(m.ID)
			g.moments = append(g.moments, m)
		}
	}
	if w.Until.IsZero() {
		for _, m := range h.absences() {
			note(m)
		}
	}
	for m := range h.past.Newest(w.Since, w.Until) {
		note(m)
	}
	return all
}

// compare reads both ends of an entry. It tells whether the window asks for it.
func (h history) compare(g *stir, w Window, until time.Time) (comparison, bool, error) {
	c := comparison{id: g.id, byHand: true}
	asked := false
	note := func(s state) {
		if c.last.ID == "" {
			c.last = s
		}
		asked = asked || w.by(s.rev)
		c.byHand = c.byHand && s.rev.Actor == outsider
	}
	for _, m := range g.moments {
		s, err := h.read(m)
		if err = unusable(err); err != nil {
			return c, false, err
		}
		if s.ID != "" {
			note(s)
		}
	}
	if !asked {
		return c, false, nil
	}
	var err error
	if c.was, err = h.at(c.id, w.Since); err != nil {
		return c, false, err
	}
	if c.is, err = h.at(c.id, until); err != nil {
		return c, false, err
	}
	_, c.wasBlank = h.past.ErasedAt(c.id, w.Since)
	_, c.isBlank = h.past.ErasedAt(c.id, until)
	return c, w.Topic == "" || c.is.inScope(w.Topic) || c.was.inScope(w.Topic), nil
}

func (s *state) inScope(topic string) bool { return s != nil && inScope(s.is.Topic, topic) }

// at is what the lobe believed of an entry; nil when it believed nothing.
func (h history) at(id string, at time.Time) (*state, error) {
	if at.IsZero() {
		return nil, nil
	}
	m, ok := h.past.Believed(id, at)
	if !ok {
		return nil, nil
	}
	s, err := h.read(m)
	if err != nil {
		return nil, unusable(err)
	}
	return &s, nil
}

// sort puts an entry into the list that it belongs to.
func (h history) sort(c comparison, w Window, d *Differences) {
	told := h.told(c.last, c.is)
	if c.is == nil {
		told = h.told(c.last, c.was)
	}
	list := &d.Revised
	switch {
	case c.isBlank:
		told.Kind = Erased
		if c.was == nil && !c.wasBlank {
			list = &d.Learned
		}
	case c.wasBlank && c.is != nil:
		told.Kind = Revised
	case c.is == nil && c.was == nil:
		if c.last.rev.Op != entry.OpErase && !c.wasBlank {
			d.Passed++
			return
		}
		list = &d.Retracted
	case c.is == nil:
		list = &d.Retracted
	case c.was == nil:
		list = &d.Learned
		told.Kind = Learned
		if old := h.replacedBy(c.is, w); old != nil {
			list = &d.Revised
			told.Kind, told.Supersedes = Revised, c.is.is.Supersedes
			told.withWords(&old.is, &c.is.is)
		}
	case sameBytes(c.was, c.is):
		d.Passed++
		return
	case promotes(&c.was.is, &c.is.is):
		list = &d.Promoted
		told.Kind = Promoted
	case onlyConfirmed(&c.was.is, &c.is.is):
		d.Confirmed++
		return
	default:
		told.Kind = Revised
	}
	if c.was != nil && c.is != nil {
		told.withWords(&c.was.is, &c.is.is)
	}
	if c.byHand && (list == &d.Learned || list == &d.Revised) {
		list = &d.Adopted
		told.Kind = Adopted
	}
	*list = append(*list, told)
}

// replacedBy is the entry whose place a new one took, as it was believed at the
// beginning of the window.
func (h history) replacedBy(is *state, w Window) *state {
	for _, id := range is.is.Supersedes {
		if old, err := h.at(id, w.Since); err == nil && old != nil {
			return old
		}
	}
	return nil
}

func sameBytes(a, b *state) bool {
	return a.path == b.path && entry.Sum(a.rev.Head) == entry.Sum(b.rev.Head)
}

// onlyConfirmed tells whether nothing changed but that somebody looked.
func onlyConfirmed(was, is *entry.Entry) bool {
	a, b := *was, *is
	for _, e := range []*entry.Entry{&a, &b} {
		e.Verified, e.Pins, e.GitSHA, e.LastAccessed = time.Time{}, nil, "", time.Time{}
	}
	return entry.Equal(a, b)
}
