package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"memory-mcp/store/entry"
)

// CurrentError says that a state is what is believed now, so that its content
// cannot be erased by itself.
type CurrentError struct{ ID, Revision string }

func (e *CurrentError) Error() string {
	return fmt.Sprintf("revision %s of entry %q is what is believed now", e.Revision, e.ID)
}

// UnknownRevisionError says that an entry has no such state.
type UnknownRevisionError struct{ ID, Revision string }

func (e *UnknownRevisionError) Error() string {
	return fmt.Sprintf("entry %q has no revision %q", e.ID, e.Revision)
}

// BlankError says that what an entry was, and would be again, was erased.
type BlankError struct {
	ID       string
	Recorded time.Time // of the state
}

func (e *BlankError) Error() string {
	return fmt.Sprintf("what entry %q was at %s was erased", e.ID, e.Recorded.UTC().Format(time.RFC3339))
}

// Blank erases the content of single states of an entry, given by their keys:
// their files, copies and temporaries with their text, raw material that holds
// it, and the caches. A blank stays in the place of each, so that the history
// holds together and no copy of the folder brings the content back. An edit from
// outside is adopted first. The state that the head is in is a [CurrentError],
// and then nothing is erased. What was begun is completed after a kill.
func (s *Store) Blank(ctx context.Context, by By, id string, keys ...string) (Erased, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	var done Erased
	for start := s.wall(); ; {
		err := s.locked(ctx, func(w *writer) (err error) {
			w.by = by
			done, err = w.blankStates(ctx, id, keys)
			return err
		})
		var resting *restingError
		if !errors.As(err, &resting) && !errors.Is(err, errAgain) {
			return done, err
		}
		if s.wall().Sub(start) > restWait {
			return done, &BusyError{ID: id, Path: s.dir}
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return done, err
		}
	}
}

func (w *writer) blankStates(ctx context.Context, id string, keys []string) (Erased, error) {
	done := Erased{ID: id, Paths: []string{}}
	if err := w.rescan(ctx); err != nil {
		return done, err
	}
	if err := w.keepLate(); err != nil {
		return done, err
	}
	marks, err := w.blanks(id, keys)
	if err != nil {
		return done, err
	}
	w.s.recovered = false // the next write completes what is begun
	if err := w.layMarks(marks); err != nil {
		return done, err
	}
	all, err := w.blankAll(ctx, marks)
	for _, e := range all {
		done.Files += e.Files
		done.Paths = append(done.Paths, e.Paths...)
	}
	w.s.recovered = err == nil
	return done, err
}

// blanks makes the blanks of some states. One that is there already stays the
// only one.
func (w *writer) blanks(id string, keys []string) ([]mark, error) {
	cur, err := w.read(id)
	if err != nil {
		return nil, err
	}
	now, _, err := w.settled(id, cur)
	if err != nil {
		return nil, err
	}
	stand := w.standing(id)
	var marks []mark
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		r, err := revision(w.root, id, stand.now(key))
		switch {
		case err != nil:
			return nil, &UnknownRevisionError{ID: id, Revision: hash16(key)}
		case r.Op != entry.OpBlank && r.Gone():
			return nil, &UnknownRevisionError{ID: id, Revision: hash16(key)} // there is nothing in it
		case stand.now(key) == now.key, cur != nil && r.Matches(cur.bytes):
			return nil, &CurrentError{ID: id, Revision: hash16(key)}
		}
		if r.Op != entry.OpBlank {
			r = w.blankOf(r)
		}
		m := mark{rev: r, key: r.Key()}
		if m.key == "" {
			return nil, fmt.Errorf("erase revision %s of %q: its blank cannot be written", hash16(key), id)
		}
		m.half = path.Join(folderOf(id), halfName(id, m.key))
		marks = append(marks, m)
	}
	return marks, nil
}

