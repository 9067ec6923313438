package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"memory-mcp/store/entry"
)

// Past is what history and the heads hold now, under the lock.
func (tx *Tx) Past() (*Past, error) {
	n, err := tx.s.history(tx.root)
	if err != nil {
		return nil, err
	}
	return tx.s.past(tx.view, n), nil
}

// Remove plans a tombstone: the head goes, the history stays.
func (tx *Tx) Remove(id string) error { return tx.Retract(id, entry.OpRetract, "") }

// Retract plans a tombstone with an op of the caller's: [entry.OpRetract],
// [entry.OpUndo], or [entry.OpMove] with the lobe that the entry went to.
func (tx *Tx) Retract(id string, op entry.Op, movedTo string) error {
	if err := tx.known(id); err != nil {
		return err
	}
	tx.plan(&act{op: op, id: id, movedTo: movedTo})
	return nil
}

// Move plans a change after which the file lies in the folder of its topic. It
// keeps its name. A file that lies there already is an [ExistsError].
func (tx *Tx) Move(op entry.Op, id string, change func(entry.Entry) (entry.Entry, error)) error {
	if err := tx.known(id); err != nil {
		return err
	}
	tx.plan(&act{op: op, id: id, change: change, move: true})
	return nil
}

// Revert plans that an entry is again what one of its revisions says: its
// exact bytes, at the path where they lay, or that it is gone. Another file at
// that path is an [ExistsError].
func (tx *Tx) Revert(op entry.Op, id, key string) error {
	if tx.root == nil {
		return &UnknownIDError{ID: id, Dir: tx.s.dir}
	}
	p, err := tx.Past()
	if err != nil {
		return err
	}
	r, err := p.Read(Moment{ID: id, Key: key})
	if err != nil {
		return err
	}
	if r.Gone() {
		return tx.Retract(id, op, "")
	}
	tx.plan(&act{op: op, id: id, once: &once{placeOf(r), r.Head}, over: true})
	return nil
}

// Join plans that what is written of an entry next follows every state that
// nothing follows yet: the texts beside its line are settled by it.
func (tx *Tx) Join(id string) { tx.join[id] = true }

// openKeys are the keys of the states that nothing follows, late texts among
// them, and the latest of their times.
func (w *writer) openKeys(id string) ([]fact, error) {
	keys, err := keysOf(w.root, id)
	if err != nil {
		return nil, fmt.Errorf("history of %q: %w", id, err)
	}
	c := w.s.readChain(w.root, id, keys)
	followed := map[string]bool{}
	for _, f := range c.facts {
		for _, parent := range f.parents {
			followed[parent] = true
		}
	}
	var open []fact
	for _, f := range slices.Concat(c.facts, c.late) {
		if c.open[f.key] || f.op == entry.OpLate && !followed[f.key] {
			open = append(open, f)
		}
	}
	return open, nil
}

// follow makes a step's revision follow the state that the step was prepared
// on, and for an entry that is to be joined all that is open beside it.
func (w *writer) follow(st *step, p past) error {
	st.rev.Parents, st.rev.Recorded = parents(p), w.recorded(p, st.rev.Recorded)
	if last := w.lastBrought(st.act.id); !last.none() {
		st.rev.Parents = append(st.rev.Parents, last.key)
		st.rev.Recorded = w.recorded(last, st.rev.Recorded)
	}
	if !w.join[st.act.id] {
		return nil
	}
	open, err := w.openKeys(st.act.id)
	if err != nil {
		return err
	}
	for _, f := range open {
		if f.key != p.key {
			st.rev.Parents = append(st.rev.Parents, f.key)
			st.rev.Recorded = w.recorded(past{entry.Revision{Recorded: f.at}, f.key}, st.rev.Recorded)
		}
	}
	return nil
}

// settlePlace decides where the head of a step will lie, and refuses a place
// that is taken.
func (w *writer) settlePlace(st *step, to string) error {
	if to == st.path {
		return nil
	}
	before := w.steps[st.act.id]
	if _, err := w.root.Lstat(to); err == nil && before != nil && before.path == to && before.bytes == nil {
		st.path = to // it will be gone by then
		return nil
	} else if err == nil {
		return &ExistsError{ID: st.act.id, Path: w.s.abs(to)}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if st.old != nil {
		st.from = st.path
	}
	st.path = to
	return nil
}

// relocate moves the head to where it will lie, as it is. A kill after it
// leaves what a person's own move leaves.
func (w *writer) relocate(st *step) error {
	if err := w.makeDir(path.Dir(st.path)); err != nil {
		return err
	}
	switch err := w.claim(st.from, st.path); {
	case errors.Is(err, fs.ErrExist):
		return &ExistsError{ID: st.act.id, Path: w.s.abs(st.path)}
	case errors.Is(err, fs.ErrNotExist):
		return errRaced
	case err != nil:
		return err
	}
	if err := w.syncDir(path.Dir(st.path)); err != nil {
		return err
	}
	if err := w.syncDir(path.Dir(st.from)); err != nil {
		return err
	}
	w.prune(path.Dir(st.from))
	return nil
}
