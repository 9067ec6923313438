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

// manyMissing is the number of ids from which on it is quicker to list the
// whole history than the folder of each.
const manyMissing = 64

// absentees lists the ids that history knows, that were not deleted, and that
// have no head. The first call reads which ids history has; later ones know
// what the looks have missed. No look waits for it.
func (s *Store) absentees(ctx context.Context, root *os.Root, view *View) ([]string, error) {
	s.looking.Lock()
	missing, passed := maps.Clone(s.missing), s.passed
	s.looking.Unlock()
	keys := func(id string) ([]string, error) { return keysOf(root, id) }
	if !passed || len(missing) > manyMissing {
		all, err := allKeys(root)
		if err != nil {
			return nil, err
		}
		for id := range all {
			_, there := view.ID(id)
			if _, known := missing[id]; !there && !known && !passed {
				missing[id] = absent{since: s.opts.Now()}
			}
		}
		keys = func(id string) ([]string, error) { return all[id], nil }
	}
	var ids []string
	var err error
	for id, a := range missing {
		var of []string
		if of, err = keys(id); err != nil {
			break
		}
		if err = ctx.Err(); err != nil {
			break
		}
		if missing[id] = a.ask(s, root, id, of); missing[id].key != "" && !missing[id].replaced(root, view) {
			ids = append(ids, id)
		}
	}
	s.learn(missing, err == nil)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	if view, err = s.Look(ctx); err != nil { // what history holds by now was a head by now
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { _, there := view.ID(id); return there })
	slices.Sort(ids)
	return ids, nil
}

// ask asks history about an id, unless nothing has come to it since the last
// time. Without a key the id is not absent: it was deleted, or never there.
func (a absent) ask(s *Store, root *os.Root, id string, keys []string) absent {
	if len(keys) > 0 && keys[len(keys)-1] == a.key {
		return a
	}
	a.key = ""
	if l := lineOf(s.readChain(root, id, keys), nil, s.opts.Now()); !l.agrees() {
		a.key = keys[len(keys)-1]
		if a.path == "" {
			a.path = l.facts[l.in].path
		}
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

// learn keeps what history said of the ids whose heads are still missing.
func (s *Store) learn(missing map[string]absent, whole bool) {
	s.looking.Lock()
	defer s.looking.Unlock()
	for id, a := range missing {
		now, known := s.missing[id]
		_, back := s.view.ID(id)
		switch {
		case back || !known && s.passed:
		case whole && a.key == "":
			delete(s.missing, id)
		case known:
			a.since = now.since
			s.missing[id] = a
		default:
			s.missing[id] = a
		}
	}
	s.passed = s.passed || whole
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
