package lobes

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// mostLinks bounds the entries that a chain tells in each direction.
const mostLinks = 50

// Why tells the whole chain of an entry: its own states, and the entries that
// it came from and that came from it, in all lobes that the target leads to.
// What was retracted, moved or erased has a chain too.
func (s *Set) Why(ctx context.Context, t Target, id string) (Chain, error) {
	id = strings.TrimSpace(id)
	if id == "" {
		return Chain{}, &ValueError{Field: "id", Why: "it is empty"}
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return Chain{}, err
	}
	readings, _, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return Chain{}, err
	}
	var c Chain
	err = settled(func() error {
		var all []history
		for _, r := range readings {
			p, err := r.store.Past(ctx)
			if err != nil {
				return err
			}
			all = append(all, history{r, p})
		}
		at := slices.IndexFunc(all, func(h history) bool { _, ok := h.past.View().ID(id); return ok })
		if at < 0 {
			at = slices.IndexFunc(all, func(h history) bool { return len(h.past.Line(id))+len(h.past.Beside(id)) > 0 })
		}
		if at < 0 {
			return s.unknownID(ctx, id, readings)
		}
		c, err = all[at].chain(ctx, id)
		if err != nil {
			return err
		}
		return c.link(ctx, all, at)
	})
	return c, err
}

// chain tells an entry's own states.
func (h history) chain(ctx context.Context, id string) (Chain, error) {
	c := Chain{
		ID: id, Lobe: h.lobe.name, Changes: []Change{}, Beside: []Change{}, Ancestors: []Link{}, Descendants: []Link{},
	}
	var was *state
	for _, m := range h.life(id) {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		s, err := h.read(m)
		if err != nil {
			if err = unusable(err); err != nil {
				return c, err
			}
			continue
		}
		told := h.told(s, was)
		if !s.rev.Gone() {
			before := &entry.Entry{}
			if was != nil {
				before = &was.is
			}
			told.withWords(before, &s.is)
			was = &s
		}
		c.Changes = append(c.Changes, told)
	}
	if m, ok := h.absence(id); ok {
		if s, err := h.read(m); err == nil {
			c.Changes = append(c.Changes, h.told(s, was))
		}
	}
	for _, m := range h.past.Beside(id) {
		s, err := h.read(m)
		if err != nil {
			if err = unusable(err); err != nil {
				return c, err
			}
			continue
		}
		told := h.told(s, was)
		if was != nil && !s.rev.Gone() {
			told.withWords(&was.is, &s.is)
		}
		c.Beside = append(c.Beside, told)
	}
	var err error
	if c.Records, err = h.records(ctx, id); err != nil {
		return c, err
	}
	c.Unread = h.unread(id, h.states(id)...)
	c.State, c.MovedTo = h.stateOf(id)
	if head, ok := h.past.View().ID(id); ok {
		now := h.lobe.o.Now()
		q := Query{At: now, Excerpt: MaxExcerpt, History: true}
		r := hit{reading: h.reading, head: head, score: 1}.result(q, newCitings(h.tree.root, maxPins))
		results := []Result{r}
		explainAll(ctx, []reading{h.reading}, results)
		c.Entry = &results[0]
	}
	return c, nil
}

// life is all that an entry was, wherever that was, oldest first. An entry that
// came back from another lobe brings along what is in its line already.
func (h history) life(id string) []store.Moment {
	line := h.past.Line(id)
	before := slices.DeleteFunc(h.past.Brought(id), func(m store.Moment) bool {
		return slices.ContainsFunc(line, func(l store.Moment) bool { return l.Key == m.Key })
	})
	all := slices.Concat(before, line)
	slices.SortStableFunc(all, func(a, b store.Moment) int {
		return cmp.Or(a.Recorded.Compare(b.Recorded), strings.Compare(a.Key, b.Key))
	})
	return all
}

// stateOf says what became of an entry in this lobe.
func (h history) stateOf(id string) (what, movedTo string) {
	if _, ok := h.past.View().ID(id); ok {
		return StateBelieved, ""
	}
	line := h.past.Line(id)
	if len(line) == 0 {
		return StateUnknown, ""
	}
	switch last := line[len(line)-1]; last.Op {
	case entry.OpErase:
		return StateErased, ""
	case entry.OpMove:
		if rev, err := h.past.Read(last); err == nil && rev.Gone() {
			return StateMoved, rev.MovedTo
		}
	}
	return StateRetracted, ""
}

// last is the last state of an entry that has a text.
func (h history) last(id string) (state, bool) { return h.lastOf(h.past.Line(id)) }

// A kinship is who refers to whom, among all entries that are known.
type kinship struct {
	all []history
	at  int // the lobe of the chain: it is asked first
	of  map[string][]kin
}

