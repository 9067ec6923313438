package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"memory-mcp/store/entry"
)

// Erased is what was removed of one entry.
type Erased struct {
	ID    string   `json:"id"`
	Paths []string `json:"paths"` // absolute; of its head and the copies of it
	Files int      `json:"files"` // all files that went, those of history and of caches too
}

// Erase removes all that the folder holds of some entries: heads, copies,
// history, temporaries, what an editor still writes into a file that was
// replaced, raw material that names them, and the caches. A tombstone without
// content stays, so that no id is issued again and no copy of the folder brings
// anything back. An id that was never here is an [UnknownIDError], and then
// nothing is erased. What was begun is completed after a kill.
func (s *Store) Erase(ctx context.Context, by By, ids ...string) ([]Erased, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if root, err := s.root(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	} else if root == nil {
		return nil, s.nothingToErase(ids)
	} else if err := root.Close(); err != nil {
		return nil, err
	}
	var done []Erased
	err := s.locked(ctx, func(w *writer) (err error) {
		w.by = by
		if err := w.rescan(ctx); err != nil {
			return err
		}
		ids := slices.Compact(slices.Sorted(slices.Values(ids)))
		marks, err := w.marks(ids)
		if err == nil {
			err = w.layMarks(marks)
		}
		if err != nil {
			return err
		}
		done, err = w.eraseAll(ctx, marks)
		return err
	})
	if err != nil {
		s.recovered = false // the next write completes what was begun
	}
	return done, err
}

func (s *Store) nothingToErase(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return &UnknownIDError{ID: ids[0], Dir: s.dir}
}

// rescan looks by a scan, which sees all temporaries.
func (w *writer) rescan(ctx context.Context) error {
	w.s.looking.Lock()
	w.s.unwatch()
	w.s.looking.Unlock()
	view, err := w.s.Look(ctx)
	if err == nil {
		w.view = view
	}
	return err
}

// mark is the tombstone of an entry that is being erased. Its half-written
// file stays until all else is gone.
type mark struct {
	rev  entry.Revision
	key  string
	half string
}

// marks makes the tombstones. One that is there already stays the only one.
func (w *writer) marks(ids []string) ([]mark, error) {
	var marks []mark
	for _, id := range ids {
		keys, err := keysOf(w.root, id)
		if err != nil {
			return nil, fmt.Errorf("history of %q: %w", id, err)
		}
		c := w.s.readChain(w.root, id, keys)
		if !w.knows(id, keys) {
			return nil, &UnknownIDError{ID: id, Dir: w.s.dir}
		}
		m := mark{rev: entry.Revision{ID: id, Recorded: w.s.opts.Now().UTC(), Actor: text(w.by.Actor), Op: entry.OpErase}}
		if last, ok := c.newest(); ok && c.erased {
			m.rev, err = revision(w.root, id, last.key)
		} else if ok {
			m.rev.Recorded = w.recorded(past{entry.Revision{Recorded: last.at}, last.key}, m.rev.Recorded)
		}
		if err != nil {
			return nil, fmt.Errorf("history of %q: %w", id, err)
		}
		if m.key = m.rev.Key(); m.key == "" {
			return nil, fmt.Errorf("erase %q: its tombstone cannot be written", id)
		}
		m.half = path.Join(folderOf(id), halfName(id, m.key))
		marks = append(marks, m)
	}
	return marks, nil
}

// knows tells whether there is anything of an id.
func (w *writer) knows(id string, keys []string) bool {
	if _, ok := w.view.ID(id); ok || len(keys) > 0 {
		return true
	}
	if !entry.ValidID(id) {
		return false
	}
	return len(w.filesOf(folderOf(id), id, "")) > 0 || len(w.filesOf(broughtFolder(id), id, "")) > 0
}

