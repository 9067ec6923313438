package lobes

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// The lengths of a page of a timeline.
const (
	standardPage = 100
	longestPage  = 1000
)

// Timeline tells the changes of the lobes that the target leads to, newest
// first. It is read off the history: nothing is written for it.
func (s *Set) Timeline(ctx context.Context, t Target, w Window) (Timeline, error) {
	answer := Timeline{Lobes: []string{}, Changes: []Change{}}
	w, err := w.checked(s.o.Now())
	if err != nil {
		return answer, err
	}
	w.Limit = min(cmp.Or(max(w.Limit, 0), standardPage), longestPage)
	from, err := readMark(w.Before)
	if err != nil {
		return answer, err
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return answer, err
	}
	readings, degraded, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return answer, err
	}
	err = settled(func() error {
		answer = Timeline{Lobes: []string{}, Changes: []Change{}, Degraded: degraded}
		return answer.fill(ctx, readings, w, from)
	})
	return answer, err
}

// A mark is a place in a timeline.
type mark struct {
	at      time.Time
	key, id string
	lobe    string
}

// readMark reads what ends a page, or a time.
func readMark(text string) (mark, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return mark{}, nil
	}
	parts := strings.SplitN(text, "/", 4)
	at, err := time.Parse(time.RFC3339Nano, parts[0])
	if err != nil || len(parts) != 1 && len(parts) != 4 {
		return mark{}, &ValueError{Field: "before", Value: clip(text, 80), Why: "it is neither the next of a page nor a time in RFC 3339"}
	}
	m := mark{at: at}
	if len(parts) == 4 {
		m.key, m.id, m.lobe = parts[1], parts[2], parts[3]
	}
	return m, nil
}

func (m mark) String() string {
	return fmt.Sprintf("%s/%s/%s/%s", m.at.UTC().Format(time.RFC3339Nano), m.key, m.id, m.lobe)
}

// Mark is where a page of a timeline goes on after the change: its [Window]'s
// Before.
func (c Change) Mark() string {
	m := mark{c.Recorded, c.Key, c.ID, c.Lobe}
	if c.Pending && c.Op == string(entry.OpRetract) {
		m.key = absentKey
	}
	return m.String()
}

// absentKey stands in marks for an absence that is not written down. It is of
// this moment, whenever that is: such marks come first, and their times say
// nothing.
const absentKey = "absent"

// compare orders marks as a timeline does: what comes first is newer.
func (m mark) compare(o mark) int {
	switch a, b := m.key == absentKey, o.key == absentKey; {
	case a && b:
		return cmp.Or(strings.Compare(m.id, o.id), strings.Compare(m.lobe, o.lobe))
	case a:
		return -1
	case b:
		return 1
	}
	return cmp.Or(o.at.Compare(m.at), strings.Compare(o.key, m.key), strings.Compare(m.id, o.id), strings.Compare(m.lobe, o.lobe))
}

// A reel is the moments of one lobe, the newest first, as far as they are
// asked for.
type reel struct {
	history
	next func() (frame, bool)
	now  frame
}

// A frame is a moment of an entry, or a record.
type frame struct {
	store.Moment
	record *entry.Record // nil for a moment of an entry
}

// mark is the place of the moment at hand.
func (r *reel) mark() mark {
	m := mark{r.now.Recorded, r.now.Key, r.now.ID, r.lobe.name}
	if r.now.Pending && r.now.Gone {
		m.key = absentKey
	}
	return m
}

// fill tells a page.
func (t *Timeline) fill(ctx context.Context, readings []reading, w Window, from mark) error {
	var reels []*reel
	for _, r := range readings {
		t.Lobes = append(t.Lobes, r.lobe.name)
		p, err := r.store.Past(ctx)
		if err != nil {
			return err
		}
		next, stop := iter.Pull(p.Newest(w.Since, from.until(w.Until)))
		defer stop()
		h := history{r, p}
		records, err := h.recordReel(ctx, w, from)
		if err != nil {
			return err
		}
		absent := framesOf(h.absences(), w)
		for _, next := range []func() (frame, bool){func() (frame, bool) { m, ok := next(); return frame{Moment: m}, ok }, records, absent} {
			if f, ok := next(); ok {
				reels = append(reels, &reel{history: h, next: next, now: f})
			}
		}
	}
	for len(reels) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := slices.MinFunc(reels, func(a, b *reel) int { return a.mark().compare(b.mark()) })
		if full, err := t.take(r, w, from); err != nil || full {
			return err
		}
		var ok bool
		if r.now, ok = r.next(); !ok {
			reels = slices.DeleteFunc(reels, func(o *reel) bool { return o == r })
		}
	}
	return nil
}

// framesOf gives the absences that a window reaches, one after the other: none
// when it ends before this moment.
func framesOf(absences []store.Moment, w Window) func() (frame, bool) {
	if !w.Until.IsZero() {
		absences = nil
	}
	return func() (frame, bool) {
		if len(absences) == 0 {
			return frame{}, false
		}
		m := absences[0]
		absences = absences[1:]
		return frame{Moment: m}, true
	}
}

// until is the time after which nothing of the page was recorded.
func (m mark) until(until time.Time) time.Time {
	if m.at.IsZero() || !until.IsZero() && until.Before(m.at) {
		return until
	}
	return m.at
}

// take tells the moment at hand, if the page asks for it. It says when the
// page was full before.
func (t *Timeline) take(r *reel, w Window, from mark) (full bool, err error) {
	switch {
	case w.ID != "" && w.ID != r.now.ID && r.now.record == nil,
		from.id == "" && !from.at.IsZero() && !r.now.Recorded.Before(from.at),
		from.id != "" && r.mark().compare(from) <= 0:
		return false, nil
	}
	c, ok, err := r.recounted(r.now, w)
	if err != nil || !ok {
		return false, err
	}
	if len(t.Changes) == w.Limit {
		t.Next = t.Changes[w.Limit-1].Mark()
		return true, nil
	}
	t.Changes = append(t.Changes, c)
	return false, nil
}

// recounted tells a moment or a record, unless the window does not hold it. A
// file of history that cannot be used is left out.
func (h history) recounted(f frame, w Window) (Change, bool, error) {
	if f.record != nil {
		if !w.recordIn(f.record) {
			return Change{}, false, nil
		}
		c := h.happened(f.record)
		return c, inScope(c.Topic, w.Topic), nil
	}
	m := f.Moment
	s, err := h.read(m)
	if err != nil {
		return Change{}, false, unusable(err)
	}
	if !w.by(s.rev) {
		return Change{}, false, nil
	}
	var was *state
	if before, ok := h.before(h.past.Line(m.ID), m); ok {
		was = &before
	}
	c := h.told(s, was)
	if c.Title == "" && c.Topic == "" && w.Topic != "" {
		return c, false, nil // nothing is left that would tell the topic
	}
	return c, inScope(c.Topic, w.Topic), nil
}
