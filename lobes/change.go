package lobes

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// The kinds of a [Change].
const (
	Learned    = "learned"
	Revised    = "revised"
	Confirmed  = "confirmed"
	Retracted  = "retracted"
	Restored   = "restored"
	Promoted   = "promoted"
	Adopted    = "adopted"
	Moving     = "moved"
	Superseded = "superseded"
	Archived   = "archived"
	Undoing    = "undone"
	Erased     = "erased"
	Late       = "late"
)

// outsider is the actor of what was written by hand or by another program.
const outsider = "outside"

// kindOf says what an op means. What a later version does is a revision.
func kindOf(op entry.Op) string {
	switch op {
	case entry.OpCreate:
		return Learned
	case entry.OpConfirm:
		return Confirmed
	case entry.OpRetract:
		return Retracted
	case entry.OpRestore:
		return Restored
	case entry.OpAdopt:
		return Adopted
	case entry.OpMove:
		return Moving
	case entry.OpSupersede:
		return Superseded
	case entry.OpArchive:
		return Archived
	case entry.OpUndo:
		return Undoing
	case entry.OpErase, entry.OpBlank:
		return Erased
	case entry.OpLate:
		return Late
	}
	return Revised
}

// A history is what one question about the past knows of a lobe.
type history struct {
	reading
	past *store.Past
}

// A state is one moment of an entry, read.
type state struct {
	store.Moment
	rev  entry.Revision
	is   entry.Entry // what the file says; of a tombstone nothing
	path string      // of the file, as a view has it
}

func (h history) read(m store.Moment) (state, error) {
	if m.Pending && m.Gone {
		return state{Moment: m, rev: entry.Revision{ID: m.ID, Op: m.Op, Actor: outsider, Recorded: m.Recorded}}, nil
	}
	rev, err := h.past.Read(m)
	if err != nil {
		return state{}, err
	}
	s := state{Moment: m, rev: rev, path: rev.Path}
	if rev.Gone() {
		return s, nil
	}
	s.is, err = h.past.Entry(m)
	return s, err
}

// absences are the deletions by hand that nobody has written down yet: of this
// moment, since nobody knows when it was.
func (h history) absences() []store.Moment {
	var all []store.Moment
	for _, id := range h.past.Absent() {
		all = append(all, store.Moment{ID: id, Recorded: h.past.Now(), Op: entry.OpRetract, Gone: true, Pending: true})
	}
	return all
}

// absence is that of one entry.
func (h history) absence(id string) (store.Moment, bool) {
	if _, there := h.past.View().ID(id); there || len(h.past.Line(id)) == 0 {
		return store.Moment{}, false
	}
	all := h.absences()
	i := slices.IndexFunc(all, func(m store.Moment) bool { return m.ID == id })
	if i < 0 {
		return store.Moment{}, false
	}
	return all[i], true
}

// before gives the last state with a text that the entry had before a moment
// of its line.
func (h history) before(line []store.Moment, m store.Moment) (state, bool) {
	if m.Pending && m.Gone {
		return h.lastOf(line)
	}
	at := slices.Index(line, m)
	return h.lastOf(line[:max(at, 0)])
}

// lastOf is the last of some moments that has a text and can be read.
func (h history) lastOf(line []store.Moment) (state, bool) {
	for _, m := range slices.Backward(line) {
		if m.Gone {
			continue
		}
		if s, err := h.read(m); err == nil {
			return s, true
		}
	}
	return state{}, false
}

