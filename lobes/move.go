package lobes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// move puts an entry where it belongs: under another topic, or into another
// lobe. It keeps its id, and its history goes with it.
func (s *Set) move(ctx context.Context, t Target, f *fix) error {
	topic := ""
	if strings.TrimSpace(f.ToTopic) != "" {
		var err error
		if topic, err = entry.ParseTopic(f.ToTopic); err != nil {
			return err
		}
	}
	r, err := s.holder(ctx, t, f.ID)
	if err != nil {
		return err
	}
	to := r.lobe
	if name := strings.TrimSpace(f.ToLobe); name != "" {
		if to, err = s.Lobe(name); err != nil {
			return err
		}
	}
	if to != r.lobe {
		target, err := to.look(ctx)
		if err != nil {
			return err
		}
		target.tree = s.tree(to, t)
		return s.moveAcross(ctx, r, target, topic, f)
	}
	if topic == "" {
		return &ValueError{Field: "toTopic", Why: "a move names a topic or another lobe"}
	}
	return r.commit(ctx, s, f, func(tx *store.Tx) error { return r.planTopic(tx, topic, f) })
}

// planTopic plans that an entry stands under another topic.
func (r reading) planTopic(tx *store.Tx, topic string, f *fix) error {
	h, ok := tx.View().ID(f.ID)
	if !ok {
		return &store.UnknownIDError{ID: f.ID, Dir: r.lobe.spec.Dir}
	}
	if f.Revision != "" {
		tx.Expect(f.ID, f.Revision)
	}
	f.tell(r, &h.Entry)
	f.out.Path, f.out.Revision = r.path(h), r.revision(h)
	f.out.From = &Location{Lobe: r.lobe.name, Topic: h.Entry.Topic, Path: r.path(h)}
	changed := underTopic(h.Entry, topic)
	f.tell(r, &changed)
	if entry.Equal(changed, h.Entry) {
		f.out.Action = "unchanged"
		return nil
	}
	if twin := titled(tx.View(), &changed); twin != "" {
		return &ValueError{Field: "toTopic", Value: topic, Why: fmt.Sprintf("entry %s of the topic has the title %q", twin, changed.Title)}
	}
	return tx.Move(entry.OpMove, f.ID, func(old entry.Entry) (entry.Entry, error) { return underTopic(old, topic), nil })
}

func underTopic(e entry.Entry, topic string) entry.Entry {
	if topic == "" || topic == e.Topic {
		return e
	}
	e.Topic = topic
	if topic != "recent-work" {
		e.Branch = ""
	}
	return e
}

// arrived begins the reason of the state with which an entry came from
// another lobe.
const arrived = "moved from "

// movedBack begins the reason of the state with which an entry left a lobe
// again, since its move there was undone.
const movedBack = "moved back to "

// leaves tells whether a state undoes the move that brought an entry.
func (h history) leaves(s state) bool {
	return s.rev.Op == entry.OpMove && s.rev.Gone() && strings.HasPrefix(s.rev.Reason, movedBack)
}

// arrived tells whether an entry came from another lobe with this change.
func (h history) arrived(d deed) bool {
	return d.rev.Op == entry.OpMove && !d.rev.Gone() && strings.HasPrefix(d.rev.Reason, arrived)
}

// cameFrom is the lobe that an entry came from, when that is the last of its
// changes that is not undone.
func (r reading) cameFrom(ctx context.Context, id string) (lobe string, ok bool, err error) {
	p, err := r.store.Past(ctx)
	if err != nil {
		return "", false, err
	}
	h := history{r, p}
	all, err := h.deeds(id)
	if err != nil || len(all) == 0 || !h.arrived(all[len(all)-1]) {
		return "", false, err
	}
	lobe, _, _ = strings.Cut(strings.TrimPrefix(all[len(all)-1].rev.Reason, arrived), ": ")
	return lobe, true, nil
}

// moveAcross moves an entry to another lobe. It is put there before it is
// taken away here: after a kill in between, moving it again completes it.
func (s *Set) moveAcross(ctx context.Context, r, to reading, topic string, f *fix) error {
	here, ok := r.view.ID(f.ID)
	if !ok {
		return &store.UnknownIDError{ID: f.ID, Dir: r.lobe.spec.Dir}
	}
	if f.Revision != "" && f.Revision != r.revision(here) {
		return &store.ConflictError{ID: f.ID, Want: f.Revision, Have: r.revision(here)}
	}
	chain, last, err := r.chainOf(ctx, f.ID)
	if err != nil {
		return err
	}
	e := underTopic(here.Entry, topic)
	if to.lobe.spec.Global && e.Origin == "" {
		e.Origin = r.lobe.name
	}
	f.tell(to, &e)
	f.out.From = &Location{Lobe: r.lobe.name, Topic: here.Entry.Topic, Path: r.path(here)}
	reason := withReason(arrived+r.lobe.name, f.Reason)
	put := *f
	put.Reason = reason
	err = to.commit(ctx, s, &put, func(tx *store.Tx) error {
		if h, there := tx.View().ID(f.ID); there {
			if h.Hash == here.Hash || entry.Equal(h.Entry, e) {
				return nil // it was put there before
			}
			return &store.ExistsError{ID: f.ID, Path: to.path(h)}
		}
		if twin := titled(tx.View(), &e); twin != "" {
			return &ValueError{Field: "toLobe", Value: to.lobe.name, Why: fmt.Sprintf("its entry %s has the topic and the title %q", twin, e.Title)}
		}
		if err := tx.Bring(f.ID, chain...); err != nil {
			return err
		}
		return tx.PutFile(entry.OpMove, e, last.Head)
	})
	f.out, f.warnings = put.out, put.warnings
	if err != nil || f.Preview {
		return err
	}
	_, err = r.store.Write(ctx, f.by.store(withReason("moved to "+to.lobe.name, f.Reason)), func(tx *store.Tx) error {
		return tx.Retract(f.ID, entry.OpMove, to.lobe.name)
	})
	return err
}

