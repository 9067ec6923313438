package lobes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// A deed is what one call, or one edit by hand, made of an entry.
type deed struct {
	state               // the last one of it
	first  store.Moment // and the first
	change string
}

// same tells whether a state belongs to the deed: an edit by hand is one of its
// own, though it is written down together with what was done next.
func (d *deed) same(s state) bool {
	return s.rev.Change != "" && s.rev.Change == d.change && s.rev.Op != entry.OpAdopt && d.rev.Op != entry.OpAdopt
}

// deeds are the changes of an entry that are not undone, oldest first: the
// state of the last one is what is believed. What an undo took back is not
// among them, and neither is the undo.
func (h history) deeds(id string) ([]deed, error) {
	var all []deed
	for _, m := range h.past.Line(id) {
		s, err := h.read(m)
		if err != nil {
			if err = unusable(err); err != nil {
				return nil, err
			}
			continue
		}
		if rest, ok := h.undoneTo(all, s); ok {
			all = rest
			continue
		}
		if n := len(all); n > 0 && h.leaves(s) && h.arrived(all[n-1]) {
			all = all[:n-1]
			continue
		}
		if n := len(all); n > 0 && all[n-1].same(s) {
			all[n-1].state = s
			continue
		}
		all = append(all, deed{state: s, first: m, change: s.rev.Change})
	}
	if m, ok := h.absence(id); ok {
		s, err := h.read(m)
		if err != nil {
			return nil, err
		}
		all = append(all, deed{state: s, first: m})
	}
	return all, nil
}

// The reason of an undo names the state that it went back to.
const (
	backTo    = "back to "
	toNothing = "nothing"
)

// undoReason is what an undo says of itself; back is nil when there was
// nothing before.
func undoReason(back *deed, reason string) string {
	to := toNothing
	if back != nil {
		to = back.Key
	}
	if reason != "" {
		to += ": " + reason
	}
	return backTo + to
}

// reasonOf is the reason of a state as a person reads it: what an undo went back to
// is told by its time.
func (h history) reasonOf(s state) string {
	rest, ok := strings.CutPrefix(s.rev.Reason, backTo)
	if !ok || s.rev.Op != entry.OpUndo {
		return s.rev.Reason
	}
	key, reason, _ := strings.Cut(rest, ": ")
	to := "back to what it was before"
	if key == toNothing {
		to = "back to before it was there"
	}
	for _, m := range h.past.Line(s.ID) {
		if m.Key == h.past.Counts(s.ID, key) {
			to = "back to what it was at " + m.Recorded.UTC().Format(time.RFC3339)
		}
	}
	return withReason(to, reason)
}

// undoneTo is what is left of some deeds after a state, if that is an undo.
func (h history) undoneTo(all []deed, s state) ([]deed, bool) {
	rest, ok := strings.CutPrefix(s.rev.Reason, backTo)
	if !ok || s.rev.Op != entry.OpUndo {
		return nil, false
	}
	key, _, _ := strings.Cut(rest, ": ")
	if key == toNothing {
		return nil, true
	}
	key = h.past.Counts(s.ID, key)
	for i := range slices.Backward(all) {
		if all[i].Key == key {
			return all[:i+1], true
		}
	}
	return nil, false
}

// undo puts an entry back, or all that a session changed.
func (s *Set) undo(ctx context.Context, t Target, f *fix) error {
	f.out.Action = outcomes()["undo"].done
	if f.ID == "" {
		return s.undoSession(ctx, t, f)
	}
	r, err := s.knower(ctx, t, f.ID)
	if err != nil {
		return err
	}
	if done, err := r.undoFeedback(ctx, s, f); err != nil || done {
		return err
	}
	if from, ok, err := r.cameFrom(ctx, f.ID); err != nil || ok {
		if err != nil {
			return err
		}
		return s.moveBack(ctx, r, from, f)
	}
	return r.commit(ctx, s, f, func(tx *store.Tx) error { return r.planUndo(tx, f) })
}

// knower finds the lobe that holds an entry, or knows what became of it.
func (s *Set) knower(ctx context.Context, t Target, id string) (reading, error) {
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return reading{}, err
	}
	readings, _, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return reading{}, err
	}
	for _, r := range readings {
		if _, ok := r.view.ID(id); ok {
			return r, nil
		}
	}
	for _, r := range readings {
		p, err := r.store.Past(ctx)
		if err != nil {
			return reading{}, err
		}
		if len(p.Line(id)) > 0 {
			return r, nil
		}
	}
	return reading{}, s.unknownID(ctx, id, readings)
}

