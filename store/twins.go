package store

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// twinsFile lists the ids that had twins when somebody looked, for the next
// process to look at. Losing it loses only the hint in the briefing.
var twinsFile = path.Join(stateDir, "twins")

// rememberTwins notes an id that has twins.
func (w *writer) rememberTwins(id string) error {
	w.s.noteTwins(id)
	known := twinsNoted(w.root)
	if slices.Contains(known, id) {
		return nil
	}
	if err := w.makeDir(stateDir); err != nil {
		return err
	}
	return w.replaceState(twinsFile, []byte(strings.Join(append(known, id), "\n")+"\n"))
}

// noteTwins notes an id for this process.
func (s *Store) noteTwins(id string) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if s.twinned == nil {
		s.twinned = map[string]bool{}
	}
	s.twinned[id] = true
}

func twinsNoted(root *os.Root) []string {
	b, err := root.ReadFile(twinsFile)
	if err != nil {
		return nil
	}
	return strings.Fields(string(b))
}

// Conflicts gives the texts that lie beside a head: what editors wrote into
// files which had been replaced since this store was opened, and the states of
// another copy of the folder that were taken over and that no head follows.
// Both are settled by what is written after [Tx.Join].
func (s *Store) Conflicts() []Conflict {
	s.looking.Lock()
	all := append([]Conflict{}, s.found...)
	view, ids := s.view, maps.Clone(s.twinned)
	s.looking.Unlock()
	root, err := s.root()
	if err != nil || root == nil {
		return all
	}
	defer root.Close() // a folder handle: nothing to lose
	if ids == nil {
		ids = map[string]bool{}
	}
	for _, id := range twinsNoted(root) {
		ids[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		h, _ := view.ID(id)
		for _, f := range s.twinsOf(root, id, h) {
			c := Conflict{ID: id, Path: s.abs(f.path), Key: f.key, Twin: true, Gone: f.gone}
			if h != nil {
				c.Path = s.abs(h.Path)
			}
			all = append(all, c)
		}
	}
	return all
}

func (s *Store) twinsOf(root *os.Root, id string, h *Head) []fact {
	keys, err := keysOf(root, id)
	if err != nil {
		return nil
	}
	return lineOf(s.readChain(root, id, keys), h, s.opts.Now()).twins()
}

// Disputed gives those of some entries beside whose heads a text lies, as far as
// somebody has noticed: see [Store.Conflicts]. It reads the history of those
// alone of which that is to be expected, so it is cheap to ask of every hit.
func (s *Store) Disputed(ids ...string) []string {
	s.looking.Lock()
	view, some := s.view, map[string]bool{}
	for _, id := range ids {
		some[id] = s.twinned[id]
	}
	var found []string
	for _, c := range s.found {
		if _, asked := some[c.ID]; asked && !slices.Contains(found, c.ID) {
			found = append(found, c.ID)
		}
	}
	s.looking.Unlock()
	root, err := s.root()
	if err != nil || root == nil {
		return found
	}
	defer root.Close() // a folder handle: nothing to lose
	for _, id := range twinsNoted(root) {
		if _, asked := some[id]; asked {
			some[id] = true
		}
	}
	for id, expected := range some {
		if !expected || slices.Contains(found, id) {
			continue
		}
		if h, ok := view.ID(id); ok && len(s.twinsOf(root, id, h)) > 0 {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return found
}

// unnoted gives the ids that this process has found twins of and that no other
// one knows yet.
func (s *Store) unnoted(root *os.Root) []string {
	s.looking.Lock()
	ids := maps.Clone(s.twinned)
	s.looking.Unlock()
	if len(ids) == 0 {
		return nil
	}
	for _, id := range twinsNoted(root) {
		delete(ids, id)
	}
	return slices.Sorted(maps.Keys(ids))
}
