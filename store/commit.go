package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// step is one act, prepared: everything that it needs is on disk under
// temporary names.
type step struct {
	act     *act
	path    string   // of the head
	from    string   // where it lay before; "" when it stays
	old     *current // what the head was when the step was prepared; nil: there was none
	bytes   []byte   // what it becomes; nil: it goes
	key     string
	rev     entry.Revision
	half    string // the revision's temporary
	temp    string // the head's temporary, and then the file that came out; "" when the head stays as it is
	spare   *os.File
	adopted bool
}

func (st *step) past() past { return past{st.rev, st.key} }

// same tells whether the head stays as it is.
func (st *step) same() bool {
	return st.bytes != nil && st.old != nil && bytes.Equal(st.bytes, st.old.bytes)
}

// prepare reads the head, turns an edit from outside into a revision, and lays
// down the new revision and the new head under temporary names.
func (w *writer) prepare(a *act) (*step, error) {
	st := &step{act: a}
	p, err := w.base(st)
	if err != nil {
		return nil, err
	}
	if want, ok := w.expect[a.id]; ok && (st.adopted || want != p.hash16()) {
		return nil, &ConflictError{ID: a.id, Want: want, Have: p.hash16()}
	}
	if err := w.compose(st, p); err != nil {
		return nil, err
	}
	st.rev = entry.Revision{
		ID: a.id, Recorded: w.s.opts.Now(), MovedTo: text(a.movedTo),
		Actor: text(w.by.Actor), Session: text(w.by.Session), Role: text(w.by.Role), Op: a.op,
		Reason: text(a.reason), Change: w.change, Path: utf8Path(st.path), Hint: text(w.by.Hint), Head: st.bytes,
	}
	if a.reason == "" {
		st.rev.Reason = text(w.by.Reason)
	}
	if a.exact != nil {
		st.rev = *a.exact
		if err := w.discard(path.Join(folderOf(a.id), halfName(a.id, st.rev.Key()))); err != nil { // a kill may have left it
			return nil, err
		}
	} else if err := w.follow(st, p); err != nil {
		return nil, err
	}
	if err := w.layDown(st); err != nil {
		return nil, fmt.Errorf("prepare %q: %w", a.id, errors.Join(err, w.abandon([]*step{st})))
	}
	return st, nil
}

// base finds what the step builds on: an earlier step of the same write for
// this id, or what is on disk.
func (w *writer) base(st *step) (past, error) {
	if before := w.steps[st.act.id]; before != nil {
		if before.bytes != nil {
			h := w.s.parse(before.path, stamp{mtime: w.s.opts.Now().UnixNano()}, before.bytes)
			st.old, st.path = &current{head: h, bytes: before.bytes}, before.path
			if before.old != nil {
				st.old.stamp = before.old.stamp
			}
		}
		return before.past(), nil
	}
	cur, err := w.read(st.act.id)
	if err != nil {
		return past{}, err
	}
	if st.old = cur; cur != nil {
		st.path = cur.head.Path
	}
	p, adopted, err := w.settled(st.act.id, cur)
	st.adopted = adopted
	return p, err
}

// compose makes the head's new bytes, and checks that they say what was meant.
func (w *writer) compose(st *step, p past) error {
	a := st.act
	var e entry.Entry
	var err error
	switch {
	case a.gone():
		if st.old == nil {
			return &UnknownIDError{ID: a.id, Dir: w.s.dir, Gone: p.Gone()}
		}
		return nil
	case a.once != nil:
		if st.old != nil && !a.over {
			return &ExistsError{ID: a.id, Path: w.s.abs(st.path)}
		}
		st.bytes = a.once.bytes
		return w.settlePlace(st, a.once.path)
	case a.put != nil:
		e = *a.put
	case st.old == nil:
		return &UnknownIDError{ID: a.id, Dir: w.s.dir, Gone: p.Gone()}
	default:
		if e, err = a.change(st.old.head.Entry); err != nil {
			return err
		}
		e.ID = a.id
	}
	if st.old != nil {
		st.bytes, err = entry.RewriteFile(st.path, w.s.opts.Now(), st.old.bytes, e)
		if err != nil {
			return fmt.Errorf("rewrite %s: %w", w.s.abs(st.path), err)
		}
		if a.move {
			err = w.settlePlace(st, path.Join(entry.Dir(e), path.Base(st.path)))
		}
		if err != nil {
			return err
		}
	} else {
		if e.Created.IsZero() {
			e.Created = w.s.opts.Now().UTC().Truncate(time.Millisecond)
		}
		if st.path, st.bytes, err = w.newFile(e, a.like); err != nil {
			return err
		}
	}
	return w.check(st)
}

