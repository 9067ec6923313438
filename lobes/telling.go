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

// waitingText is the text of an experience that has none yet.
const waitingText = "It waits for its text."

// The fields of a record of a group that came to nothing.
const (
	statesField = "states"
	formField   = "form" // summary or experience
	modelField  = "model"
)

// tellGroups looks for memories that belong together, and has summaries written
// of them. Of episodes an experience is noted first, and waits for its text
// where nobody sees it.
func (t *tidying) tellGroups(ctx context.Context) error {
	if t.set.o.Summarizer == nil || t.lobe.spec.Global {
		return nil
	}
	settled, err := t.settledGroups(ctx)
	if err != nil {
		return err
	}
	taken := t.taken()
	seeds := t.seeds("group", t.set.o.Summarizer.Name())
	for i, seed := range seeds.all {
		if t.enough(i) || t.asked >= t.some(mostTold) || t.done.Stopped != "" || ctx.Err() != nil {
			return nil
		}
		kind := t.kindOfGroup(seed)
		g, sure, err := t.groupFrom(ctx, seed, kind, taken)
		if err != nil {
			return err
		}
		again := false
		if g != nil && !settled[g.key()] {
			if again, err = t.make(ctx, g); err != nil {
				return err
			}
			for _, id := range g.ids() {
				taken[kind+" "+id] = true
			}
		}
		if sure && !again {
			t.lobe.sown.add("group", seed.Entry.ID, seed.Hash)
		} else {
			seeds.left = true
		}
	}
	return t.sow(seeds)
}

// settledGroups are the groups that a model would not tell, or could not.
func (t *tidying) settledGroups(ctx context.Context) (map[string]bool, error) {
	all, err := t.store.Records(ctx, store.RecordFilter{Kinds: []string{entry.RecordDeclined, entry.RecordFailed}})
	if err != nil {
		return nil, err
	}
	settled := map[string]bool{}
	for _, r := range all {
		states := strings.Fields(r.Fields[statesField])
		if len(states) != len(r.Entries) || len(states) == 0 {
			continue
		}
		for i, id := range r.Entries {
			states[i] = id + "@" + states[i]
		}
		settled[questionKey(r.Fields[formField], states)] = true
	}
	return settled, nil
}

// groupFrom finds the group of a seed. It is not sure of the answer when the
// judge could not be asked about all.
func (t *tidying) groupFrom(ctx context.Context, seed *store.Head, kind string, taken map[string]bool) (g *group, sure bool, err error) {
	sure = true
	same := func(a, b *store.Head) bool {
		yes, known := t.sameProcedure(ctx, a, b)
		sure = sure && known
		return yes
	}
	g, err = t.groupOf(seed, kind, taken, same)
	return g, sure, err
}

// make writes what is made of a group. It tells whether to try once more.
func (t *tidying) make(ctx context.Context, g *group) (again bool, err error) {
	if g.kind == "experience" {
		return false, t.note(ctx, g)
	}
	got, outcome, err := t.ask(ctx, g)
	if err != nil || outcome != told {
		return outcome == unfounded, err
	}
	d, err := t.draftOf(g, got)
	if err != nil || d == nil {
		return false, err
	}
	stored, err := t.put(ctx, g, d)
	if stored != nil {
		t.done.Summaries = append(t.done.Summaries, *stored)
	}
	return false, err
}

// A reply is what became of a question.
type reply int

const (
	told       reply = iota
	unfounded        // and it may be asked again
	settledNow       // it declined, or was asked often enough
)

// ask has a group told as one. That a model declines, or cannot do it, is
// written down, so that it is not asked again about the same states.
func (t *tidying) ask(ctx context.Context, g *group) (Summarized, reply, error) {
	t.asked++
	t.by.Actor = t.set.o.Summarizer.Name()
	got, err := t.set.o.Summarizer.Summarize(ctx, g.kind, g.told())
	var declined *DeclinedError
	var bad *UnfoundedError
	switch {
	case err == nil:
		return got, told, nil
	case errors.As(err, &declined):
		t.done.Declined++
		return got, settledNow, t.settle(ctx, g, entry.RecordDeclined, "")
	case errors.As(err, &bad):
		if err := t.log.add(g.key(), g.ids()); err != nil {
			return got, unfounded, err
		}
		if t.log.count[g.key()] < mostAttempts {
			return got, unfounded, nil
		}
		t.done.Failed++
		return got, settledNow, t.settle(ctx, g, entry.RecordFailed, bad.What)
	case ctx.Err() != nil:
		return got, unfounded, ctx.Err()
	}
	t.done.Stopped = err.Error()
	return got, unfounded, nil
}

