package lobes

import (
	"context"
	"errors"
	"sync"
	"time"

	"memory-mcp/store"
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
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for _, l := range s.lobes {
			if err := l.tend(ctx); err != nil && ctx.Err() == nil {
				s.o.Logger.Warn("edits from outside are not written down yet", "lobe", l.name, "cause", err)
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
		errs = append(errs, l.tend(ctx))
	}
	return errors.Join(errs...)
}

// tend settles a lobe that was used and can be served.
func (l *Lobe) tend(ctx context.Context) error {
	if !l.used.Load() {
		return nil
	}
	r, err := l.look(ctx)
	if err != nil {
		return err
	}
	return errors.Join(l.settle(ctx, r.store, false), l.keep(ctx))
}

func (l *Lobe) settle(ctx context.Context, s *store.Store, final bool) error {
	done, err := s.Settle(ctx, store.By{}, final)
	if err == nil {
		l.noteVanished(len(done.Vanished))
	}
	return err
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
