package app

import (
	"context"
	"errors"

	"memory-mcp/lobes"
	"memory-mcp/store"
)

// Returned is an entry that was put back, or whose absence became a deletion.
type Returned struct {
	ID   string `json:"id"`
	Lobe string `json:"lobe"`
	Path string `json:"path"` // absolute
}

// Restore puts back entries that were taken back. Without a named lobe each is
// looked for where a search would look.
func (a *App) Restore(ctx context.Context, by lobes.By, lobe string, ids []string) ([]Returned, error) {
	found, err := a.resolve(ctx, lobe, false)
	if err != nil {
		return nil, err
	}
	var all []Returned
	for _, id := range ids {
		back, err := restoreFrom(ctx, found, by, id)
		if err != nil {
			return all, err
		}
		all = append(all, back)
	}
	return all, nil
}

// restoreFrom puts one entry back into the first lobe that knows it.
func restoreFrom(ctx context.Context, found []*lobes.Lobe, by lobes.By, id string) (Returned, error) {
	searched := []string{}
	for _, l := range found {
		searched = append(searched, l.Name())
		s, err := store.Open(l.Dir(), store.Options{})
		if err != nil {
			return Returned{}, err
		}
		written, err := s.Restore(ctx, writer(by), id)
		err = errors.Join(err, s.Close())
		var unknown *store.UnknownIDError
		if errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return Returned{}, err
		}
		return returned(l, written)[0], nil
	}
	return Returned{}, &lobes.UnknownIDError{ID: id, Lobes: searched}
}

// RestoreVanished puts back all entries of a lobe whose files went at once.
func (a *App) RestoreVanished(ctx context.Context, by lobes.By, lobe string) ([]Returned, error) {
	return a.vanished(ctx, by, lobe, (*store.Store).RestoreVanished)
}

// ForgetVanished makes a deletion of the absence of all entries of a lobe
// whose files went at once.
func (a *App) ForgetVanished(ctx context.Context, by lobes.By, lobe string) ([]Returned, error) {
	return a.vanished(ctx, by, lobe, (*store.Store).ForgetVanished)
}

type vanishedVerb func(*store.Store, context.Context, store.By) ([]store.Written, error)

func (a *App) vanished(ctx context.Context, by lobes.By, lobe string, verb vanishedVerb) ([]Returned, error) {
	found, err := a.resolve(ctx, lobe, true)
	if err != nil {
		return nil, err
	}
	var all []Returned
	for _, l := range found {
		s, err := store.Open(l.Dir(), store.Options{})
		if err != nil {
			return all, err
		}
		written, err := verb(s, ctx, writer(by))
		if err = errors.Join(err, s.Close()); err != nil {
			return all, err
		}
		all = append(all, returned(l, written)...)
	}
	return all, nil
}

// resolve finds the lobes to act on, in a program that may write.
func (a *App) resolve(ctx context.Context, lobe string, one bool) ([]*lobes.Lobe, error) {
	if a.Facts().ReadOnly {
		return nil, &lobes.ReadOnlyError{Verb: "restore"}
	}
	set, err := a.Current(ctx)
	if err != nil {
		return nil, err
	}
	return set.Resolve(a.Target(lobe), one)
}

func writer(by lobes.By) store.By {
	return store.By{Actor: by.Actor, Session: by.Session, Role: by.Role}
}

func returned(l *lobes.Lobe, written []store.Written) []Returned {
	all := make([]Returned, 0, len(written))
	for _, w := range written {
		all = append(all, Returned{ID: w.ID, Lobe: l.Name(), Path: w.Path})
	}
	return all
}