// planUndo plans the undo of the last change of an entry. What took the place
// of another entry, or gave its place to one, goes back together with it.
func (r reading) planUndo(tx *store.Tx, f *fix) error {
	p, err := tx.Past()
	if err != nil {
		return err
	}
	h := history{r, p}
	f.out.Undone, f.out.Skipped = []Undone{}, []Skipped{}
	all, err := h.deeds(f.ID)
	if err != nil {
		return err
	}
	if err := h.mayUndo(f.ID, all); err != nil {
		return err
	}
	if f.Revision != "" {
		tx.Expect(f.ID, f.Revision)
	}
	last := all[len(all)-1]
	if err := h.goBack(tx, f, all, len(all)-1); err != nil {
		return err
	}
	if f.warnings = nil; h.unread(f.ID, last.first) > 0 {
		f.warnings = []string{"what it was just before cannot be read, since the file of that state is damaged or gone: it is what it was before that"}
	}
	f.out.ID, f.out.Lobe, f.out.Topic, f.out.Title = f.ID, r.lobe.name, last.is.Topic, f.out.Undone[0].Title
	if n := len(all); n > 1 && !f.out.Undone[0].Gone {
		f.out.Topic = all[n-2].is.Topic
	}
	f.out.Path = f.out.Undone[0].Path
	for _, id := range h.partners(last) {
		others, err := h.deeds(id)
		if err != nil {
			return err
		}
		switch n := len(others); {
		case n > 0 && others[n-1].change == last.change && last.change != "":
			if err := h.goBack(tx, f, others, n-1); err != nil {
				return err
			}
		case n > 0:
			f.out.Skipped = append(f.out.Skipped, h.skipped(others[n-1], "it was changed since"))
		}
	}
	return nil
}

// mayUndo refuses what there is nothing to undo of.
func (h history) mayUndo(id string, all []deed) error {
	what, movedTo := h.stateOf(id)
	if what == StateMoved {
		return &MovedError{ID: id, Lobe: h.lobe.name, To: movedTo}
	}
	if len(all) == 0 {
		if what == StateErased {
			return &store.UnknownIDError{ID: id, Dir: h.lobe.spec.Dir, Gone: true, Erased: true}
		}
		return &NothingToUndoError{ID: id, Lobe: h.lobe.name}
	}
	if all[len(all)-1].rev.Op == entry.OpErase {
		return &store.UnknownIDError{ID: id, Dir: h.lobe.spec.Dir, Gone: true, Erased: true}
	}
	return nil
}

