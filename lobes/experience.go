package lobes

import (
	"context"
	"slices"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// tellWaiting has texts written for the experiences that wait for one.
func (t *tidying) tellWaiting(ctx context.Context) error {
	if t.set.o.Summarizer == nil {
		return nil
	}
	var waiting []*store.Head
	for h := range t.view.Heads() {
		if h.Broken == nil && h.Copy == "" && h.Entry.Kind == "experience" && h.Entry.Status == "pending" && made(&h.Entry) {
			waiting = append(waiting, h)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	settled, err := t.settledGroups(ctx)
	if err != nil {
		return err
	}
	for _, h := range waiting {
		if t.asked >= t.some(mostTold) || t.done.Stopped != "" || ctx.Err() != nil {
			return nil
		}
		if err := t.tellExperience(ctx, h, settled); err != nil {
			return err
		}
	}
	return nil
}

// tellExperience has the text of one experience written anew, of the members
// that are left.
func (t *tidying) tellExperience(ctx context.Context, h *store.Head, known map[string]bool) error {
	g := &group{kind: "experience"}
	sources := map[string]bool{}
	for _, origin := range h.Entry.DerivedFrom {
		id, _ := derivedAt(origin)
		head, ok := t.view.ID(id)
		if !ok || head.Broken != nil || t.kindOfGroup(head) != g.kind {
			continue
		}
		m, err := t.member(head)
		if err != nil {
			return err
		}
		g.members = append(g.members, m)
		sources[m.source] = true
	}
	if len(g.members) < leastMembers || len(sources) < leastSources {
		return t.giveUp(ctx, h, "too few of the episodes are left that it was made of")
	}
	slices.SortFunc(g.members, byID)
	if known[g.key()] {
		return t.giveUp(ctx, h, "no model could tell it")
	}
	got, outcome, err := t.ask(ctx, g)
	switch {
	case err != nil || outcome == unfounded:
		return err
	case outcome == settledNow:
		return t.giveUp(ctx, h, "no model could tell it")
	}
	d, err := t.draftOf(g, got)
	if err != nil {
		return err
	}
	if d == nil {
		return t.giveUp(ctx, h, "its text is refused")
	}
	return t.rewrite(ctx, g, h, d)
}

// rewrite gives an experience its text. It has to prove itself, whatever it was
// before.
func (t *tidying) rewrite(ctx context.Context, g *group, h *store.Head, d *draft) error {
	done, err := t.store.Write(ctx, t.by.store(TidySource), func(tx *store.Tx) error {
		now, there := tx.View().ID(h.Entry.ID)
		if !there || now.Hash != h.Hash || !g.holds(tx.View()) {
			return nil
		}
		return tx.Update(entry.OpReplace, h.Entry.ID, func(e entry.Entry) (entry.Entry, error) {
			n := d.entry
			e.Title, e.Body, e.Quote, e.Status = n.Title, n.Body, n.Quote, n.Status
			e.Conditions, e.Sources, e.DerivedFrom, e.Pins = n.Conditions, n.Sources, n.DerivedFrom, n.Pins
			return e, nil
		})
	})
	if err != nil || len(done) == 0 {
		return err
	}
	out := t.stored(t.by, d, &d.entry, "replaced")
	out.ID, out.Path, out.Revision = h.Entry.ID, done[0].Path, done[0].Revision
	t.done.Experiences = append(t.done.Experiences, out)
	return t.renew(ctx)
}

// giveUp takes an experience back that never had a text; one that had is put
// before a person.
func (t *tidying) giveUp(ctx context.Context, h *store.Head, why string) error {
	done, err := t.store.Write(ctx, t.by.store(TidySource+": "+why), func(tx *store.Tx) error {
		now, there := tx.View().ID(h.Entry.ID)
		switch {
		case !there || now.Hash != h.Hash:
			return nil
		case now.Entry.Body == waitingText:
			return tx.Remove(h.Entry.ID)
		}
		return tx.Update(entry.OpEdit, h.Entry.ID, func(e entry.Entry) (entry.Entry, error) {
			e.Status = "review"
			return e, nil
		})
	})
	if err != nil || len(done) == 0 {
		return err
	}
	if h.Entry.Body != waitingText {
		t.done.Review = append(t.done.Review, h.Entry.ID)
	}
	return t.renew(ctx)
}
