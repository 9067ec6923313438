package lobes

import (
	"context"
	"errors"
	"strings"

	"memory-mcp/store"
)

// Returned is an entry that was put back, or whose absence became a deletion.
type Returned struct {
	ID   string `json:"id"`
	Lobe string `json:"lobe"`
	Path string `json:"path"` // absolute
}

// Restore puts back entries that were taken back, each into the first lobe of
// the target that knows it. With an error it tells what was put back before.
func (s *Set) Restore(ctx context.Context, by By, t Target, ids ...string) ([]Returned, error) {
	back := []Returned{}
	if err := s.writable("restore"); err != nil {
		return back, err
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return back, err
	}
	readings, _, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return back, err
	}
	for _, id := range ids {
		one, err := s.restore(ctx, by, readings, strings.TrimSpace(id))
		back = append(back, one...)
		if err != nil {
			return back, err
		}
	}
	return back, nil
}

func (s *Set) restore(ctx context.Context, by By, readings []reading, id string) ([]Returned, error) {
	var moved error
	for _, r := range readings {
		p, err := r.store.Past(ctx)
		if err != nil {
			return nil, err
		}
		h := history{r, p}
		switch what, to := h.stateOf(id); what {
		case StateUnknown:
			continue
		case StateMoved:
			moved = &MovedError{ID: id, Lobe: r.lobe.name, To: to}
			continue
		}
		written, err := r.store.Restore(ctx, by.store("restored"), id)
		var unknown *store.UnknownIDError
		if errors.As(err, &unknown) && !unknown.Erased {
			continue
		}
		return r.returned(written), err
	}
	if moved != nil {
		return nil, moved
	}
	return nil, s.unknownID(ctx, id, readings)
}

// RestoreVanished puts back all entries of a lobe whose files went at once.
func (s *Set) RestoreVanished(ctx context.Context, by By, t Target) ([]Returned, error) {
	return s.vanishing(ctx, t, func(r reading) ([]store.Written, error) {
		return r.store.RestoreVanished(ctx, by.store("restored after its file vanished"))
	})
}

// ForgetVanished makes deletions of the absence of all entries of a lobe whose
// files went at once.
func (s *Set) ForgetVanished(ctx context.Context, by By, t Target) ([]Returned, error) {
	return s.vanishing(ctx, t, func(r reading) ([]store.Written, error) {
		written, err := r.store.ForgetVanished(ctx, by.store("its file vanished, and that was meant"))
		ids := make([]string, 0, len(written))
		for _, w := range written {
			ids = append(ids, w.ID)
		}
		s.refuseDeleted(r.lobe, r.store, ids)
		return written, err
	})
}

func (s *Set) vanishing(ctx context.Context, t Target, act func(reading) ([]store.Written, error)) ([]Returned, error) {
	if err := s.writable("restore"); err != nil {
		return []Returned{}, err
	}
	lobes, err := s.Resolve(t, true)
	if err != nil {
		return []Returned{}, err
	}
	r, err := lobes[0].look(ctx)
	if err != nil {
		return []Returned{}, err
	}
	written, err := act(r)
	return r.returned(written), errors.Join(err, r.lookForVanished(ctx))
}

func (r reading) returned(written []store.Written) []Returned {
	back := []Returned{}
	for _, w := range written {
		back = append(back, Returned{ID: w.ID, Lobe: r.lobe.name, Path: w.Path})
		r.lobe.written.Store(true)
	}
	return back
}
