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
		keys, err := keysOf(root, id)
		if err != nil {
			continue
		}
		h, _ := view.ID(id)
		for _, f := range lineOf(s.readChain(root, id, keys), h, s.opts.Now()).twins() {
			c := Conflict{ID: id, Path: s.abs(f.path), Key: f.key, Twin: true, Gone: f.gone}
			if h != nil {
				c.Path = s.abs(h.Path)
			}
			all = append(all, c)
		}
	}
	return all
}
