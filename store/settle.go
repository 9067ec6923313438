package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// Settled is what a pass over edits from outside came to.
type Settled struct {
	Adopted   []string // ids whose edit became a revision
	Retracted []string // ids whose absence became a tombstone
	Waiting   int      // edits and absences that have not rested long enough
	Vanished  []string // ids that went away in a mass: nothing was written for them
}

// absent is an id whose head is gone.
type absent struct {
	since time.Time // when a look first missed it, in a folder that was there
	path  string    // where it lay; "" until history is asked
}

// noteMissing remembers ids whose head has just gone, and forgets those that
// came back. The caller holds s.looking.
func (s *Store) noteMissing(gone []*Head, now time.Time) {
	for _, h := range gone {
		if _, known := s.missing[h.Entry.ID]; !known {
			s.missing[h.Entry.ID] = absent{since: now, path: h.Path}
		}
	}
	for id := range s.missing {
		if _, back := s.view.ID(id); back {
			delete(s.missing, id)
		}
	}
}

// Settle turns edits from outside that rest into revisions, and deletions from
// outside that rest into tombstones. A final pass, at an orderly exit, takes
// edits as they are. It takes the lock only when there is something to write,
// and leaves the rest to the next pass when ctx ends.
func (s *Store) Settle(ctx context.Context, by By, final bool) (Settled, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	view, err := s.Look(ctx)
	if err != nil {
		return Settled{}, err
	}
	root, err := s.root()
	if err != nil || root == nil {
		return Settled{}, err
	}
	defer root.Close() // a folder handle: nothing to lose
	done, edited, err := s.edited(ctx, root, view, final)
	if err != nil {
		return done, err
	}
	absent, err := s.absentees(root, view)
	if err != nil {
		return done, err
	}
	if massive(absent, view) {
		done.Vanished, absent = absent, nil
	}
	rested := s.restedAbsence(root, absent)
	done.Waiting += len(absent) - len(rested)
	s.looking.Lock()
	late := s.unkept()
	s.looking.Unlock()
	if len(edited)+len(rested) == 0 && !late {
		return done, nil
	}
	err = s.locked(ctx, func(w *writer) error {
		w.by = by
		if w.view, err = s.Look(ctx); err != nil {
			return err
		}
		return errors.Join(w.keepLate(), w.adoptAll(ctx, edited, &done), w.retractAll(rested, &done))
	})
	return done, err
}

// edited finds the heads that differ from their history and rest.
func (s *Store) edited(ctx context.Context, root *os.Root, view *View, final bool) (Settled, []*Head, error) {
	var done Settled
	var edited []*Head
	now := s.opts.Now()
	for h := range view.Heads() {
		if h.Copy != "" || h.Broken != nil || s.agrees(h) {
			continue
		}
		if ctx.Err() != nil {
			done.Waiting++
			continue
		}
		keys, err := keysOf(root, h.Entry.ID)
		if err != nil {
			return done, nil, fmt.Errorf("history of %q: %w", h.Entry.ID, err)
		}
		b, err := root.ReadFile(h.Path)
		if err != nil || entry.Sum(b) != h.Hash {
			done.Waiting++ // it changes at this moment
			continue
		}
		if _, ok := under(root, h.Entry.ID, keys, b); ok {
			s.setAgrees(h)
		} else if final || s.restedSince(h.Path, now) {
			edited = append(edited, h)
		} else {
			done.Waiting++
		}
	}
	return done, edited, nil
}

func (s *Store) agrees(h *Head) bool {
	s.looking.Lock()
	defer s.looking.Unlock()
	return s.matched[h.Path] == h.Hash
}

func (s *Store) setAgrees(h *Head) {
	s.looking.Lock()
	defer s.looking.Unlock()
	s.matched[h.Path] = h.Hash
}

// restedSince tells whether two looks, far enough apart, saw the same content.
func (s *Store) restedSince(p string, now time.Time) bool {
	s.looking.Lock()
	defer s.looking.Unlock()
	f := s.files[p]
	return f != nil && f.empty.IsZero() && now.Sub(f.since) >= s.opts.Settle
}

