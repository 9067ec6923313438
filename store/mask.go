package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"memory-mcp/store/entry"
)

// Mask changes what an entry says, and what it ever said: change is given the
// path and the bytes of the head and of every state in its history, and gives
// the bytes that are to stand there; those that stay are given back as they
// are. The facts of the writing stay. It tells how many files became others.
//
// New revisions are written before the head is replaced, and old ones removed
// last: a Mask that was cut short is completed by another one. Snapshots of the
// folder go too. Other copies of the folder keep what was masked here, and a
// merge with one of them brings it back.
func (s *Store) Mask(ctx context.Context, id string, change func(path string, b []byte) ([]byte, error)) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	n := 0
	err := s.locked(ctx, func(w *writer) error {
		view, err := s.Look(ctx)
		if err != nil {
			return err
		}
		w.view = view
		if err := w.keepLate(); err != nil {
			return err
		}
		if err := w.recover(id); err != nil {
			return err
		}
		n, err = w.mask(id, change)
		var resting *restingError
		if errors.As(err, &resting) || errors.Is(err, errAgain) || errors.Is(err, errRaced) {
			err = &BusyError{ID: id, Path: s.dir}
		}
		return err
	})
	return n, err
}

func (w *writer) mask(id string, change func(string, []byte) ([]byte, error)) (int, error) {
	keys, err := keysOf(w.root, id)
	if err != nil {
		return 0, fmt.Errorf("history of %q: %w", id, err)
	}
	masked := make(map[string]string) // new keys by old ones
	for _, key := range keys {
		r, err := revision(w.root, id, key)
		if err != nil {
			continue // it is damaged: [Store.Problems] names it
		}
		other, err := w.maskRevision(r, masked, change)
		if err != nil {
			return 0, fmt.Errorf("mask revision %s of %q: %w", key, id, err)
		}
		if other != key {
			masked[key] = other
		}
	}
	head, err := w.maskHead(id, change)
	if err != nil {
		return 0, err
	}
	for key := range masked {
		if err := w.root.Remove(path.Join(folderOf(id), id+"."+key+".md")); err != nil {
			return 0, fmt.Errorf("mask history of %q: %w", id, err)
		}
	}
	w.s.memo.forget(id)
	if len(masked) == 0 && !head {
		return 0, nil
	}
	n := len(masked)
	if head {
		n++
	}
	return n, errors.Join(w.syncHistory(id, len(masked)), w.dropSnapshots())
}

func (w *writer) syncHistory(id string, changed int) error {
	if changed == 0 {
		return nil
	}
	return w.syncDir(folderOf(id))
}

// maskRevision writes a revision anew, and gives the key that it has then.
func (w *writer) maskRevision(r entry.Revision, masked map[string]string, change func(string, []byte) ([]byte, error)) (string, error) {
	if !r.Gone() {
		b, err := change(r.Path, r.Head)
		if err != nil {
			return "", err
		}
		r.Head = b
	}
	parents := make([]string, len(r.Parents))
	for i, p := range r.Parents {
		if parents[i] = p; masked[p] != "" {
			parents[i] = masked[p]
		}
	}
	if len(parents) > 0 {
		r.Parents = parents
	}
	for old, other := range masked {
		r.Reason = strings.ReplaceAll(r.Reason, old, other) // some reasons name a state
	}
	key := r.Key()
	if _, err := w.root.Lstat(path.Join(folderOf(r.ID), r.ID+"."+key+".md")); err == nil {
		return key, nil
	}
	st := &step{rev: r}
	if err := w.writeHalf(st); err != nil {
		return "", errors.Join(err, w.abandon([]*step{st}))
	}
	return key, w.complete(st.half, r.ID, st.key)
}

// maskHead replaces the head, if it is to be another one.
func (w *writer) maskHead(id string, change func(string, []byte) ([]byte, error)) (bool, error) {
	cur, err := w.read(id)
	if err != nil || cur == nil {
		return false, err
	}
	b, err := change(cur.head.Path, cur.bytes)
	if err != nil {
		return false, fmt.Errorf("mask %s: %w", w.s.abs(cur.head.Path), err)
	}
	st := &step{act: &act{id: id}, path: cur.head.Path, old: cur, bytes: b, rev: entry.Revision{ID: id}}
	if st.same() {
		return false, nil
	}
	if err := w.check(st); err != nil {
		return false, err
	}
	if err := w.writeHead(st); err != nil {
		return false, errors.Join(err, w.abandon([]*step{st}))
	}
	if err := w.commit(st); err != nil {
		return false, errors.Join(err, w.abandon([]*step{st}))
	}
	if err := w.syncDir(path.Dir(st.path)); err != nil {
		return false, err
	}
	if st.spare != nil {
		if err := st.spare.Close(); err != nil {
			return true, err
		}
	}
	if st.temp != "" {
		return true, w.discard(st.temp)
	}
	return true, nil
}

// dropSnapshots removes what is kept of the folder's texts for the next
// process.
func (w *writer) dropSnapshots() error {
	names, err := namesIn(w.root, stateDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !isSnapshot(name) {
			continue
		}
		if err := w.root.Remove(path.Join(stateDir, name)); err != nil {
			return err
		}
	}
	return nil
}
