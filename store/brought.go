package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"memory-mcp/store/entry"
)

// broughtDir holds what entries were before they came here from another lobe.
// It lies beside history, and is none of it: what was believed there was not
// believed here.
const broughtDir = ".brought"

func broughtFolder(id string) string { return path.Join(broughtDir, entry.HistoryDir(id)) }

// Bring plans that an entry brings its history along from another lobe. It is
// kept beside the entry's line; what is written of the entry next follows the
// last of it.
func (tx *Tx) Bring(id string, revs ...entry.Revision) error {
	for _, r := range revs {
		if r.ID != id || r.Key() == "" {
			return fmt.Errorf("bring the history of %q: %q is no revision of it", id, r.ID)
		}
	}
	tx.brought[id] = append(tx.brought[id], revs...)
	return nil
}

// Brought gives the states that an entry had before it came here from another
// lobe, oldest first. [Past.Read] reads them.
func (p *Past) Brought(id string) []Moment {
	root, err := p.s.root()
	if err != nil || root == nil {
		return nil
	}
	defer root.Close() // a folder handle: nothing to lose
	keys, err := keysIn(root, broughtFolder(id), id)
	if err != nil {
		return nil
	}
	var facts []fact
	for _, key := range keys {
		f, err := p.s.memo.fact(one(root), id, key, true)
		if err != nil {
			p.damaged(broughtFolder(id), id, key, err)
			continue
		}
		facts = append(facts, f)
	}
	stand := standInsOf(slices.Concat(facts, p.line(id).facts))
	var all []Moment
	for _, f := range facts {
		if !stand.replaced(f.key) {
			all = append(all, f.moment(id))
		}
	}
	return all
}

// allBrought gives the ids that have brought something along.
func (p *Past) allBrought() map[string]bool {
	ids := map[string]bool{}
	root, err := p.s.root()
	if err != nil || root == nil {
		return ids
	}
	defer root.Close() // a folder handle: nothing to lose
	folders, err := foldersIn(root, broughtDir)
	if err != nil {
		return ids
	}
	for _, folder := range folders {
		names, err := namesIn(root, path.Join(broughtDir, folder))
		if err != nil {
			continue
		}
		for _, name := range names {
			if id, _, ok := entry.SplitName(name); ok {
				ids[id] = true
			}
		}
	}
	return ids
}

// bring writes down what entries bring along, before anything of them is
// committed.
func (w *writer) bring() error {
	for id, revs := range w.brought {
		stand := w.standing(id)
		revs = slices.DeleteFunc(slices.Clone(revs), func(r entry.Revision) bool { return stand.replaced(r.Key()) })
		if err := w.putAll(broughtFolder(id), revs); err != nil {
			return fmt.Errorf("bring the history of %q: %w", id, err)
		}
	}
	return nil
}

// putAll puts revisions as they are into a folder that may have some of them.
func (w *writer) putAll(dir string, revs []entry.Revision) error {
	if err := w.makeDir(dir); err != nil {
		return err
	}
	for _, r := range revs {
		if err := w.putRevision(dir, r); err != nil {
			return err
		}
	}
	return w.syncDir(dir)
}

func (w *writer) putRevision(dir string, r entry.Revision) error {
	name, err := r.Name()
	if err != nil {
		return err
	}
	b, err := r.Format()
	if err != nil {
		return err
	}
	if _, err := w.root.Lstat(path.Join(dir, name)); err == nil {
		return nil
	}
	half := path.Join(dir, halfName(r.ID, r.Key()))
	err = w.writeSynced(half, b, nil)
	if errors.Is(err, fs.ErrExist) { // a kill left it, perhaps cut
		if err = w.discard(half); err == nil {
			err = w.writeSynced(half, b, nil)
		}
	}
	if err == nil {
		err = w.rename(half, path.Join(dir, name))
	}
	return err
}

// lastBrought is the newest state that an entry brings along.
func (w *writer) lastBrought(id string) past {
	var last past
	for _, r := range w.brought[id] {
		if key := r.Key(); key > last.key {
			last = past{r, key}
		}
	}
	return last
}

// keysIn lists the keys of an id's revisions in a folder, oldest first.
func keysIn(root *os.Root, dir, id string) ([]string, error) {
	names, err := namesIn(root, dir)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, name := range names {
		if !strings.HasPrefix(name, id) {
			continue
		}
		if of, key, ok := entry.SplitName(name); ok && of == id {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}