// kin refers to an older entry.
type kin struct{ id, relation string }

func refers(e *entry.Entry) map[string][]string {
	return map[string][]string{"supersedes": e.Supersedes, "derived_from": originsOf(e)}
}

// link follows the chain across entries.
func (c *Chain) link(ctx context.Context, all []history, at int) error {
	k := kinship{all: all, at: at, of: make(map[string][]kin)}
	if err := k.find(ctx); err != nil {
		return err
	}
	c.Ancestors = k.follow(c.ID, &c.Omitted, k.older)
	c.Descendants = k.follow(c.ID, &c.Omitted, func(id string) []kin { return k.of[id] })
	return nil
}

// find reads all references: of heads, and of what is no longer there.
func (k *kinship) find(ctx context.Context) error {
	note := func(e *entry.Entry) {
		for relation, ids := range refers(e) {
			for _, old := range ids {
				if n := (kin{e.ID, relation}); !slices.Contains(k.of[old], n) {
					k.of[old] = append(k.of[old], n)
				}
			}
		}
	}
	for _, h := range k.all {
		for head := range h.past.View().Heads() {
			if head.Copy == "" {
				note(&head.Entry)
			}
		}
		for id := range h.past.IDs() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, there := h.past.View().ID(id); there {
				continue
			}
			if s, ok := h.last(id); ok {
				note(&s.is)
			}
		}
	}
	for _, list := range k.of {
		slices.SortFunc(list, func(a, b kin) int { return strings.Compare(a.id+a.relation, b.id+b.relation) })
	}
	return nil
}

// older are the entries that one refers to.
func (k *kinship) older(id string) []kin {
	_, s, ok := k.lookUp(id)
	if !ok {
		return nil
	}
	var all []kin
	for _, relation := range []string{"supersedes", "derived_from"} {
		for _, old := range refers(&s.is)[relation] {
			all = append(all, kin{old, relation})
		}
	}
	return all
}

// lookUp finds the lobe that has an entry, or had it last.
func (k *kinship) lookUp(id string) (history, state, bool) {
	order := slices.Concat(k.all[k.at:k.at+1], k.all[:k.at], k.all[k.at+1:])
	for _, there := range []bool{true, false} {
		for _, h := range order {
			if _, ok := h.past.View().ID(id); ok != there {
				continue
			}
			if s, ok := h.last(id); ok {
				return h, s, true
			}
		}
	}
	return history{}, state{}, false
}

// follow walks from entry to entry, the nearest first.
func (k *kinship) follow(from string, omitted *int, next func(string) []kin) []Link {
	links := []Link{}
	seen := map[string]bool{from: true}
	depth := map[string]int{from: 0}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, n := range next(queue[0]) {
			if seen[n.id] {
				continue
			}
			seen[n.id] = true
			if len(links) == mostLinks {
				*omitted++
				continue
			}
			depth[n.id] = depth[queue[0]] + 1
			queue = append(queue, n.id)
			links = append(links, k.tell(n, queue[0], depth[n.id]))
		}
	}
	return links
}

// linkExcerpt is the length in characters of an excerpt of a linked entry.
const linkExcerpt = 200

func (k *kinship) tell(n kin, of string, depth int) Link {
	l := Link{Relation: n.relation, Of: of, Depth: depth, ID: n.id, State: StateUnknown, Sources: []string{}}
	h, s, ok := k.lookUp(n.id)
	if !ok {
		for _, h := range k.all {
			if what, _ := h.stateOf(n.id); what != StateUnknown {
				l.Lobe, l.State = h.lobe.name, what
			}
		}
		return l
	}
	l.Lobe = h.lobe.name
	l.State, _ = h.stateOf(n.id)
	e := &s.is
	l.Title, l.Topic, l.Excerpt = e.Title, e.Topic, entry.Excerpt(e.Body, linkExcerpt)
	l.Sources, l.Quote = orEmpty(e.Sources), e.Quote
	l.ValidFrom, l.ValidUntil = stated(e.Valid.From), stated(e.Valid.Until)
	line := h.life(n.id)
	l.Recorded, l.Actor, l.Session = firstOfLine(h, line)
	if last, err := h.past.Read(line[len(line)-1]); err == nil {
		l.Reason = last.Reason
	}
	return l
}

// firstOfLine tells who wrote the first state that can be read, and when.
func firstOfLine(h history, line []store.Moment) (at time.Time, actor, session string) {
	for _, m := range line {
		if rev, err := h.past.Read(m); err == nil {
			return m.Recorded.UTC(), rev.Actor, rev.Session
		}
	}
	return time.Time{}, "", ""
}