// layMarks writes down, for all entries, that they are to be erased, and then
// their tombstones: from here on nothing of them is answered, and a kill does
// not keep the rest from happening.
func (w *writer) layMarks(marks []mark) error {
	for _, m := range marks {
		b, err := m.rev.Format()
		if err == nil {
			err = w.makeDir(folderOf(m.rev.ID))
		}
		if err == nil {
			err = w.discard(m.half)
		}
		if err == nil {
			err = w.writeSynced(m.half, b, nil)
		}
		if err == nil {
			err = w.syncDir(folderOf(m.rev.ID))
		}
		if err != nil {
			return fmt.Errorf("erase %q: %w", m.rev.ID, err)
		}
	}
	return nil
}

// eraseAll does what marks announce. It may have been begun before.
func (w *writer) eraseAll(ctx context.Context, marks []mark) ([]Erased, error) {
	var done []Erased
	for _, m := range marks {
		if err := w.layTombstone(m, folderOf(m.rev.ID)); err != nil {
			return done, fmt.Errorf("erase %q: %w", m.rev.ID, err)
		}
	}
	for _, m := range marks {
		e, err := w.erase(ctx, m)
		if err != nil {
			return done, fmt.Errorf("erase %q: %w", m.rev.ID, err)
		}
		done = append(done, e)
	}
	if err := w.maskRecords(marks, done); err != nil {
		return done, fmt.Errorf("erase what the records tell: %w", err)
	}
	if err := w.eraseState(ctx, marks, done); err != nil {
		return done, fmt.Errorf("erase what the caches hold: %w", err)
	}
	for _, m := range marks {
		if err := w.discard(m.half); err != nil {
			return done, fmt.Errorf("erase %q: %w", m.rev.ID, err)
		}
	}
	return done, nil
}

// layTombstone puts the tombstone into a folder of revisions.
func (w *writer) layTombstone(m mark, dir string) error {
	name := path.Join(dir, m.rev.ID+"."+m.key+".md")
	b, err := m.rev.Format()
	if there, err := w.root.ReadFile(name); err == nil && bytes.Equal(there, b) {
		return nil
	}
	if err == nil {
		err = w.discard(name) // a kill may have cut it
	}
	if err == nil {
		err = w.writeSynced(name, b, nil)
	}
	if err == nil {
		err = w.syncDir(dir)
	}
	return err
}

// begun finds the erasures that were begun and not completed.
func begun(root *os.Root, names *names) []mark {
	var marks []mark
	for i, l := range names {
		if l == nil {
			continue
		}
		for _, name := range l.halves {
			half := path.Join(historyDir, fmt.Sprintf("%02x", i), name)
			id, key, _ := splitHalf(name)
			b, err := root.ReadFile(half)
			if err != nil {
				continue
			}
			if r, err := readRevision(b, id, key); err == nil && (r.Op == entry.OpErase || r.Op == entry.OpBlank) {
				marks = append(marks, mark{r, key, half})
			}
		}
	}
	return marks
}

// finishErasing completes what was begun before a kill.
func (w *writer) finishErasing(ctx context.Context) error {
	names, err := w.s.history(w.root)
	if err != nil {
		return err
	}
	marks := begun(w.root, names)
	if len(marks) == 0 {
		return nil
	}
	if err := w.rescan(ctx); err != nil {
		return err
	}
	_, err = w.carryOut(ctx, marks)
	return err
}

// carryOut does what marks of both kinds announce.
func (w *writer) carryOut(ctx context.Context, marks []mark) ([]Erased, error) {
	var whole, single []mark
	for _, m := range marks {
		if m.rev.Op == entry.OpBlank {
			single = append(single, m)
		} else {
			whole = append(whole, m)
		}
	}
	if _, err := w.blankAll(ctx, single); err != nil || len(whole) == 0 {
		return nil, err
	}
	return w.eraseAll(ctx, whole)
}

// eraseRounds is how often a head is removed that an editor puts back meanwhile.
const eraseRounds = 3

