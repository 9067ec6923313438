package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memory-mcp/store/entry"
)

// Merged is what taking over other revisions came to.
type Merged struct {
	Added   int       // revisions that were not here
	Heads   []string  // ids whose head is another one now
	Twins   []string  // ids of which a state is left that the head does not follow
	Erased  []string  // ids that were erased there, and are now erased here
	Skipped []Skipped // what was left as it was
	Damaged []Problem // files of the other folder that could not be used
	Records int       // that were not here
}

// Skipped is an entry that a merge left alone, and why.
type Skipped struct {
	ID  string
	Err error
}

// offer is what another folder has of one id.
type offer struct {
	id      string
	read    func() (revs, brought []entry.Revision)
	waiting time.Time // since when its head is being edited
}

// Graft puts revisions into history as they are, and lets the heads follow as
// [Store.Merge] does.
func (s *Store) Graft(ctx context.Context, revs ...entry.Revision) (Merged, error) {
	byID := map[string][]entry.Revision{}
	for _, r := range revs {
		if r.Key() == "" {
			return Merged{}, fmt.Errorf("graft: a revision of %q cannot be written", r.ID)
		}
		byID[r.ID] = append(byID[r.ID], r)
	}
	var offers []offer
	for id, of := range byID {
		offers = append(offers, offer{id: id, read: func() ([]entry.Revision, []entry.Revision) { return of, nil }})
	}
	slices.SortFunc(offers, func(a, b offer) int { return strings.Compare(a.id, b.id) })
	var m Merged
	return m, s.unite(ctx, offers, &m)
}

// Merge takes over what a copy of this folder has and this one has not: each
// history becomes the union of both. A head that has not been edited by hand
// becomes the later one of both sides; where each side has gone on by itself
// the other state stays beside it, and is shown as a conflict. What was erased
// on one side is erased here. The other folder is only read. After a kill,
// merging again completes it.
func (s *Store) Merge(ctx context.Context, from string) (Merged, error) {
	var m Merged
	other, err := Open(from, Options{Now: s.opts.Now, Plain: s.opts.Plain, Person: s.opts.Person, Random: s.opts.Random})
	if err != nil {
		return m, err
	}
	if ok, err := s.isOther(other.dir); err != nil || !ok {
		return m, errors.Join(err, other.Close())
	}
	there, err := other.Past(ctx)
	if err != nil {
		return m, errors.Join(fmt.Errorf("merge %s: %w", from, err), other.Close())
	}
	here, err := s.Past(ctx)
	if err != nil {
		return m, errors.Join(err, other.Close())
	}
	err = s.unite(ctx, offers(here, there), &m)
	if err == nil {
		err = s.uniteRecords(ctx, other, &m)
	}
	m.Damaged = there.Damaged()
	return m, errors.Join(err, other.Close())
}

// isOther tells whether a path leads to another folder of entries.
func (s *Store) isOther(dir string) (bool, error) {
	info, err := os.Stat(dir)
	if err == nil {
		_, err = os.Lstat(filepath.Join(dir, lobeName))
	}
	if err != nil {
		return false, fmt.Errorf("merge %s: it is no folder of entries: %w", dir, err)
	}
	own, err := os.Stat(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && !os.SameFile(own, info), err
}

// offers gives the ids of which a folder may have something that another has
// not.
func offers(here, there *Past) []offer {
	unwritten := map[string]bool{}
	doubtful, _ := there.unsettled(nil)
	for _, id := range there.which(doubtful, func(l *line) bool { return l.pending }) {
		unwritten[id] = true
	}
	brought := there.allBrought()
	var all []offer
	for id := range there.IDs() {
		mine, _ := here.names.of(id)
		its, known := there.names.of(id)
		if known && mine.sum == its.sum && !unwritten[id] && !brought[id] {
			continue
		}
		all = append(all, offer{id: id, read: func() ([]entry.Revision, []entry.Revision) { return there.all(id) }})
	}
	return all
}

// all gives every revision of an id, what it has brought along, and what is
// pending of it. Of an erased id it gives the tombstone.
func (p *Past) all(id string) (revs, brought []entry.Revision) {
	read := func(moments []Moment) (revs []entry.Revision) {
		for _, m := range moments {
			if r, err := p.Read(m); err == nil { // what is damaged is named, and what has changed is seen the next time
				revs = append(revs, r)
			}
		}
		return revs
	}
	l := p.line(id)
	if l.head != nil && l.head.Broken != nil {
		return nil, nil
	}
	own := slices.DeleteFunc(p.Line(id), func(m Moment) bool { return m.Pending && l.erased })
	revs = read(slices.Concat(own, p.Beside(id)))
	if l.erased {
		return revs, nil
	}
	return revs, read(p.Brought(id))
}

// unite takes over what is offered. It holds the lock for a slice of time at a
// time, so that others can write in between.
func (s *Store) unite(ctx context.Context, todo []offer, m *Merged) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	for len(todo) > 0 {
		before := len(todo)
		err := s.locked(ctx, func(w *writer) (err error) {
			if w.view, err = s.Look(ctx); err != nil {
				return err
			}
			slice, cancel := context.WithTimeout(ctx, settleSlice)
			defer cancel()
			var marks []mark
			todo, marks, err = w.uniteSome(slice, todo, m)
			return errors.Join(err, w.eraseHere(ctx, marks, m))
		})
		if err == nil && len(todo) > 0 {
			pause := settlePause
			if len(todo) == before {
				pause = 10 * settlePause
			}
			err = sleep(ctx, pause)
		}
		if err != nil {
			return fmt.Errorf("merge: %w", err)
		}
	}
	return nil
}

