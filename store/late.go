package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"time"

	"memory-mcp/store/entry"
)

// Conflict is a state of an entry that lies beside its head: text that an editor
// wrote into a file which we had replaced in the meantime, or a twin, what
// another copy of the folder made of the entry.
type Conflict struct {
	ID   string `json:"id"`
	Path string `json:"path"` // absolute; of the head
	Key  string `json:"key"`  // of the revision; "" until it is written down
	Twin bool   `json:"twin"`
	Gone bool   `json:"gone"` // the twin is a deletion

	parent string // the key that was replaced
	path   string
	bytes  []byte // nil once they are written down
	at     time.Time
}

// replaced is a file that was taken out of its place while an editor may have
// had it open.
type replaced struct {
	f      *os.File
	id     string
	path   string
	parent string
	hash   string
	until  time.Time
}

// How long, and how many at most, replaced files are kept open.
const (
	replacedFor = 10 * time.Second
	replacedMax = 64
)

// wrote takes over what a finished step has done.
func (s *Store) wrote(st *step) {
	s.looking.Lock()
	defer s.looking.Unlock()
	delete(s.over, st.act.id)
	s.found = slices.DeleteFunc(s.found, func(c Conflict) bool {
		return c.ID == st.act.id && c.Key != "" && slices.Contains(st.rev.Parents, c.Key)
	})
	s.accord.drop(st.from)
	if st.bytes != nil {
		s.accord.note(st.path, entry.Sum(st.bytes), 0)
	} else {
		s.accord.drop(st.path)
	}
	if st.spare == nil {
		return
	}
	r := &replaced{f: st.spare, id: st.act.id, path: st.path, hash: entry.Sum(st.old.bytes), until: s.wall().Add(replacedFor)}
	if len(st.rev.Parents) > 0 {
		r.parent = st.rev.Parents[0]
	}
	s.late = append(s.late, r)
	if len(s.late) > replacedMax {
		s.lookAt(s.late[0])
		s.late = s.late[1:]
	}
}

// lookAtReplaced reads replaced files once more, and gives up those whose time
// is over, or all. The caller holds s.looking.
func (s *Store) lookAtReplaced(all bool) {
	keep := s.late[:0]
	for _, r := range s.late {
		if all || s.wall().After(r.until) {
			s.lookAt(r)
		} else {
			s.lateBytes(r)
			keep = append(keep, r)
		}
	}
	clear(s.late[len(keep):])
	s.late = keep
}

// lookAt reads a replaced file for the last time.
func (s *Store) lookAt(r *replaced) {
	s.lateBytes(r)
	r.f.Close() // only read
}

// lateBytes makes a conflict of what somebody has written into a replaced
// file. The file stays open: whoever writes may not be done. Text that is not
// written down yet gives way to what has become of it.
func (s *Store) lateBytes(r *replaced) {
	b, err := readOpen(r.f)
	if err != nil || isBlank(b) || entry.Sum(b) == r.hash {
		return
	}
	st, err := stampOpen(r.f)
	if err != nil {
		return
	}
	before := r.hash
	r.hash = entry.Sum(b)
	c := Conflict{ID: r.id, Path: s.abs(r.path), parent: r.parent, path: r.path, bytes: b, at: time.Unix(0, st.mtime).UTC()}
	for i, f := range s.found {
		if f.Key == "" && f.ID == r.id && entry.Sum(f.bytes) == before {
			s.found[i] = c
			return
		}
	}
	s.found = append(s.found, c)
}

// unkept tells whether there are conflicts that are not written down. The
// caller holds s.looking.
func (s *Store) unkept() bool {
	return slices.ContainsFunc(s.found, func(c Conflict) bool { return c.Key == "" })
}

// readOpen reads an open file from its beginning.
func readOpen(f *os.File) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(f, 0, maxHead+1))
}

// keepLate writes down the conflicts that have been found. Those of an entry
// that was erased meanwhile are dropped.
func (w *writer) keepLate() error {
	w.s.looking.Lock()
	defer w.s.looking.Unlock()
	kept := w.s.found[:0:0]
	for i, c := range w.s.found {
		if c.Key == "" {
			key, err := w.side(c.ID, c.path, c.parent, c.bytes, c.at)
			if err != nil {
				w.s.found = append(kept, w.s.found[i:]...)
				return fmt.Errorf("keep what was written into %s: %w", c.Path, err)
			}
			c.Key, c.bytes = key, nil
		}
		if c.Key != "" {
			kept = append(kept, c)
		}
	}
	w.s.found = kept
	return nil
}

// side writes a revision beside the line of the head. The key is empty when
// the entry was erased: nothing of it is written again.
func (w *writer) side(id, p, parent string, b []byte, at time.Time) (string, error) {
	keys, err := keysOf(w.root, id)
	if err != nil {
		return "", fmt.Errorf("history of %q: %w", id, err)
	}
	if w.s.readChain(w.root, id, keys).erased {
		return "", nil
	}
	before := past{}
	if parent != "" {
		// What was replaced may have left history since: the text is kept all the same.
		if r, err := revision(w.root, id, parent); err == nil {
			before = past{r, parent}
		}
	}
	st := &step{rev: entry.Revision{
		ID: id, Parents: parents(before), Recorded: w.recorded(before, earlier(at, w.s.opts.Now())), Actor: actorOutside,
		Op: entry.OpLate, Reason: "written into a file that had been replaced", Change: w.change, Path: utf8Path(p),
		Hint: text(w.s.opts.Person()), Head: b,
	}}
	if err := w.writeHalf(st); err != nil {
		return "", errors.Join(err, w.abandon([]*step{st}))
	}
	return st.key, w.complete(path.Join(folderOf(id), halfName(id, st.key)), id, st.key)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