// settle writes down that a group in these states came to nothing.
func (t *tidying) settle(ctx context.Context, g *group, kind, why string) error {
	return t.store.Record(ctx, t.by.store(""), entry.Record{
		Kind: kind, Entries: g.ids(), Text: why,
		Fields: map[string]string{statesField: strings.Join(g.states(), " "), formField: g.kind, modelField: t.by.Actor},
	})
}

// draftOf is what was written of a group as a memory that is not sure; nil when
// it was taken back before.
func (t *tidying) draftOf(g *group, got Summarized) (*draft, error) {
	first := &g.members[0].head.Entry
	n := Note{
		Topic: first.Topic, Title: got.Title, Text: got.Body, Kind: g.kind, Trust: string(entry.AgentInferred), Durability: "reusable", Scope: "project",
		StoreAnyway: true, Conditions: g.conditions(), Quote: g.quotes(got.Quotes),
	}
	for _, m := range g.members {
		n.Sources = union(n.Sources, m.head.Entry.Sources)
	}
	var clean cleaner
	d, err := drafter{now: t.set.o.Now(), by: t.by}.draft(n, &clean)
	var value *ValueError
	var text *TextError
	if errors.As(err, &value) || errors.As(err, &text) {
		return nil, nil // a model's slip is no error of the lobe
	}
	if err != nil {
		return nil, err
	}
	d.lobe, d.entry.DerivedFrom = t.lobe, g.origins()
	if d.entry.Status == "" {
		d.entry.Status = "candidate"
	}
	if t.set.refusedOf(t.by, t.lobe, d.entry.Body) != "" {
		return nil, nil
	}
	t.complete(d)
	return d, nil
}

// conditions are those of all members; where they differ, each is told with the
// member that it is of.
func (g *group) conditions() []string {
	first := &g.members[0].head.Entry
	same := !slices.ContainsFunc(g.members, func(m member) bool { return !sameConditions(first, &m.head.Entry) })
	if same {
		return first.Conditions
	}
	var all []string
	for _, m := range g.members {
		if len(m.head.Entry.Conditions) > 0 {
			all = append(all, m.head.Entry.ID+": "+strings.Join(m.head.Entry.Conditions, ", "))
		}
	}
	return all
}

// quotes are the words of the members that bear the text out, a line each.
func (g *group) quotes(all []MemberQuote) string {
	var lines []string
	for _, q := range all {
		if q.Member >= 0 && q.Member < len(g.members) {
			lines = append(lines, g.members[q.Member].head.Entry.ID+": "+oneLine(q.Words))
		}
	}
	return strings.Join(lines, "\n")
}

// put stores what was made of a group, once: nil when it is there already, was
// taken back, or when a member has changed meanwhile.
func (t *tidying) put(ctx context.Context, g *group, d *draft) (*Stored, error) {
	var before bool
	var err error
	if d.entry.ID, before, err = t.receivedID(TidySource, g.key(), d.entry.Topic); err != nil || before {
		return nil, err
	}
	if t.titled(d) {
		d.entry.Title += " (" + g.kind + ")"
	}
	out := t.stored(t.by, d, &d.entry, "created")
	done, err := t.store.Write(ctx, t.by.store(TidySource), func(tx *store.Tx) error {
		if !g.holds(tx.View()) {
			return nil
		}
		tx.Note(fmt.Sprintf("%s: made of %s", TidySource, strings.Join(g.ids(), ", ")))
		return tx.Put(entry.OpCreate, d.entry)
	})
	if err != nil || len(done) == 0 {
		return nil, err
	}
	out.Path, out.Revision = done[0].Path, done[0].Revision
	return &out, t.renew(ctx)
}

// titled tells whether a memory of the topic has the draft's title: a later one
// of that title would take the place of either.
func (t *tidying) titled(d *draft) bool {
	key := titleKey(&d.entry)
	for h := range t.view.Heads() {
		if h.Broken == nil && h.Entry.Topic == d.entry.Topic && titleKey(&h.Entry) == key {
			return true
		}
	}
	return false
}

// holds tells whether the members are as they were.
func (g *group) holds(view *store.View) bool {
	return !slices.ContainsFunc(g.members, func(m member) bool {
		h, ok := view.ID(m.head.Entry.ID)
		return !ok || h.Hash != m.head.Hash
	})
}

// note writes down that episodes make an experience, which has no text yet.
func (t *tidying) note(ctx context.Context, g *group) error {
	t.by.Actor = t.set.o.Summarizer.Name()
	d, err := t.draftOf(g, Summarized{Title: fmt.Sprintf("Experience of %d episodes", len(g.members)), Body: waitingText})
	if err != nil || d == nil {
		return err
	}
	d.entry.Status = "pending"
	stored, err := t.put(ctx, g, d)
	if stored != nil {
		t.done.Waiting = append(t.done.Waiting, stored.ID)
	}
	return err
}
