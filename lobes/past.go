package lobes

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
)

// pastTries is how often a question about the past is asked anew because a
// file changed while it was answered.
const pastTries = 3

// settled asks again when a file changed in the middle of the answer.
func settled(ask func() error) error {
	for try := 1; ; try++ {
		err := ask()
		if !errors.Is(err, store.ErrChanged) || try == pastTries {
			return err
		}
	}
}

// notLater refuses a time that has not come yet.
func notLater(field string, at, now time.Time) error {
	if at.After(now) {
		return &ValueError{Field: field, Value: at.UTC().Format(time.RFC3339), Why: "it lies in the future"}
	}
	return nil
}

// when settles the two times of a query.
func (q *Query) when(now time.Time) error {
	if err := notLater("asOf", q.AsOf, now); err != nil {
		return err
	}
	if q.At.IsZero() {
		q.At = q.AsOf
	}
	if q.At.IsZero() {
		q.At = now
	}
	return nil
}

// asked is the time whose belief the query asks for.
func (q Query) asked(now time.Time) time.Time {
	if q.AsOf.IsZero() {
		return now.UTC()
	}
	return q.AsOf.UTC()
}

// asOf turns readings of the present into readings of what was believed at a
// time: everything that can be asked of the one can be asked of the other.
func (s *Set) asOf(ctx context.Context, readings []reading, at time.Time) ([]reading, error) {
	if at.IsZero() {
		return readings, nil
	}
	then := make([]reading, len(readings))
	for i, r := range readings {
		err := settled(func() (err error) {
			then[i], err = r.asOf(ctx, at)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return then, nil
}

func (r reading) asOf(ctx context.Context, at time.Time) (reading, error) {
	p, err := r.store.Past(ctx)
	if err != nil {
		return reading{}, err
	}
	then := r
	then.old, then.then = p, at
	// The files say today what they say today: an entry of the past is not
	// judged by them.
	then.tree.root = ""
	// Vectors are of what is believed now: they would find what nobody knew.
	then.vectors = nil
	// The present is what the files say, which need not be what the last change
	// left: a file that somebody took away is no change yet.
	present := !at.Before(p.Now())
	if known, ok := r.lobe.pasts.find(p, at); ok && !present {
		then.view, then.index, then.erased = known.view, known.index, known.erased
		return then, nil
	}
	known, err := r.lobe.recallPast(ctx, p, at)
	if err != nil {
		return reading{}, err
	}
	if !present {
		r.lobe.pasts.keep(known)
	}
	then.view, then.index, then.erased = known.view, known.index, known.erased
	return then, nil
}

// An era is what a lobe believed from one change to the next, ready to be
// searched.
type era struct {
	past     *store.Past
	from, to time.Time // to is zero when nothing has changed since
	view     *store.View
	index    *index.Index
	erased   int // ids of which it is not known what they were
}

// eras are the few that were asked for last.
type eras struct {
	mu   sync.Mutex
	kept []era // the last one first
}

const mostEras = 4

func (e *eras) find(p *store.Past, at time.Time) (era, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = slices.DeleteFunc(e.kept, func(k era) bool { return !k.past.Same(p) })
	for i, k := range e.kept {
		if !at.Before(k.from) && (k.to.IsZero() || at.Before(k.to)) {
			copy(e.kept[1:i+1], e.kept[:i])
			e.kept[0] = k
			return k, true
		}
	}
	return era{}, false
}

func (e *eras) keep(k era) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = slices.Insert(e.kept, 0, k)
	e.kept = slices.Delete(e.kept, min(len(e.kept), mostEras), len(e.kept))
}

// recallPast works out an era.
func (l *Lobe) recallPast(ctx context.Context, p *store.Past, at time.Time) (era, error) {
	view, err := p.At(ctx, at)
	if err != nil {
		return era{}, err
	}
	k := era{past: p, view: view, erased: p.Erased(at)}
	k.from, k.to = p.Around(at)
	if k.index, err = l.fork(ctx, view); err != nil {
		return era{}, err
	}
	return k, nil
}

// fork gives an index of another view of the lobe.
func (l *Lobe) fork(ctx context.Context, view *store.View) (*index.Index, error) {
	select {
	case <-l.gate:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { l.gate <- struct{}{} }()
	delta := view.Since(l.view)
	return l.index.Fork(refs(delta.Changed), delta.Gone), nil
}

// written is the state of history that a head of this reading is in; false when
// it is in none yet.
func (r reading) written(h *store.Head) (entry.Revision, bool, error) {
	if r.old == nil {
		return r.store.Written(h)
	}
	m, ok := r.old.Believed(h.Entry.ID, r.then)
	if !ok || m.Pending {
		return entry.Revision{}, false, nil
	}
	rev, err := r.old.Read(m)
	return rev, err == nil, err
}