// uniteSome does what its time allows, one entry at least, and gives back what
// is left, and marks of what is to be erased.
func (w *writer) uniteSome(ctx context.Context, todo []offer, m *Merged) (later []offer, marks []mark, err error) {
	if err := w.keepLate(); err != nil {
		return todo, nil, err
	}
	for i, o := range todo {
		if i > 0 && ctx.Err() != nil {
			later = append(later, todo[i:]...)
			break
		}
		some, err := w.uniteOne(ctx, o, m)
		var resting *restingError
		switch {
		case err == nil:
			marks = append(marks, some...)
		case errors.As(err, &resting) || errors.Is(err, errAgain):
			if o.waiting.IsZero() {
				o.waiting = w.s.wall()
			}
			if w.s.wall().Sub(o.waiting) < restWait {
				later = append(later, o)
			} else {
				m.Skipped = append(m.Skipped, Skipped{o.id, &BusyError{ID: o.id}})
			}
		case skippable(err):
			m.Skipped = append(m.Skipped, Skipped{o.id, err})
		default:
			return todo, marks, err
		}
	}
	return later, marks, nil
}

// skippable tells whether an error is about one entry, and no reason to leave
// the others.
func skippable(err error) bool {
	var exists *ExistsError
	var broken *BrokenError
	var busy *BusyError
	return errors.As(err, &exists) || errors.As(err, &broken) || errors.As(err, &busy)
}

// eraseHere erases what was erased on the other side.
func (w *writer) eraseHere(ctx context.Context, marks []mark, m *Merged) error {
	if len(marks) == 0 {
		return nil
	}
	if err := w.rescan(ctx); err != nil {
		return err
	}
	if err := w.layMarks(marks); err != nil {
		return err
	}
	done, err := w.carryOut(ctx, marks)
	for _, e := range done {
		m.Erased = append(m.Erased, e.ID)
	}
	return err
}

// uniteOne takes over one id. It gives marks of what is to be erased: the id, or
// single states of it.
func (w *writer) uniteOne(ctx context.Context, o offer, m *Merged) ([]mark, error) {
	cur, err := w.read(o.id)
	if err != nil {
		return nil, err
	}
	var unknown *UnknownIDError
	if _, _, err = w.settled(o.id, cur); errors.As(err, &unknown) && unknown.Erased {
		return nil, nil // it stays erased
	} else if err != nil {
		return nil, err
	}
	keys, err := keysOf(w.root, o.id)
	if err != nil {
		return nil, fmt.Errorf("history of %q: %w", o.id, err)
	}
	revs, brought := o.read()
	if at := slices.IndexFunc(revs, func(r entry.Revision) bool { return r.Op == entry.OpErase }); at >= 0 {
		return w.eraseAs(o.id, revs[at], keys, cur)
	}
	marks, err := w.blanksAmong(o.id, slices.Concat(revs, brought))
	if err != nil {
		return nil, err
	}
	stand := w.standing(o.id)
	known := func(r entry.Revision) bool {
		marked := func(m mark) bool { return m.key == r.Key() } // it is put there when its state is erased
		return slices.Contains(keys, r.Key()) || stand.replaced(r.Key()) || slices.ContainsFunc(marks, marked)
	}
	brought = slices.DeleteFunc(brought, known)
	revs = slices.DeleteFunc(revs, known)
	m.Added += len(revs) + len(marks)
	if len(brought) > 0 {
		if err := w.putAll(broughtFolder(o.id), brought); err != nil {
			return nil, err
		}
	}
	if len(revs) == 0 {
		return marks, w.dropReplaced(o.id)
	}
	return marks, w.takeOver(ctx, o.id, cur, keys, revs, m)
}