// absentees lists the ids that history knows, that were not deleted, and that
// have no head. The first call reads which ids history has; later ones know
// what the looks have missed.
func (s *Store) absentees(root *os.Root, view *View) ([]string, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	now := s.opts.Now()
	if !s.passed {
		all, err := allKeys(root)
		if err != nil {
			return nil, err
		}
		for id := range all {
			_, there := view.ID(id)
			if _, known := s.missing[id]; !there && !known {
				s.missing[id] = absent{since: now}
			}
		}
		s.passed = true
	}
	var ids []string
	for id, a := range s.missing {
		p, err := newest(root, id)
		if err != nil {
			return nil, err
		}
		if p.none() || p.Gone() {
			delete(s.missing, id)
			continue
		}
		if a.path == "" {
			a.path = p.Path
			s.missing[id] = a
		}
		if h, ok := view.Path(a.path); ok && h.Broken == nil {
			// another entry lies there now: somebody has changed the id in the file
		} else if _, err := root.Lstat(a.path); err == nil {
			continue // something lies where the head was: it cannot be read, but it is not gone
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

// massive tells whether so much is gone that nobody can have meant it.
func massive(gone []string, view *View) bool {
	return len(gone) > 3 && len(gone)*10 > view.Len()+len(gone)
}

// restedAbsence keeps the ids that have been gone for long enough, from a
// folder that is still there.
func (s *Store) restedAbsence(root *os.Root, ids []string) []string {
	_, unmarked := root.Lstat(lobeName)
	s.looking.Lock()
	defer s.looking.Unlock()
	now := s.opts.Now()
	var rested []string
	for _, id := range ids {
		a := s.missing[id]
		if _, err := root.Lstat(topOf(a.path)); err != nil || unmarked != nil {
			a.since = now // it only counts from when its folder is there again
			s.missing[id] = a
		} else if now.Sub(a.since) >= s.opts.Settle {
			rested = append(rested, id)
		}
	}
	return rested
}

// topOf is the topic's folder of a path; of a file beside the folders, itself a
// part of none, it is the store's own.
func topOf(p string) string {
	if top, _, below := strings.Cut(p, "/"); below {
		return top
	}
	return "."
}

// adoptAll adopts the heads that are still as they were when they were chosen,
// several at a time: the syncs of many share one wait. It stops when ctx ends;
// what is left waits for the next pass.
func (w *writer) adoptAll(ctx context.Context, heads []*Head, done *Settled) error {
	const workers = 16
	var group sync.WaitGroup
	errs := make([]error, workers)
	adopted := make([][]string, workers)
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(heads) && ctx.Err() == nil; i += workers {
				ok, err := w.adoptOne(heads[i])
				if ok {
					adopted[worker] = append(adopted[worker], heads[i].Entry.ID)
				} else if errs[worker] == nil { // one is enough to tell, and no reason to leave the others
					errs[worker] = err
				}
			}
		})
	}
	group.Wait()
	done.Adopted = slices.Concat(adopted...)
	slices.Sort(done.Adopted)
	done.Waiting += len(heads) - len(done.Adopted)
	return errors.Join(errs...)
}

// adoptOne adopts a head, unless it has changed or somebody was faster.
func (w *writer) adoptOne(h *Head) (bool, error) {
	cur, err := w.read(h.Entry.ID)
	var resting *restingError
	if errors.As(err, &resting) || errors.Is(err, errAgain) || err == nil && (cur == nil || cur.head.Hash != h.Hash) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := w.recover(h.Entry.ID); err != nil {
		return false, err
	}
	keys, err := keysOf(w.root, h.Entry.ID)
	if err != nil {
		return false, err
	}
	p, agrees := under(w.root, h.Entry.ID, keys, cur.bytes)
	if agrees {
		return false, nil
	}
	_, err = w.adopt(cur, p)
	return err == nil, err
}

// retractAll writes tombstones for heads that a person deleted.
func (w *writer) retractAll(ids []string, done *Settled) error {
	for _, id := range ids {
		if _, back := w.view.ID(id); back {
			continue
		}
		if err := w.recover(id); err != nil {
			return err
		}
		p, err := newest(w.root, id)
		if err != nil {
			return err
		}
		if p.none() || p.Gone() {
			continue
		}
		if err := w.tombstone(p, "the file was deleted"); err != nil {
			return fmt.Errorf("retract %q: %w", id, err)
		}
		done.Retracted = append(done.Retracted, id)
	}
	return nil
}