// partners are the entries that a supersede changed together with one.
func (h history) partners(d deed) []string {
	var ids []string
	switch d.rev.Op {
	case entry.OpCreate:
		ids = d.is.Supersedes
	case entry.OpSupersede:
		for head := range h.past.View().Heads() {
			if head.Copy == "" && slices.Contains(head.Entry.Supersedes, d.ID) && h.changedBy(head.Entry.ID, d.change) {
				ids = append(ids, head.Entry.ID)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == d.ID || !h.changedBy(id, d.change) })
}

// changedBy tells whether one of an entry's states was written by a change.
func (h history) changedBy(id, change string) bool {
	return slices.ContainsFunc(h.past.Line(id), func(m store.Moment) bool {
		rev, err := h.past.Read(m)
		return err == nil && change != "" && rev.Change == change
	})
}

// goBack plans that an entry is what it was before the deed with a number.
func (h history) goBack(tx *store.Tx, f *fix, all []deed, n int) error {
	last := all[len(all)-1]
	var before *deed
	if n > 0 {
		if before = &all[n-1]; before.Blank {
			return &store.BlankError{ID: last.ID, Recorded: before.Recorded}
		}
	} else if h.unread(last.ID, all[0].first) > 0 { // it was there, and nothing older can be read
		return &LostStateError{ID: last.ID, Recorded: all[0].first.Recorded}
	}
	u := Undone{ID: last.ID, Lobe: h.lobe.name, Title: last.is.Title, Recorded: last.Recorded.UTC(), Actor: last.rev.Actor, Gone: before == nil || before.rev.Gone()}
	u.Kind, u.Path, u.Changes = kindOf(last.rev.Op), h.abs(last.path), []string{}
	for _, d := range all[n:] {
		if d.change != "" {
			u.Changes = append(u.Changes, d.change)
		}
	}
	if !u.Gone {
		u.Title, u.Path = before.is.Title, h.abs(before.path)
	} else if s, ok := h.last(last.ID); ok {
		u.Title, u.Path = s.is.Title, h.abs(s.path)
	}
	f.out.Undone = append(f.out.Undone, u)
	if err := withdrawJoined(tx, f, u.Changes); err != nil {
		return err
	}
	tx.Note(undoReason(before, f.Reason))
	switch {
	case !u.Gone:
		return tx.Revert(entry.OpUndo, last.ID, before.Key)
	case last.rev.Gone():
		return nil // it is gone already
	}
	return tx.Retract(last.ID, entry.OpUndo, "")
}

func (h history) skipped(d deed, why string) Skipped {
	title := d.is.Title
	if s, ok := h.last(d.ID); ok && title == "" {
		title = s.is.Title
	}
	return Skipped{ID: d.ID, Lobe: h.lobe.name, Title: title, Actor: d.rev.Actor, Recorded: d.Recorded.UTC(), Why: why}
}

// undoSession undoes what a session did, in every lobe that the target leads
// to. Entries that somebody else has changed since are left alone, and told.
func (s *Set) undoSession(ctx context.Context, t Target, f *fix) error {
	if f.Session == "" {
		return &ValueError{Field: "id", Why: "it is empty, and so is session"}
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return err
	}
	readings, _, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return err
	}
	undone, skipped := []Undone{}, []Skipped{}
	for _, r := range readings {
		if f.feedback, err = r.feedback(ctx, store.RecordFilter{}); err != nil {
			return err
		}
		if err := r.commit(ctx, s, f, func(tx *store.Tx) error { return r.planUndoSession(ctx, tx, f) }); err != nil {
			return err
		}
		undone, skipped = append(undone, f.out.Undone...), append(skipped, f.out.Skipped...)
	}
	f.out.Undone, f.out.Skipped = undone, skipped
	if len(undone)+len(skipped) == 0 {
		return &NothingToUndoError{Session: f.Session, Lobe: strings.Join(lobeNames(lobes), ", ")}
	}
	if len(undone) == 0 {
		f.out.Action = "unchanged"
	}
	return nil
}

func (r reading) planUndoSession(ctx context.Context, tx *store.Tx, f *fix) error {
	f.out.Undone, f.out.Skipped = []Undone{}, []Skipped{}
	p, err := tx.Past()
	if err != nil {
		return err
	}
	h := history{r, p}
	ids, err := h.touchedBy(ctx, f.Session)
	if err != nil {
		return err
	}
	for _, id := range ids {
		all, err := h.deeds(id)
		if err != nil {
			return err
		}
		mine := func(d deed) bool { return d.rev.Session == f.Session }
		n := slices.IndexFunc(all, mine)
		if n < 0 {
			continue // undone already
		}
		if at := slices.IndexFunc(all[n:], func(d deed) bool { return !mine(d) }); at >= 0 {
			last := all[len(all)-1]
			f.out.Skipped = append(f.out.Skipped, h.skipped(last, fmt.Sprintf("changed since by %s", who(last))))
			continue
		}
		if moved := slices.IndexFunc(all[n:], func(d deed) bool { return d.rev.MovedTo != "" || h.arrived(d) }); moved >= 0 {
			f.out.Skipped = append(f.out.Skipped, h.skipped(all[n+moved], "it was moved between lobes: undo that by its id"))
			continue
		}
		if err := h.goBack(tx, f, all, n); err != nil {
			var taken *store.ExistsError
			var blank *store.BlankError
			var lost *LostStateError
			why := "another file lies where it lay"
			switch {
			case errors.As(err, &lost):
				why = "what it was before cannot be read"
			case errors.As(err, &blank):
				why = "what it was before was erased"
			case !errors.As(err, &taken):
				return err
			}
			f.out.Skipped = append(f.out.Skipped, h.skipped(all[len(all)-1], why))
		}
	}
	return h.planUnsay(tx, f)
}

func who(d deed) string {
	if d.rev.Actor == "" {
		return "somebody"
	}
	return d.rev.Actor
}

// touchedBy are the entries of which a session wrote a state, sorted.
func (h history) touchedBy(ctx context.Context, session string) ([]string, error) {
	var ids []string
	for m := range h.past.Newest(time.Time{}, time.Time{}) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if slices.Contains(ids, m.ID) {
			continue
		}
		rev, err := h.past.Read(m)
		if err = unusable(err); err != nil {
			return nil, err
		}
		if rev.Session == session {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}
