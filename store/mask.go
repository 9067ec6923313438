package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"memory-mcp/store/entry"
)

// Mask changes what an entry says, and what it ever said: change is given the
// path and the bytes of the head and of every state in its history, and gives
// the bytes that are to stand there; those that stay are given back as they
// are. The facts of the writing stay. It tells how many files became others.
//
// New revisions are written before the head is replaced, and old ones removed
// last: a Mask that was cut short is completed by another one. Snapshots of the
// folder go too. What was masked stands in for the old states: a merge with
// another copy of the folder does not bring them back.
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
	n := 0
	for _, dir := range []string{broughtFolder(id), folderOf(id)} {
		some, err := w.maskHistory(dir, id, change)
		if err != nil {
			return n, fmt.Errorf("mask history of %q: %w", id, err)
		}
		n += some
	}
	head, err := w.maskHead(id, change)
	if err != nil {
		return n, err
	}
	if err := w.dropReplaced(id); err != nil {
		return n, fmt.Errorf("mask history of %q: %w", id, err)
	}
	w.s.memo.forget(id)
	if head {
		n++
	}
	if n == 0 {
		return 0, nil
	}
	return n, w.dropSnapshots()
}

// maskHistory writes the revisions in a folder anew that are to be others.
func (w *writer) maskHistory(dir, id string, change func(string, []byte) ([]byte, error)) (int, error) {
	keys, err := keysIn(w.root, dir, id)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, key := range keys {
		b, err := w.root.ReadFile(path.Join(dir, id+"."+key+".md"))
		if err != nil {
			return n, err
		}
		r, err := readRevision(b, id, key)
		if err != nil {
			continue // it is damaged: [Store.Problems] names it
		}
		changed, err := w.maskRevision(dir, r, change)
		if err != nil {
			return n, err
		}
		if changed {
			n++
		}
	}
	return n, nil
}

// maskRevision writes a revision anew, if it is to be another one.
func (w *writer) maskRevision(dir string, r entry.Revision, change func(string, []byte) ([]byte, error)) (bool, error) {
	if r.Gone() {
		return false, nil
	}
	b, err := change(r.Path, r.Head)
	if err != nil || bytes.Equal(b, r.Head) {
		return false, err
	}
	r.Instead = append(slices.Clone(r.Instead), r.Key())
	r.Head = b
	return true, w.putAll(dir, []entry.Revision{r})
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
		if !tellsTexts(name) {
			continue
		}
		if err := w.root.Remove(path.Join(stateDir, name)); err != nil {
			return err
		}
	}
	return nil
}
