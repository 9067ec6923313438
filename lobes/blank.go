package lobes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/textanalysis"
)

// shortRevision is how many digits of a revision name it, if no other one begins
// with them.
const shortRevision = 4

// A cut is the single states of an entry that are to be erased.
type cut struct {
	id    string
	named state               // what was asked for
	keys  map[string][]string // by lobe: the named state, and those that say the same
	told  []string            // their revisions
	texts []string
	stay  []string // texts of states that are left
	left  []string // what of them still says it, in words
	made  []place  // what was made of the text
	all   []history
}

// eraseState erases the content of one former state of an entry, at once: with
// it goes every state that only repeats its text, and what was made of it while
// it was believed.
func (s *Set) eraseState(ctx context.Context, t Target, f *fix) error {
	r, err := s.knower(ctx, t, f.ID)
	if err != nil {
		return err
	}
	all, err := s.histories(ctx, []place{{r.lobe, f.ID}})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(h history) bool { return h.lobe == r.lobe })
	c := &cut{id: f.ID, keys: map[string][]string{}, all: all}
	if err := c.plan(ctx, all[at], f.Revision); err != nil {
		return err
	}
	f.out.ID, f.out.Lobe, f.out.Action, f.out.Preview = f.ID, r.lobe.name, outcomes()["erase"].done, f.Preview
	if was, ok := all[at].last(f.ID); ok {
		f.tell(r, &was.is)
		f.out.Path, f.out.SuggestPreference = all[at].abs(was.path), false
	}
	f.warnings = nil
	f.out.Blanked = c.told
	f.out.Left = append(c.left, outOfReach()...)
	if c.named.Blank {
		f.warnings = append(f.warnings, fmt.Sprintf("its content was erased before, at %s", c.named.rev.Erased.Format(time.RFC3339)))
	}
	if f.Preview {
		made, err := s.whole(ctx, c.made)
		f.out.Erased = made.ids()
		return err
	}
	return s.carryOut(ctx, c, f)
}

// carryOut erases.
func (s *Set) carryOut(ctx context.Context, c *cut, f *fix) error {
	for _, h := range c.all {
		if len(c.keys[h.lobe.name]) == 0 {
			continue
		}
		if _, err := h.store.Blank(ctx, f.by.store(""), c.id, c.keys[h.lobe.name]...); err != nil {
			return err
		}
		h.lobe.written.Store(true)
	}
	if len(c.made) > 0 {
		done, err := s.erase(ctx, f.by, c.made)
		f.out.Erased = done.ids
		if err != nil {
			return err
		}
	}
	s.refuseOrWarn(Erased, nil, c.texts...)
	f.out.Left = append(f.out.Left, s.unquote(ctx, c.all, c.texts, c.stay)...)
	return nil
}

// plan finds what is to go.
func (c *cut) plan(ctx context.Context, h history, revision string) error {
	var err error
	if c.named, err = h.named(c.id, revision); err != nil {
		return err
	}
	now, ok := h.past.Believed(c.id, h.past.Now())
	var present state
	if ok {
		if present, err = h.read(now); err != nil {
			return err
		}
		if now.Key == c.named.Key || !c.named.Blank && slices.Equal(present.rev.Head, c.named.rev.Head) {
			return &store.CurrentError{ID: c.id, Revision: revisionHash(c.named.Key)}
		}
	}
	for _, other := range c.all {
		if _, known := other.stateWith(c.id, c.named.Key); known {
			c.collect(other, present)
		}
	}
	return c.derive(ctx)
}

// collect finds the states of one lobe that go, and tells those that stay though
// they hold the text.
func (c *cut) collect(h history, present state) {
	text := textanalysis.Normalize(c.named.is.Body)
	stays := c.named.Blank || present.ID != "" && says(present, c.named)
	states := h.states(c.id)
	if present.Pending {
		states = append(states, present.Moment)
	}
	for _, m := range states {
		s, err := h.read(m)
		if err != nil || s.rev.Gone() && m.Key != c.named.Key {
			continue
		}
		now := present.ID != "" && m.Key == present.Key
		same := !stays && says(s, c.named) || slices.Equal(s.rev.Head, c.named.rev.Head) && !s.rev.Gone()
		switch {
		case m.Key == c.named.Key || same && !now:
			key := m.Key
			if n := len(s.rev.Instead); m.Blank && n > 0 {
				key = s.rev.Instead[n-1] // what may be left of it goes
			}
			c.keys[h.lobe.name] = append(c.keys[h.lobe.name], key)
			if !slices.Contains(c.told, revisionHash(key)) {
				c.told = append(c.told, revisionHash(key))
			}
			if !stays && !m.Blank && !slices.Contains(c.texts, s.is.Body) {
				c.texts = append(c.texts, s.is.Body)
			}
			continue
		case now && len(text) > 0 && strings.Contains(textanalysis.Normalize(s.is.Body), text):
			c.left = append(c.left, "what is believed now says the same words: replace it first, if they are to go")
		case len(text) >= shortQuote && strings.Contains(textanalysis.Normalize(s.is.Body), text):
			c.left = append(c.left, fmt.Sprintf("revision %s of %s says the same words: erase it too, if they are to go", revisionHash(m.Key), s.Recorded.UTC().Format(time.RFC3339)))
		}
		c.stay = append(c.stay, s.is.Body)
	}
}

