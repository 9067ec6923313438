package lobes

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// lookEvery is the time between two looks for edits from outside, as a share
// of the time that they must rest.
const lookEvery = 2

// Run writes edits from outside into the history once they rest, until ctx
// ends. Only lobes that were used are looked at. A read-only set has nothing
// to do. It is meant to run beside the requests; nothing depends on it but how
// soon an edit is history.
func (s *Set) Run(ctx context.Context) error {
	if s.o.ReadOnly {
		return nil
	}
	tick := time.NewTicker(s.o.Settle / lookEvery)
	defer tick.Stop()
	var beside sync.WaitGroup
	defer beside.Wait()
	if s.o.Embedder != nil {
		beside.Go(func() { s.embed(ctx) })
	}
	works := s.o.Extractor != nil || s.o.Transcriber != nil || s.thinks()
	if works {
		beside.Go(func() { s.work(ctx) })
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for _, l := range s.lobes {
			if err := s.tend(ctx, l); err != nil && ctx.Err() == nil {
				s.o.Logger.Warn("edits from outside are not written down yet", "lobe", l.name, "cause", err)
			}
			if !works && l.used.Load() {
				s.tidyUp(ctx, l) // without a model what was made of others is still set aside
			}
		}
	}
}

// Settle looks for edits from outside once, in every lobe that was used.
func (s *Set) Settle(ctx context.Context) error {
	if err := s.writable("settle"); err != nil {
		return err
	}
	var errs []error
	for _, l := range s.lobes {
		errs = append(errs, s.tend(ctx, l))
	}
	return errors.Join(errs...)
}

// tend settles a lobe that was used and can be served.
func (s *Set) tend(ctx context.Context, l *Lobe) error {
	if !l.used.Load() {
		return nil
	}
	r, err := l.look(ctx)
	if err != nil {
		return err
	}
	return errors.Join(s.settle(ctx, l, r.store, false), l.keep(ctx))
}

func (s *Set) settle(ctx context.Context, l *Lobe, in *store.Store, final bool) error {
	done, err := in.Settle(ctx, store.By{}, final)
	s.refuseDeleted(l, in, done.Retracted)
	if err == nil {
		l.noteVanished(len(done.Vanished))
	}
	return err
}

// refuseDeleted remembers the texts of entries whose files a person deleted:
// no program stores them again.
func (s *Set) refuseDeleted(l *Lobe, in *store.Store, ids []string) {
	var texts []string
	for _, id := range ids {
		revs, err := in.Revisions(id)
		if err != nil {
			s.o.Logger.Warn("what was deleted may be stored again", "id", id, "cause", err)
			continue
		}
		for _, rev := range slices.Backward(revs) {
			if e, err := entry.Parse(rev.Head); err == nil && !rev.Gone() {
				texts = append(texts, e.Body)
				break
			}
		}
	}
	s.refuseOrWarn(Retracted, l, texts...)
}

// noteVanished marks the lobe as degraded while so many entries are gone at
// once that nobody can have meant it.
func (l *Lobe) noteVanished(count int) {
	if count == 0 {
		l.vanished.Store(nil)
		return
	}
	l.vanished.Store(&Vanished{Lobe: l.name, Dir: l.spec.Dir, Count: count})
}

// lookForVanished asks the history, which a process that has just begun knows
// nothing of.
func (r reading) lookForVanished(ctx context.Context) error {
	gone, err := r.store.Vanished(ctx)
	if err == nil {
		r.lobe.noteVanished(len(gone))
	}
	return err
}