// told makes a change of a state. was is the state before it; nil when there
// was none.
func (h history) told(s state, was *state) Change {
	c := Change{
		Recorded: s.Recorded.UTC(), Kind: kindOf(s.rev.Op), Op: string(s.rev.Op), ID: s.ID, Lobe: h.lobe.name, Key: s.Key,
		Actor: s.rev.Actor, Hint: s.rev.Hint, Change: s.rev.Change, Reason: h.reasonOf(s), Parent: h.counted(s),
		Session: s.rev.Session, Role: s.rev.Role, Pending: s.Pending, MovedTo: s.rev.MovedTo,
		Erased: stated(s.rev.Erased), Eraser: s.rev.Eraser,
	}
	path, is := s.path, &s.is
	if was == nil && s.Blank {
		if last, ok := h.last(s.ID); ok {
			was = &last
		}
	}
	if s.rev.Gone() {
		if was == nil || s.rev.Op == entry.OpErase {
			return c
		}
		path, is = was.path, &was.is
		c.Topic, c.Title, c.Path = is.Topic, is.Title, h.abs(path)
		return c
	}
	c.Topic, c.Title, c.Path = is.Topic, is.Title, h.abs(path)
	c.Trust, c.Status, c.Sources, c.Quote = string(trustOf(is)), is.Status, is.Sources, is.Quote
	c.ValidFrom, c.ValidUntil = stated(is.Valid.From), stated(is.Valid.Until)
	if s.rev.Op == entry.OpCreate {
		c.Supersedes = is.Supersedes
	}
	if was != nil && promotes(&was.is, is) && (c.Kind == Revised || c.Kind == Confirmed) {
		c.Kind = Promoted
	}
	return c
}

// counted are the keys of the states that one follows, as they are now: another
// one may stand in for what its file names.
func (h history) counted(s state) []string {
	keys := slices.Clone(s.rev.Parents)
	for i, key := range keys {
		keys[i] = h.past.Counts(s.ID, key)
	}
	return keys
}

func stated(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// promotes tells whether an entry that waited became an active one.
func promotes(was, is *entry.Entry) bool {
	return slices.Contains([]string{"candidate", "review", "pending"}, was.Status) && hasStatus(is, "active")
}

// withWords adds what the text and the header of two states have not in common.
func (c *Change) withWords(was, is *entry.Entry) {
	const words = 8 // that are shown around a difference
	c.Words = textanalysis.DiffWords(whole(was), whole(is), words)
	c.Fields = []FieldChange{}
	for _, d := range entry.Differ(*was, *is) {
		if d.Key != "id" && d.Key != "pins" {
			c.Fields = append(c.Fields, FieldChange{Field: d.Key, Old: d.Old, New: d.New})
		}
	}
}

// whole is the text of an entry as its file shows it.
func whole(e *entry.Entry) string {
	if e.Title == "" && e.Body == "" {
		return ""
	}
	return strings.TrimSuffix("# "+e.Title+"\n\n"+e.Body, "\n\n")
}

// abs is where a person finds a file of the lobe.
func (r reading) abs(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Join(r.lobe.spec.Dir, filepath.FromSlash(path))
}

// by tells whether a state was written by the actor and in the session that a
// window names.
func (w Window) by(rev entry.Revision) bool {
	return isActor(rev.Actor, w.Actor) && (w.Session == "" || rev.Session == w.Session)
}

// isActor compares an actor with the one that was asked for, which may leave
// out the version.
func isActor(actor, asked string) bool {
	name, _, _ := strings.Cut(actor, " ")
	return asked == "" || strings.EqualFold(actor, asked) || strings.EqualFold(name, asked)
}

// checked brings a window into its one form.
func (w Window) checked(now time.Time) (Window, error) {
	var err error
	if w.Topic, err = scope(w.Topic); err != nil {
		return w, err
	}
	for _, step := range []error{notLater("since", w.Since, now), notLater("until", w.Until, now)} {
		if step != nil {
			return w, step
		}
	}
	if !w.Since.IsZero() && !w.Until.IsZero() && w.Until.Before(w.Since) {
		return w, &ValueError{Field: "until", Value: w.Until.UTC().Format(time.RFC3339), Why: "it is before since"}
	}
	w.ID, w.Session, w.Actor = strings.TrimSpace(w.ID), strings.TrimSpace(w.Session), strings.TrimSpace(w.Actor)
	return w, nil
}

// unusable passes on that a file has changed since the question was asked. A
// file of history that is damaged or gone is left out: [Set.Diagnose] names it.
func unusable(err error) error {
	if errors.Is(err, store.ErrChanged) {
		return err
	}
	return nil
}