// blankOf is what stays of a state.
func (w *writer) blankOf(r entry.Revision) entry.Revision {
	return entry.Revision{
		ID: r.ID, Parents: r.Parents, Recorded: r.Recorded, Actor: r.Actor, Change: r.Change, Op: entry.OpBlank,
		Instead: append(slices.Clone(r.Instead), r.Key()), Was: r.Op, Erased: w.s.opts.Now().UTC(), Eraser: text(w.by.Actor),
	}
}

// blankAll does what marks of blanks announce. It may have been begun before.
func (w *writer) blankAll(ctx context.Context, marks []mark) ([]Erased, error) {
	var done []Erased
	for _, m := range marks {
		e, err := w.blank(ctx, m)
		if err != nil {
			return done, fmt.Errorf("erase a state of %q: %w", m.rev.ID, err)
		}
		done = append(done, e)
	}
	if len(marks) == 0 {
		return nil, nil
	}
	if err := w.eraseState(ctx, nil, nil); err != nil {
		return done, fmt.Errorf("erase what the caches hold: %w", err)
	}
	for _, m := range marks {
		if err := w.discard(m.half); err != nil {
			return done, fmt.Errorf("erase a state of %q: %w", m.rev.ID, err)
		}
	}
	return done, nil
}

// blank puts a blank in the place of one state, and removes what holds the
// text. The file of the state goes last: it tells what the text was.
func (w *writer) blank(ctx context.Context, m mark) (Erased, error) {
	id := m.rev.ID
	e := Erased{ID: id, Paths: []string{}}
	if err := w.layBlank(m); err != nil {
		return e, err
	}
	var states, rest []string
	var heads [][]byte
	for _, dir := range []string{broughtFolder(id), folderOf(id)} {
		for _, name := range w.filesOf(dir, id, m.key) {
			b, err := w.root.ReadFile(name)
			if err != nil {
				continue
			}
			r, err := entry.ParseRevision(b)
			switch of, key, whole := entry.SplitName(path.Base(name)); {
			case !whole && (err != nil || r.Op != entry.OpBlank && r.Op != entry.OpErase):
				rest = append(rest, name) // half of a write that nobody acknowledged
			case whole && of == id && standInsOf([]fact{factOf(m.key, m.rev), factOf(key, r)}).replaced(key):
				states = append(states, name)
				heads = append(heads, r.Head)
			}
		}
	}
	for _, head := range heads {
		copies := w.copiesWith(id, head)
		for _, p := range copies {
			e.Paths = append(e.Paths, w.s.abs(p))
		}
		rest = slices.Concat(rest, copies, w.straysWith(head), w.inboxWith(id, head))
	}
	slices.Sort(e.Paths)
	e.Paths = slices.Compact(e.Paths)
	w.dropFound(id, m.rev.Instead)
	w.s.memo.forget(id)
	slices.Sort(rest)
	if err := w.removeAll(slices.Compact(rest), &e); err != nil {
		return e, err
	}
	if err := w.removeAll(states, &e); err != nil {
		return e, err
	}
	return e, w.rescan(ctx)
}

// layBlank puts a blank where a file of its state lies; into history when there
// is none.
func (w *writer) layBlank(m mark) error {
	id := m.rev.ID
	for _, dir := range []string{broughtFolder(id), folderOf(id)} {
		keys, err := keysIn(w.root, dir, id)
		if err != nil {
			return err
		}
		has := slices.Contains(keys, m.key) || slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(m.rev.Instead, key) })
		if dir == broughtFolder(id) && !has {
			continue
		}
		if dir == folderOf(id) && !has {
			if brought, err := keysIn(w.root, broughtFolder(id), id); err != nil || slices.Contains(brought, m.key) {
				continue
			}
		}
		if err := w.layTombstone(m, dir); err != nil {
			return err
		}
	}
	return nil
}

// textOf is the text in the bytes of a head.
func (w *writer) textOf(id string, head []byte) string {
	return w.s.parse(path.Join("general", id+".md"), stamp{}, head).Entry.Body
}

// copiesWith gives the copies of an entry that have the text of a head.
func (w *writer) copiesWith(id string, head []byte) []string {
	var all []string
	for h := range w.view.Heads() {
		if h.Copy != "" && h.Entry.ID == id && (h.Hash == entry.Sum(head) || h.Entry.Body == w.textOf(id, head)) {
			all = append(all, h.Path)
		}
	}
	return all
}

