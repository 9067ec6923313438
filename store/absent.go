package store

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"
)

// absent is an id whose head is gone.
type absent struct {
	since time.Time // when a look first missed it, in a folder that was there
	path  string    // where it lay; "" until history is asked
	key   string    // the newest revision when history was asked, which was no tombstone
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

// absentees lists the ids that history knows, that were not deleted, and that
// have no head, whether or not a look ever saw it: one that was written and
// taken away between two looks is absent, too. No look waits for it.
func (s *Store) absentees(ctx context.Context, root *os.Root, view *View) ([]string, error) {
	names, err := s.history(root)
	if err != nil {
		return nil, err
	}
	s.looking.Lock()
	missing := maps.Clone(s.missing)
	s.looking.Unlock()
	gone, err := s.headless(ctx, root, view, names, missing)
	if err != nil {
		return nil, err
	}
	if len(gone) > 0 {
		if view, err = s.Look(ctx); err != nil { // what history holds by now was a head by now
			return nil, err
		}
	}
	var ids []string
	for id, a := range gone {
		if _, there := view.ID(id); there {
			delete(gone, id)
		} else if !a.replaced(root, view) {
			ids = append(ids, id)
		}
	}
	s.learn(missing, gone)
	slices.Sort(ids)
	return ids, nil
}

// headless asks history about the ids that have no head. Of those that it says
// are gone it is asked once.
func (s *Store) headless(ctx context.Context, root *os.Root, view *View, names *names, missing map[string]absent) (map[string]absent, error) {
	sh := &shelf{root: root, keep: true}
	defer sh.close()
	gone := map[string]absent{}
	for _, l := range names {
		if l == nil {
			continue
		}
		known := s.accord.settled(l.groups, view.RefOf)
		for i, g := range l.groups {
			if _, there := view.RefOf(g.id); known[i] || there {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if a := missing[g.id].ask(s, sh, g); a.key != "" {
				gone[g.id] = a
			}
		}
	}
	return gone, nil
}

// ask asks history about an id, unless nothing has come to it since the last
// time. Without a key the id is not absent: it was deleted.
func (a absent) ask(s *Store, sh *shelf, g group) absent {
	if g.newest() == a.key {
		return a
	}
	a.key = ""
	l := lineOf(s.readChainFrom(sh, g.id, g.keys), nil, s.opts.Now())
	if l.agrees() {
		s.accord.noteGone(g.id, l.plainSum(g))
		return a
	}
	a.key = g.newest()
	if a.path == "" {
		a.path = l.facts[l.in].path
	}
	return a
}

// replaced tells whether something lies where the head was that cannot be read:
// the head is not gone then. A file with another id in it is another entry.
func (a absent) replaced(root *os.Root, view *View) bool {
	if h, ok := view.Path(a.path); ok && h.Broken == nil {
		return false
	}
	_, err := root.Lstat(a.path)
	return err == nil
}

// learn keeps what history said of the ids whose heads are missing, and forgets
// those of which it had been asked and that are gone.
func (s *Store) learn(asked, gone map[string]absent) {
	s.looking.Lock()
	defer s.looking.Unlock()
	for id := range asked {
		if _, absent := gone[id]; !absent {
			delete(s.missing, id)
		}
	}
	for id, a := range gone {
		if _, back := s.view.ID(id); back {
			continue
		}
		if now, known := s.missing[id]; known {
			a.since = now.since
		}
		if a.since.IsZero() {
			a.since = s.opts.Now()
		}
		s.missing[id] = a
	}
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
		if _, err := root.Lstat(topOf(a.path)); err != nil || unmarked != nil || now.Before(a.since) {
			a.since = now // it only counts from when its folder is there again, and anew by a clock that was set back
			s.missing[id] = a
		} else if now.Sub(a.since) >= s.opts.Settle {
			rested = append(rested, id)
		}
	}
	return rested
}