// tombstone writes that an entry without a head is gone.
func (w *writer) tombstone(p past, reason string) error {
	by := w.by
	if by.Actor == "" || reason != "" {
		by = By{Actor: actorOutside, Hint: w.s.opts.Person}
	}
	st := &step{rev: entry.Revision{
		ID: p.ID, Parents: parents(p), Recorded: w.recorded(p, w.s.opts.Now()), Actor: text(by.Actor), Session: text(by.Session),
		Role: text(by.Role), Op: entry.OpRetract, Reason: text(reason), Change: w.change, Path: p.Path, Hint: text(by.Hint),
	}}
	if reason == "" {
		st.rev.Reason = text(by.Reason)
	}
	if err := w.writeHalf(st); err != nil {
		return errors.Join(err, w.abandon([]*step{st}))
	}
	return w.complete(st.half, p.ID, st.key)
}

// Vanished lists the ids whose heads went away in a mass. Nothing is written
// for them until [Store.RestoreVanished] or [Store.ForgetVanished] decides.
func (s *Store) Vanished(ctx context.Context) ([]string, error) {
	view, err := s.Look(ctx)
	if err != nil {
		return nil, err
	}
	root, err := s.root()
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close() // a folder handle: nothing to lose
	gone, err := s.absentees(root, view)
	if err != nil || !massive(gone, view) {
		return nil, err
	}
	return gone, nil
}

// RestoreVanished puts every vanished head back as history has it.
func (s *Store) RestoreVanished(ctx context.Context, by By) ([]Written, error) {
	gone, err := s.Vanished(ctx)
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	return s.Restore(ctx, by, gone...)
}

// ForgetVanished makes the absence of every vanished head a deletion.
func (s *Store) ForgetVanished(ctx context.Context, by By) ([]Written, error) {
	gone, err := s.Vanished(ctx)
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	var done []Written
	err = s.locked(ctx, func(w *writer) error {
		w.by = by
		for _, id := range gone {
			p, err := newest(w.root, id)
			if err != nil {
				return err
			}
			if p.none() || p.Gone() {
				continue
			}
			if err := w.tombstone(p, ""); err != nil {
				return fmt.Errorf("retract %q: %w", id, err)
			}
			done = append(done, Written{ID: id, Path: s.abs(p.Path)})
		}
		return nil
	})
	return done, err
}

// Restore puts back entries that were deleted, or whose heads vanished, with
// the bytes of their last state.
func (s *Store) Restore(ctx context.Context, by By, ids ...string) ([]Written, error) {
	return s.Write(ctx, by, func(tx *Tx) error {
		for _, id := range ids {
			if h, ok := tx.view.ID(id); ok {
				return &ExistsError{ID: id, Path: s.abs(h.Path)}
			}
			if tx.root == nil {
				return &UnknownIDError{ID: id, Dir: s.dir}
			}
			name, b, err := lastState(tx.root, s.dir, id)
			if err != nil {
				return err
			}
			tx.plan(&act{op: entry.OpRestore, id: id, bytes: func(past) (string, []byte, error) { return name, b, nil }})
		}
		return nil
	})
}

// lastState gives the bytes and the path of an entry before it went away.
func lastState(root *os.Root, dir, id string) (string, []byte, error) {
	keys, err := keysOf(root, id)
	if err != nil {
		return "", nil, fmt.Errorf("history of %q: %w", id, err)
	}
	// From a deletion to what was deleted, and not to what lies beside it.
	last := newestOf(root, id, keys)
	for last.Gone() && last.Op != entry.OpErase && len(last.Parents) > 0 {
		r, err := revision(root, id, last.Parents[0])
		if err != nil {
			break
		}
		last = past{r, last.Parents[0]}
	}
	for at := len(keys) - 1; last.Gone() && last.Op != entry.OpErase && at >= 0; at-- {
		if r, err := revision(root, id, keys[at]); err == nil && (!r.Gone() || r.Op == entry.OpErase) {
			last = past{r, keys[at]}
		}
	}
	if last.none() || last.Gone() {
		return "", nil, &UnknownIDError{ID: id, Dir: dir}
	}
	p := last.Path
	if !fs.ValidPath(p) || !entry.IsEntryPath(p) {
		p = path.Join("general", id+".md")
	}
	return p, last.Head, nil
}