// erase removes the files of one entry, its history last: it tells what else is
// the entry's.
func (w *writer) erase(ctx context.Context, m mark) (Erased, error) {
	id := m.rev.ID
	e := Erased{ID: id, Paths: []string{}}
	texts, paths := w.textsOf(id)
	for round := 0; ; round++ {
		heads := w.headsOf(id, paths)
		if len(heads) == 0 {
			break
		}
		if round == eraseRounds {
			return e, &BusyError{ID: id, Path: w.s.abs(heads[0])}
		}
		for _, p := range heads {
			if b, err := w.root.ReadFile(p); err == nil {
				texts = append(texts, b)
			}
			e.Paths = append(e.Paths, w.s.abs(p))
		}
		if err := w.removeAll(heads, &e); err != nil {
			return e, err
		}
		if err := w.rescan(ctx); err != nil {
			return e, err
		}
	}
	slices.Sort(e.Paths)
	e.Paths = slices.Compact(e.Paths)
	w.s.giveUp(id)
	rest := w.straysOf(id, texts)
	rest = append(rest, w.inboxOf(id)...)
	rest = append(rest, w.filesOf(broughtFolder(id), id, "")...)
	rest = append(rest, w.filesOf(folderOf(id), id, m.key)...)
	return e, w.removeAll(rest, &e)
}

// removeAll removes files, and folders of entries that they leave empty.
func (w *writer) removeAll(names []string, e *Erased) error {
	dirs := map[string]bool{}
	for _, name := range names {
		if err := w.discard(name); err != nil {
			return err
		}
		e.Files++
		dirs[path.Dir(name)] = true
	}
	for dir := range dirs {
		if err := w.syncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !strings.HasPrefix(dir, ".") {
			w.prune(dir)
		}
	}
	return nil
}

// textsOf gives every text that an entry had, as far as history holds it, and
// the paths at which it lay.
func (w *writer) textsOf(id string) (texts [][]byte, paths map[string]bool) {
	paths = map[string]bool{}
	for _, dir := range []string{folderOf(id), broughtFolder(id)} {
		for _, name := range w.filesOf(dir, id, "") {
			b, err := w.root.ReadFile(name)
			if err != nil {
				continue
			}
			if r, err := entry.ParseRevision(b); err == nil && !r.Gone() {
				texts = append(texts, r.Head)
				paths[r.Path] = true
			}
		}
	}
	return texts, paths
}

// headsOf gives the files that are an entry's: its head, copies of it, and
// files where it lay, or with its name, that cannot be read as anybody's.
func (w *writer) headsOf(id string, paths map[string]bool) []string {
	var all []string
	for h := range w.view.Heads() {
		named := paths[h.Path] || strings.TrimSuffix(path.Base(h.Path), ".md") == id
		if h.Entry.ID == id || h.Broken != nil && named {
			all = append(all, h.Path)
		}
	}
	return all
}

// filesOf gives the files of an id in a folder of history, half-written ones
// too, but for the tombstone with a key.
func (w *writer) filesOf(dir, id, but string) []string {
	names, err := namesIn(w.root, dir)
	if err != nil {
		return nil
	}
	var all []string
	for _, name := range names {
		of, key, ok := entry.SplitName(name)
		if !ok {
			of, key, ok = splitHalf(name)
		}
		if ok && of == id && key != but {
			all = append(all, path.Join(dir, name))
		}
	}
	return all
}

// straysOf gives the temporaries that hold an entry, or the beginning of a text
// that it had.
func (w *writer) straysOf(id string, texts [][]byte) []string {
	w.s.looking.Lock()
	strays := slices.Clone(w.s.strays)
	w.s.looking.Unlock()
	return slices.DeleteFunc(strays, func(p string) bool {
		b, err := w.root.ReadFile(p)
		if err != nil {
			return true
		}
		if got, err := entry.ParseFile(p, w.s.opts.Now(), b); err == nil && got.Entry.ID == id {
			return false
		}
		return !slices.ContainsFunc(texts, func(text []byte) bool { return bytes.HasPrefix(text, b) })
	})
}
