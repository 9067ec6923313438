package ops

import (
	"context"
	"errors"
	"slices"

	"memory-mcp/lobes"
)

// Memory is what operations ask of the lobes. [*lobes.Set] is one.
type Memory interface {
	Mode() string
	Names() []string
	Remember(context.Context, lobes.By, lobes.Target, []lobes.Note) (lobes.Remembered, error)
	Record(context.Context, lobes.By, lobes.Target, lobes.Material) (lobes.Recorded, error)
	Feedback(context.Context, lobes.By, lobes.Target, lobes.Feedback) (lobes.GivenFeedback, error)
	Recall(context.Context, lobes.Target, lobes.Query) (lobes.Answer, error)
	Brief(context.Context, lobes.Target) (lobes.Briefing, error)
	Correct(context.Context, lobes.By, lobes.Target, lobes.Correction) (lobes.Corrected, error)
	Why(context.Context, lobes.Target, string) (lobes.Chain, error)
	Diff(context.Context, lobes.Target, lobes.Window) (lobes.Differences, error)
	Timeline(context.Context, lobes.Target, lobes.Window) (lobes.Timeline, error)
	Forget(context.Context, lobes.By, lobes.Target, lobes.Forgetting) (lobes.Forgotten, error)
	Bootstrap(context.Context, lobes.By, lobes.Target, lobes.BootstrapOptions) (lobes.Bootstrapped, error)
	List(context.Context, lobes.Target) []lobes.LobeInfo
	Stats(context.Context, lobes.Target) ([]lobes.LobeStats, error)
	Diagnose(context.Context) lobes.Diagnosis
}

// target says which lobe a call speaks to.
func (e *Env) target(lobe string, paths ...[]string) lobes.Target {
	t := lobes.Target{Lobe: lobe, Dirs: slices.Clone(e.Dirs)}
	if e.Cwd != "" {
		t.Dirs = append(t.Dirs, e.Cwd)
	}
	for _, p := range paths {
		t.Paths = append(t.Paths, p...)
	}
	return t
}

// on runs a verb of the lobes. When nothing told which lobe the call speaks
// to, the client is asked for its roots, and the verb runs once more.
func on[T any](ctx context.Context, e *Env, t lobes.Target, verb func(Memory, lobes.Target) (T, error)) (T, error) {
	m, err := e.Current(ctx)
	if err != nil {
		var none T
		return none, err
	}
	got, err := verb(m, t)
	if t.Lobe != "" || e.Roots == nil || !undecided(got, err) {
		return got, err
	}
	roots, ok := e.Roots(ctx)
	if !ok {
		return got, err
	}
	if e.Bind != nil {
		e.Bind(roots)
	}
	if m, err = e.Current(ctx); err != nil {
		return got, err
	}
	t.Roots = roots
	return verb(m, t)
}

// undecided tells whether a verb did not know which lobe was meant: it said
// so, or it looked at no lobe but the person's own.
func undecided(got any, err error) bool {
	if err != nil {
		var several *lobes.AmbiguousError
		var none *lobes.NoLobeError
		return errors.As(err, &several) || errors.As(err, &none)
	}
	switch got := got.(type) {
	case lobes.Answer:
		return onlyGlobal(got.Lobes)
	case lobes.Briefing:
		return onlyGlobal(got.Lobes)
	}
	return false
}

// globalLobe is the reserved name of the person's own store.
const globalLobe = "global"

func onlyGlobal(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return n != globalLobe })
}