func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}

// chainOf is the whole history of an entry as another lobe may take it over,
// what it brought itself first, and the last state of it.
func (r reading) chainOf(ctx context.Context, id string) (chain []entry.Revision, last entry.Revision, err error) {
	err = settled(func() error {
		p, err := r.store.Past(ctx)
		if err != nil {
			return err
		}
		chain = nil
		for _, m := range slices.Concat(p.Brought(id), p.Line(id)) {
			rev, err := p.Read(m)
			if err = unusable(err); err != nil {
				return err
			}
			if rev.ID != "" {
				chain = append(chain, rev)
			}
		}
		return nil
	})
	if err == nil && len(chain) == 0 {
		err = &store.UnknownIDError{ID: id, Dir: r.lobe.spec.Dir}
	}
	if err != nil {
		return nil, entry.Revision{}, err
	}
	return chain, chain[len(chain)-1], nil
}

// moveBack undoes a move: the entry is again in the lobe that it came from,
// with the bytes that it had there.
func (s *Set) moveBack(ctx context.Context, r reading, from string, f *fix) error {
	l, err := s.Lobe(from)
	if err != nil {
		return err
	}
	home, err := l.look(ctx)
	if err != nil {
		return err
	}
	here, ok := r.view.ID(f.ID)
	if !ok {
		return &store.UnknownIDError{ID: f.ID, Dir: r.lobe.spec.Dir}
	}
	f.tell(home, &here.Entry)
	f.out.From = &Location{Lobe: r.lobe.name, Topic: here.Entry.Topic, Path: r.path(here)}
	err = home.commit(ctx, s, f, func(tx *store.Tx) error {
		p, err := tx.Past()
		if err != nil {
			return err
		}
		h := history{home, p}
		all, err := h.deeds(f.ID)
		if err != nil {
			return err
		}
		if n := len(all); n == 0 || !all[n-1].rev.Gone() || all[n-1].rev.Op != entry.OpMove {
			return &NothingToUndoError{ID: f.ID, Lobe: home.lobe.name}
		}
		f.out.Undone = []Undone{}
		if n := len(all); n > 1 {
			f.out.Topic = all[n-2].is.Topic
		}
		return h.goBack(tx, f, all, len(all)-1)
	})
	if err != nil || f.Preview {
		return err
	}
	f.out.Path = f.out.Undone[0].Path
	_, err = r.store.Write(ctx, f.by.store(withReason(movedBack+home.lobe.name, f.Reason)), func(tx *store.Tx) error {
		return tx.Retract(f.ID, entry.OpMove, home.lobe.name)
	})
	return err
}

// bringBack restores an entry that was taken back.
func (s *Set) bringBack(ctx context.Context, t Target, f *fix) error {
	if f.ID == "" {
		return &ValueError{Field: "id", Why: "it is empty"}
	}
	r, err := s.knower(ctx, t, f.ID)
	if err != nil {
		return err
	}
	if h, there := r.view.ID(f.ID); there {
		return &store.ExistsError{ID: f.ID, Path: r.path(h)}
	}
	p, err := r.store.Past(ctx)
	if err != nil {
		return err
	}
	h := history{r, p}
	if what, to := h.stateOf(f.ID); what == StateMoved {
		return &MovedError{ID: f.ID, Lobe: r.lobe.name, To: to}
	}
	was, ok := h.last(f.ID)
	if !ok {
		return s.unknownID(ctx, f.ID, []reading{r})
	}
	if m, ok := h.blankEnd(f.ID); ok {
		return &store.BlankError{ID: f.ID, Recorded: m.Recorded}
	}
	f.tell(r, &was.is)
	f.out.Path = h.abs(was.path)
	if f.Preview {
		f.out.Preview = true
		return nil
	}
	written, err := r.store.Restore(ctx, f.by.store(withReason("restored", f.Reason)), f.ID)
	for _, w := range written {
		f.out.Path, f.out.Revision = w.Path, w.Revision
		r.lobe.written.Store(true)
	}
	var unknown *store.UnknownIDError
	if errors.As(err, &unknown) {
		return s.unknownID(ctx, f.ID, []reading{r})
	}
	return err
}