// newFile gives the place and the bytes of a new file.
func (w *writer) newFile(e entry.Entry, like []byte) (string, []byte, error) {
	to := w.place(e)
	if like == nil {
		return to, e.Format(), nil
	}
	b, err := entry.RewriteFile(to, w.s.opts.Now(), like, e)
	if err != nil {
		return "", nil, fmt.Errorf("write %s: %w", w.s.abs(to), err)
	}
	return to, b, nil
}

// check refuses bytes that this program could not read again.
func (w *writer) check(st *step) error {
	got, err := entry.ParseFile(st.path, w.s.opts.Now(), st.bytes)
	if err == nil && got.Entry.ID != st.act.id {
		err = fmt.Errorf("it would read as entry %q", got.Entry.ID)
	}
	if err == nil && len(st.bytes) > maxHead {
		err = fmt.Errorf("%d bytes are more than the %d of an entry", len(st.bytes), maxHead)
	}
	if err != nil {
		return fmt.Errorf("write entry %q: %w", st.act.id, err)
	}
	return nil
}

// layDown writes the two temporaries. They are synced at the same time, which
// a journal turns into one wait.
func (w *writer) layDown(st *step) error {
	var half, head error
	var group sync.WaitGroup
	group.Go(func() { half = w.writeHalf(st) })
	if !st.same() {
		head = w.writeHead(st)
	}
	group.Wait()
	return errors.Join(half, head)
}

func (w *writer) writeHead(st *step) error {
	rnd, err := w.s.random(8)
	if err != nil {
		return err
	}
	temp := path.Join(path.Dir(st.path), tempPrefix+rnd)
	if st.bytes == nil {
		st.temp = temp
		return nil
	}
	if err := w.makeDir(path.Dir(st.path)); err != nil {
		return err
	}
	var like *stamp
	if st.old != nil && st.old.stamp.kind == kindFile {
		like = &st.old.stamp
	}
	if err := w.writeSynced(temp, st.bytes, like); err != nil {
		return err
	}
	st.temp = temp
	return nil
}

func (w *writer) writeHalf(st *step) error {
	b, err := st.rev.Format()
	if err != nil {
		return err
	}
	st.key = st.rev.Key()
	dir := folderOf(st.rev.ID)
	if err := w.makeDir(dir); err != nil {
		return err
	}
	half := path.Join(dir, halfName(st.rev.ID, st.key))
	if err := w.writeSynced(half, b, nil); err != nil {
		return err
	}
	st.half = half
	return nil
}

// abandon removes the temporaries of steps that are not committed.
func (w *writer) abandon(steps []*step) error {
	var errs []error
	for _, st := range steps {
		if st.half != "" {
			errs = append(errs, w.discard(st.half))
		}
		if st.temp != "" {
			errs = append(errs, w.discard(st.temp))
		}
	}
	return errors.Join(errs...)
}

// commitAll commits the steps in order. A step whose head an editor changed in
// the meantime is prepared anew on what the editor wrote.
func (w *writer) commitAll(ctx context.Context, steps []*step) ([]Written, error) {
	var done []Written
	for i, st := range steps {
		err := w.commit(st)
		if errors.Is(err, errRaced) {
			st, err = w.redo(ctx, st)
			steps[i] = st
		}
		if err != nil {
			return done, errors.Join(fmt.Errorf("write entry %q: %w", st.act.id, err), w.abandon(steps[i:]))
		}
		if err := w.finish(st); err != nil {
			// The head is in place: the revision's temporary stays, for the next write to settle.
			return done, errors.Join(err, st.letGo(), w.abandon(steps[i+1:]))
		}
		done = append(done, w.written(st))
	}
	return done, nil
}

// errRaced says that an editor changed a head between its being read and being
// replaced; the editor's bytes are in place again.
var errRaced = errors.New("an editor changed the file during the write")

