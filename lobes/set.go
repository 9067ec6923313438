package lobes

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"memory-mcp/textanalysis"
)

// A Set is the lobes of one process. It is safe for concurrent use. Making
// one opens nothing: a lobe is read at its first use, and one that cannot be
// read does not keep the others from serving.
type Set struct {
	o      Options
	lobes  []*Lobe // by name
	global *Lobe   // nil when there is none

	refused refusals
	came    chan struct{} // holds a token when material came that nobody has looked through

	background sync.WaitGroup // small work after a write
}

// NewSet returns the set of the given lobes. Names that clash, or that are
// reserved, are made unique as [UniqueNames] does.
func NewSet(specs []Spec, o Options) *Set {
	s := &Set{o: o.complete(), came: make(chan struct{}, 1)}
	for _, spec := range UniqueNames(specs) {
		l := newLobe(spec, &s.o)
		s.lobes = append(s.lobes, l)
		if spec.Global && s.global == nil {
			s.global = l
		}
	}
	slices.SortFunc(s.lobes, func(a, b *Lobe) int { return cmp.Compare(a.name, b.name) })
	return s
}

// Names are the names of all lobes, sorted.
func (s *Set) Names() []string {
	names := make([]string, 0, len(s.lobes))
	for _, l := range s.lobes {
		names = append(names, l.name)
	}
	return names
}

// Lobe returns the lobe of this name, in any case of letters.
func (s *Set) Lobe(name string) (*Lobe, error) {
	name = strings.TrimSpace(name)
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, l := range s.lobes {
			if same(l.name, name) {
				return l, nil
			}
		}
	}
	known := s.Names()
	return nil, &UnknownLobeError{Name: name, Known: known, Near: textanalysis.Nearest(name, known, 3)}
}

// Warm reads all lobes in the background, so that the first request finds
// them loaded. What fails shows in [Set.Diagnose].
func (s *Set) Warm(ctx context.Context) {
	for _, l := range s.lobes {
		s.o.Go("load "+l.name, func(context.Context) {
			if _, err := l.look(ctx); err != nil && ctx.Err() == nil {
				s.o.Logger.Warn("lobe is degraded", "lobe", l.name, "cause", err)
			}
		})
	}
}

// Mode tells how the set is: running, degraded when a lobe cannot be served
// in full, safe when none can be served at all. It speaks of what is known so
// far: a lobe that was never used counts as running.
func (s *Set) Mode() string {
	degraded, dead := 0, 0
	for _, l := range s.lobes {
		if h := l.health(); h.State != Running {
			degraded++
		}
		if l.failure() != nil {
			dead++
		}
	}
	switch {
	case dead == len(s.lobes):
		return Safe
	case degraded > 0:
		return Degraded
	}
	return Running
}

// Close ends the use of all lobes in order: edits from outside that wait to
// be written into the history are written, unless the set is read-only.
func (s *Set) Close(ctx context.Context) error {
	over := make(chan struct{})
	go func() {
		s.background.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
		return ctx.Err()
	}
	var errs []error
	for _, l := range s.lobes {
		if l.noted.Load() {
			l.remember(s.o.Home)
		}
		errs = append(errs, s.close(ctx, l))
	}
	return errors.Join(errs...)
}

// look reads the lobes side by side, as seen from the target's working trees.
// Lobes that cannot be served are left out and told. It is an error when the
// only lobe that was asked for is one of them (own is how many there are), or
// when there is no other.
func (s *Set) look(ctx context.Context, t Target, lobes []*Lobe, own int) ([]reading, []Health, error) {
	readings := make([]reading, len(lobes))
	failures := make([]error, len(lobes))
	var wait sync.WaitGroup
	for i, l := range lobes {
		wait.Go(func() {
			readings[i], failures[i] = l.look(ctx)
			readings[i].tree = s.tree(l, t)
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if !slices.Contains(failures, nil) && s.Mode() == Safe {
		return nil, nil, s.safeMode()
	}
	if own == 1 && failures[0] != nil {
		return nil, nil, failures[0]
	}
	degraded := []Health{}
	var ready []reading
	for i, l := range lobes {
		if failures[i] != nil {
			degraded = append(degraded, l.health())
			continue
		}
		ready = append(ready, readings[i])
	}
	if len(ready) == 0 && len(lobes) > 0 {
		return nil, nil, failures[0]
	}
	return ready, degraded, nil
}

// safeMode is the error of a set that can serve nothing.
func (s *Set) safeMode() error {
	e := &SafeModeError{}
	for _, l := range s.lobes {
		e.Lobes = append(e.Lobes, l.health())
	}
	return e
}

func (s *Set) writable(verb string) error {
	if s.o.ReadOnly {
		return &ReadOnlyError{Verb: verb}
	}
	return nil
}