// eraseAs makes the mark that erases an id as the other side did; one of which
// nothing is here only gets the tombstone.
func (w *writer) eraseAs(id string, r entry.Revision, keys []string, cur *current) ([]mark, error) {
	if cur == nil && len(keys) == 0 {
		return nil, w.putAll(folderOf(id), []entry.Revision{r})
	}
	key := r.Key()
	return []mark{{r, key, path.Join(folderOf(id), halfName(id, key))}}, nil
}

// takeOver puts revisions into the history of an id that is settled. Those that
// are older than the newest here change no head. When one is newer than all,
// its text becomes the head; what lies between is prepared before that and
// counts after it, as any write does.
func (w *writer) takeOver(ctx context.Context, id string, cur *current, keys []string, revs []entry.Revision, m *Merged) error {
	c := w.s.readChain(w.root, id, keys)
	mine, _ := c.newest()
	var early, late []entry.Revision
	var last past
	revs, masked := splitMasked(revs, keys)
	for _, r := range revs {
		key := r.Key()
		if r.Op == entry.OpLate || r.Op == entry.OpBlank || key < mine.key {
			early = append(early, r)
			continue
		}
		late = append(late, r)
		if key > last.key {
			last = past{r, key}
		}
	}
	if err := w.putAll(folderOf(id), early); err != nil {
		return err
	}
	head, _ := w.view.ID(id)
	switch {
	case last.none():
	case cur == nil && last.Gone():
		if err := w.putAll(folderOf(id), late); err != nil {
			return err
		}
	default:
		late = slices.DeleteFunc(late, func(r entry.Revision) bool { return r.Key() == last.key })
		if err := w.lead(ctx, id, last, late); err != nil {
			return err
		}
		m.Heads = append(m.Heads, id)
		head = nil
		if !last.Gone() {
			head = &Head{Path: placeOf(last.Revision), Hash: entry.Sum(last.Head)}
		}
	}
	for _, r := range masked {
		if err := w.takeMasked(ctx, id, r, cur, last.none(), m); err != nil {
			return err
		}
	}
	if err := w.dropReplaced(id); err != nil {
		return err
	}
	return w.noteTwins(id, head, m)
}

// lead makes a revision from elsewhere the head of its entry, with those that
// lie before it.
func (w *writer) lead(ctx context.Context, id string, last past, before []entry.Revision) error {
	a := &act{op: last.Op, id: id, exact: &last.Revision, over: true}
	if !last.Gone() {
		a.once = &once{placeOf(last.Revision), last.Head}
	}
	for _, r := range before {
		if err := w.layHalf(r); err != nil {
			return err
		}
	}
	st, err := w.prepare(a)
	if err != nil {
		return err
	}
	if _, err := w.commitAll(ctx, []*step{st}); err != nil {
		return err
	}
	return w.putAll(folderOf(id), before)
}

// layHalf writes a revision under its temporary name.
func (w *writer) layHalf(r entry.Revision) error {
	b, err := r.Format()
	if err != nil {
		return err
	}
	if err := w.makeDir(folderOf(r.ID)); err != nil {
		return err
	}
	half := path.Join(folderOf(r.ID), halfName(r.ID, r.Key()))
	if err := w.discard(half); err != nil {
		return err
	}
	return w.writeSynced(half, b, nil)
}

// noteTwins remembers an id whose head is not the only state that nothing
// follows.
func (w *writer) noteTwins(id string, head *Head, m *Merged) error {
	keys, err := keysOf(w.root, id)
	if err != nil {
		return fmt.Errorf("history of %q: %w", id, err)
	}
	l := lineOf(w.s.readChain(w.root, id, keys), head, w.s.opts.Now())
	if len(l.twins()) == 0 {
		return nil
	}
	m.Twins = append(m.Twins, id)
	return w.rememberTwins(id)
}