// redo prepares and commits a step again until its head rests.
func (w *writer) redo(ctx context.Context, st *step) (*step, error) {
	delete(w.steps, st.act.id)
	if err := w.abandon([]*step{st}); err != nil {
		return st, err
	}
	var err error
	for start := w.s.wall(); w.s.wall().Sub(start) < restWait+restAge; {
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return st, err
		}
		if w.view, err = w.s.Look(ctx); err != nil {
			return st, err
		}
		var resting *restingError
		fresh, perr := w.prepare(st.act)
		switch err = perr; {
		case errors.As(err, &resting), errors.Is(err, errAgain):
			continue
		case err != nil:
			return st, err
		}
		if err = w.commit(fresh); !errors.Is(err, errRaced) {
			return fresh, err
		}
		if err := w.abandon([]*step{fresh}); err != nil {
			return fresh, err
		}
	}
	return st, &BusyError{ID: st.act.id, Path: w.s.abs(st.path)}
}

// commit makes the step's head the head.
func (w *writer) commit(st *step) error {
	var err error
	if st.from != "" {
		if err := w.relocate(st); err != nil {
			return err
		}
	}
	switch {
	case st.same():
		return nil
	case st.bytes == nil:
		err = w.takeAway(st)
	case st.old == nil:
		err = w.putNew(st)
	default:
		err = w.exchange(st)
	}
	return err
}

func (w *writer) putNew(st *step) error {
	err := w.claim(st.temp, st.path)
	if errors.Is(err, fs.ErrExist) {
		return &ExistsError{ID: st.act.id, Path: w.s.abs(st.path)}
	}
	if err == nil {
		st.temp = ""
	}
	return err
}

// exchange puts the new head in the old one's place, and makes sure that what
// came out is what was read.
func (w *writer) exchange(st *step) error {
	done, err := swap(w.root, st.temp, st.path)
	if errors.Is(err, fs.ErrNotExist) {
		return errRaced
	}
	if err != nil {
		return err
	}
	if !done {
		return w.compareAndRename(st)
	}
	if w.cameOut(st) {
		return nil
	}
	if err := w.giveBack(st); err != nil {
		return err
	}
	return errRaced
}

// compareAndRename is exchange for a system that cannot exchange: an editor
// that saves by rename between the comparison and our own is not seen.
func (w *writer) compareAndRename(st *step) error {
	f, err := w.root.OpenFile(st.path, os.O_RDONLY|nonBlock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return errRaced
	}
	if err != nil {
		return err
	}
	b, err := readOpen(f)
	if err == nil && !bytes.Equal(b, st.old.bytes) {
		err = errRaced
	}
	if err == nil && !mayKeepOpen {
		err = f.Close()
		f = nil
	}
	if err == nil {
		err = w.rename(st.temp, st.path)
	}
	if err != nil {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		return err
	}
	st.spare, st.temp = f, ""
	return nil
}

// takeAway moves the head out of its place, and puts it back when it is not
// what was read.
func (w *writer) takeAway(st *step) error {
	if err := w.rename(st.path, st.temp); errors.Is(err, fs.ErrNotExist) {
		return errRaced
	} else if err != nil {
		return err
	}
	if w.cameOut(st) {
		return nil
	}
	if err := w.putBack(st); err != nil {
		return err
	}
	return errRaced
}

// finish makes the head last and the revision count, and gives up what was
// replaced.
func (w *writer) finish(st *step) error {
	if !st.same() {
		if err := w.syncDir(path.Dir(st.path)); err != nil {
			return fmt.Errorf("write entry %q: %w", st.act.id, err)
		}
	}
	if err := w.complete(st.half, st.rev.ID, st.key); err != nil {
		return fmt.Errorf("write revision of %q: %w", st.rev.ID, err)
	}
	if st.temp != "" {
		w.discard(st.temp) // the write has happened; a leftover is swept later
	}
	if st.bytes == nil {
		w.prune(path.Dir(st.path))
	}
	w.s.wrote(st)
	return nil
}

// complete gives a temporary revision its name.
func (w *writer) complete(half, id, key string) error {
	if err := w.rename(half, path.Join(folderOf(id), id+"."+key+".md")); err != nil {
		return err
	}
	return w.syncDir(folderOf(id))
}

// prune removes a folder that a deletion has left empty, up to the topic's
// own. A folder that is not empty refuses, and that is the answer.
func (w *writer) prune(dir string) {
	for path.Dir(dir) != "." && dir != "." {
		if err := w.root.Remove(dir); err != nil {
			return
		}
		dir = path.Dir(dir)
	}
}

func (w *writer) written(st *step) Written {
	d := Written{ID: st.act.id, Path: w.s.abs(st.path), Key: st.key, Revision: hash16(st.key), Adopted: st.adopted}
	if st.old != nil {
		d.Before = st.old.head
	}
	return d
}