// straysWith gives the temporaries that hold the beginning of a head.
func (w *writer) straysWith(head []byte) []string {
	w.s.looking.Lock()
	strays := slices.Clone(w.s.strays)
	w.s.looking.Unlock()
	return slices.DeleteFunc(strays, func(p string) bool {
		b, err := w.root.ReadFile(p)
		return err != nil || !bytes.HasPrefix(head, b)
	})
}

// inboxWith gives the raw material that holds the text of a head, as it stands
// or as JSON has it.
func (w *writer) inboxWith(id string, head []byte) []string {
	body := w.textOf(id, head)
	if body == "" {
		return nil
	}
	escaped, err := json.Marshal(body)
	if err != nil {
		return nil // a text is always JSON
	}
	return slices.DeleteFunc(w.below(inboxDir), func(p string) bool {
		b, err := w.root.ReadFile(p)
		return err != nil || !bytes.Contains(b, []byte(body)) && !bytes.Contains(b, escaped[1:len(escaped)-1])
	})
}

// dropFound forgets what was found beside an entry and is erased.
func (w *writer) dropFound(id string, keys []string) {
	w.s.looking.Lock()
	defer w.s.looking.Unlock()
	w.s.found = slices.DeleteFunc(w.s.found, func(c Conflict) bool { return c.ID == id && slices.Contains(keys, c.Key) })
}

// blanksAmong makes marks of the blanks from elsewhere of states that are here.
func (w *writer) blanksAmong(id string, revs []entry.Revision) ([]mark, error) {
	var here []string
	for _, dir := range []string{folderOf(id), broughtFolder(id)} {
		keys, err := keysIn(w.root, dir, id)
		if err != nil {
			return nil, fmt.Errorf("history of %q: %w", id, err)
		}
		here = append(here, keys...)
	}
	var marks []mark
	for _, r := range revs {
		if r.Op == entry.OpBlank && common(r.Instead, here) {
			key := r.Key()
			marks = append(marks, mark{r, key, path.Join(folderOf(id), halfName(id, key))})
		}
	}
	return marks, nil
}

func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// splitMasked takes those revisions from elsewhere apart that stand in for
// states which are here.
func splitMasked(revs []entry.Revision, here []string) (rest, masked []entry.Revision) {
	for _, r := range revs {
		if r.Op != entry.OpBlank && common(r.Instead, here) {
			masked = append(masked, r)
		} else {
			rest = append(rest, r)
		}
	}
	return rest, masked
}

// takeMasked takes over what was masked elsewhere. A head that is in the state
// that was masked becomes the masked one.
func (w *writer) takeMasked(ctx context.Context, id string, r entry.Revision, cur *current, stays bool, m *Merged) error {
	was := func(key string) bool {
		old, err := revision(w.root, id, key)
		return err == nil && old.Matches(cur.bytes)
	}
	if !stays || cur == nil || !slices.ContainsFunc(r.Instead, was) {
		return w.putAll(folderOf(id), []entry.Revision{r})
	}
	m.Heads = append(m.Heads, id)
	return w.lead(ctx, id, past{r, r.Key()}, nil)
}

// dropReplaced removes states that are here though others stand in for them.
func (w *writer) dropReplaced(id string) error {
	stand := w.standing(id)
	dropped := false
	for _, dir := range []string{folderOf(id), broughtFolder(id)} {
		keys, err := keysIn(w.root, dir, id)
		if err != nil {
			return fmt.Errorf("history of %q: %w", id, err)
		}
		for _, key := range keys {
			if !stand.replaced(key) {
				continue
			}
			if err := w.discard(path.Join(dir, id+"."+key+".md")); err != nil {
				return err
			}
			dropped = true
		}
		if dropped {
			if err := w.syncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if !dropped {
		return nil
	}
	w.s.memo.forget(id)
	return w.dropSnapshots()
}