// says tells whether two states say the same.
func says(a, b state) bool { return a.is.Title == b.is.Title && a.is.Body == b.is.Body }

// derive finds what was made of the entry while it said what is to go.
func (c *cut) derive(ctx context.Context) error {
	k := kinship{all: c.all, of: make(map[string][]kin)}
	if err := k.find(ctx); err != nil {
		return err
	}
	for _, n := range k.of[c.id] {
		if n.relation != "derived_from" {
			continue
		}
		for _, other := range c.all {
			if line := other.life(n.id); len(line) > 0 && c.said(line[0].Recorded) {
				c.made = append(c.made, place{other.lobe, n.id})
			}
		}
	}
	return nil
}

// said tells whether the entry said at a time what is to go.
func (c *cut) said(at time.Time) bool {
	return slices.ContainsFunc(c.all, func(h history) bool {
		then, ok := h.past.Believed(c.id, at)
		return ok && slices.Contains(c.keys[h.lobe.name], then.Key)
	})
}

// states are all states of an entry, wherever they are, once each.
func (h history) states(id string) []store.Moment {
	all := slices.Concat(h.life(id), h.past.Beside(id))
	return slices.DeleteFunc(all, func(m store.Moment) bool { return m.Pending })
}

// unread counts the states that one of an entry's follows and that cannot be
// read: their files are damaged, or gone. [Set.Diagnose] names them.
func (h history) unread(id string, states ...store.Moment) int {
	known := map[string]bool{}
	for _, m := range h.states(id) {
		known[m.Key] = true
	}
	missing := map[string]bool{}
	for _, m := range states {
		s, err := h.read(m)
		if err != nil {
			continue
		}
		for _, parent := range h.counted(s) {
			if !known[parent] {
				missing[parent] = true
			}
		}
	}
	return len(missing)
}

// stateWith finds the state with a key.
func (h history) stateWith(id, key string) (store.Moment, bool) {
	all := h.states(id)
	i := slices.IndexFunc(all, func(m store.Moment) bool { return m.Key == key })
	if i < 0 {
		return store.Moment{}, false
	}
	return all[i], true
}

// named is the state of an entry that a call names by its key, its revision, or
// the beginning of that. A state whose content was erased is known by what it
// was called before, too.
func (h history) named(id, revision string) (state, error) {
	asked := strings.ToLower(revisionHash(strings.TrimSpace(revision)))
	var found []state
	for _, m := range h.states(id) {
		s, err := h.read(m)
		if err != nil {
			continue // it is damaged: [Set.Diagnose] names it
		}
		is := func(key string) bool {
			return len(asked) >= shortRevision && strings.HasPrefix(revisionHash(key), asked)
		}
		if is(m.Key) || slices.ContainsFunc(s.rev.Instead, is) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0:
		return state{}, &store.UnknownRevisionError{ID: id, Revision: revision}
	case len(found) > 1:
		return state{}, &ValueError{Field: "revision", Value: revision, Why: "it begins the names of several states: give more of its digits"}
	case found[0].rev.Gone() && !found[0].Blank:
		return state{}, &ValueError{Field: "revision", Value: revision, Why: "it is a deletion, which has no content"}
	}
	return found[0], nil
}

// revisionHash is the part of a key that answers show as the revision.
func revisionHash(key string) string {
	if _, hash, ok := strings.Cut(key, "-"); ok {
		return hash
	}
	return key
}

// blankEnd gives the last state of an entry that is gone, if its content was
// erased: there is nothing to be put back.
func (h history) blankEnd(id string) (store.Moment, bool) {
	for _, m := range slices.Backward(h.past.Line(id)) {
		if !m.Gone || m.Blank {
			return m, m.Blank
		}
	}
	return store.Moment{}, false
}
