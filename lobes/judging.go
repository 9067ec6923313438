package lobes

import (
	"context"
	"slices"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// mostRivals is how many memories a judge compares one with.
const mostRivals = 5

// judgePairs puts before the judge which memories of one topic contradict each
// other. It can only set aside: of two that cannot both hold each waits for a
// person, and an older value gives its place to the newer one. A person's word
// stays as it is. When the judge fails, nothing follows.
func (t *tidying) judgePairs(ctx context.Context) error {
	if t.set.o.Judge == nil {
		return nil
	}
	seeds := t.seeds("pair", t.set.o.Judge.Name())
	for i, seed := range seeds.all {
		if t.enough(i) || t.judged >= t.some(mostJudged) || t.judgeFailed || ctx.Err() != nil {
			return nil
		}
		if t.kindOfGroup(seed) != "summary" {
			continue
		}
		if err := t.judgeSeed(ctx, seed); err != nil {
			return err
		}
		if t.judged < t.some(mostJudged) && !t.judgeFailed {
			t.lobe.sown.add("pair", seed.Entry.ID, seed.Hash)
		} else {
			seeds.left = true
		}
	}
	return t.sow(seeds)
}

func (t *tidying) judgeSeed(ctx context.Context, seed *store.Head) error {
	e := &seed.Entry
	if now, ok := t.view.ID(e.ID); !ok || now.Hash != seed.Hash {
		return nil // it was set aside meanwhile
	}
	keep := func(d *index.Doc) bool {
		h := headOf(d)
		return h.Entry.ID != e.ID && h.Entry.Topic == e.Topic && t.kindOfGroup(h) == "summary"
	}
	for _, x := range t.index.Similar(e.Title, e.Body, keep, textanalysis.DuplicateThreshold, mostRivals) {
		h, ok := t.view.Path(x.Key)
		if !ok || t.judged >= t.some(mostJudged) || t.judgeFailed {
			continue
		}
		relation, known := t.relation(ctx, seed, h)
		if !known || relation != RelationConflict && relation != RelationNewer {
			continue
		}
		return t.follow(ctx, relation, seed, h)
	}
	return nil
}

// pairKey names a question to the judge about two memories in their states.
func (t *tidying) pairKey(what string, a, b *store.Head) (key string, ids []string) {
	sides := []string{a.Entry.ID + "@" + a.Hash, b.Entry.ID + "@" + b.Hash}
	slices.Sort(sides)
	return questionKey(what+" "+t.set.o.Judge.Name(), sides), []string{a.Entry.ID, b.Entry.ID}
}

// relation asks how two memories stand to each other, once. What changes
// nothing is remembered.
func (t *tidying) relation(ctx context.Context, a, b *store.Head) (Relation, bool) {
	key, ids := t.pairKey("relation", a, b)
	if t.log.count[key] > 0 {
		return RelationNone, true
	}
	t.judged++
	got, err := t.set.o.Judge.Relation(ctx, t.side(a), t.side(b))
	if err == nil {
		err = t.log.add(key, ids)
	}
	return got, t.heard(err)
}

// sameProcedure asks whether two episodes are of one procedure; by the rule of
// this program without a judge, or when it fails. It is not known when there is
// no room for the question.
func (t *tidying) sameProcedure(ctx context.Context, a, b *store.Head) (yes, known bool) {
	rule := sameProcedure(a, b)
	if t.set.o.Judge == nil || rule || !sameConditions(&a.Entry, &b.Entry) {
		return rule, true
	}
	key, ids := t.pairKey("procedure", a, b)
	switch {
	case t.log.count[key+"+"] > 0:
		return true, true
	case t.log.count[key+"-"] > 0:
		return false, true
	case t.judged >= t.some(mostJudged) || t.judgeFailed:
		return rule, false
	}
	t.judged++
	got, err := t.set.o.Judge.SameProcedure(ctx, t.side(a), t.side(b))
	if err == nil {
		err = t.log.add(key+map[bool]string{true: "+", false: "-"}[got], ids)
	}
	if !t.heard(err) {
		return rule, false
	}
	return got, true
}

// heard notes that the judge cannot be asked in this round.
func (t *tidying) heard(err error) bool {
	if err != nil {
		t.judgeFailed = true
		t.lobe.o.Logger.Warn("the judge could not be asked: the rules hold alone", "lobe", t.lobe.name, "cause", err)
	}
	return err == nil
}

func (t *tidying) side(h *store.Head) JudgedSide {
	e := &h.Entry
	return JudgedSide{ID: e.ID, Revision: h.Hash, Text: memberText(e), Conditions: e.Conditions, Created: e.Created, Project: t.lobe.name}
}

// follow does what a relation calls for.
func (t *tidying) follow(ctx context.Context, relation Relation, a, b *store.Head) error {
	status, aside := "review", []*store.Head{a, b}
	op := entry.OpEdit
	if relation == RelationNewer {
		older := a
		if b.Entry.Created.Before(a.Entry.Created) {
			older = b
		}
		status, aside, op = "superseded", []*store.Head{older}, entry.OpSupersede
	}
	aside = slices.DeleteFunc(aside, func(h *store.Head) bool { return personal(&h.Entry) })
	if len(aside) == 0 {
		return nil
	}
	by := t.by
	by.Actor = "judge " + t.set.o.Judge.Name()
	other := map[string]string{a.Entry.ID: b.Entry.ID, b.Entry.ID: a.Entry.ID}
	done, err := t.store.Write(ctx, by.store(TidySource), func(tx *store.Tx) error {
		for _, h := range []*store.Head{a, b} {
			if now, there := tx.View().ID(h.Entry.ID); !there || now.Hash != h.Hash {
				return nil
			}
		}
		for _, h := range aside {
			id := h.Entry.ID
			tx.Note(map[string]string{"review": "it contradicts ", "superseded": "a newer value is in "}[status] + other[id])
			err := tx.Update(op, id, func(e entry.Entry) (entry.Entry, error) {
				e.Status = status
				return e, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, w := range done {
		if status == "review" {
			t.done.Review = append(t.done.Review, w.ID)
		} else {
			t.done.Superseded = append(t.done.Superseded, w.ID)
		}
	}
	return t.renew(ctx)
}
