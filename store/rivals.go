package store

import (
	"os"
	"path"
	"slices"
)

// rivals are the places, in the order of their paths, at which files with one
// id were met, where at least one of them has just been read: they are copies,
// or one file that was moved while it was looked for.
func (w *walk) rivals(fresh []content) map[string][]string {
	places := make(map[string][]string, len(fresh))
	for i := range fresh {
		if id := w.idAt(&fresh[i]); id != "" {
			places[id] = append(places[id], fresh[i].path)
		}
	}
	for id, paths := range places {
		if r, ok := w.s.view.RefOf(id); ok && !slices.Contains(paths, r.Path()) && !slices.Contains(w.gone, r.Path()) {
			paths = append(paths, r.Path())
		}
		if places[id] = paths; len(paths) < 2 {
			delete(places, id)
			continue
		}
		slices.Sort(paths)
	}
	return places
}

// idAt is the id of what a look finds at a place: of the file that was read, or
// of what it held before, while it is empty or cannot be read; "" for none.
func (w *walk) idAt(c *content) string {
	old := w.s.files[c.path]
	switch {
	case c.gone:
	case c.ref != nil:
		return c.ref.ID()
	case old != nil && old.ref != nil:
		return old.ref.ID()
	}
	return ""
}

// unmove looks once more at the places of each id that has several, and lets
// go of those at which there is nothing any more. It tells false when an id
// has been moved on from all of its places; of them the one that was read last
// is left.
func (w *walk) unmove(root *os.Root, fresh []content) bool {
	sure := true
	for _, paths := range w.rivals(fresh) {
		left := w.there(root, paths)
		if len(left) == 0 {
			sure, left = false, []string{latest(paths, fresh)}
		}
		for _, p := range paths {
			if !slices.Contains(left, p) {
				w.letGo(p, fresh)
			}
		}
	}
	return sure
}

// there are those of some places at which there is a file: twice, since one
// that moves from the second to the first is met at both of them once.
func (w *walk) there(root *os.Root, paths []string) []string {
	left := slices.Clone(paths)
	for range 2 {
		left = slices.DeleteFunc(left, func(p string) bool {
			st, ok := w.restamp(root, p)
			return !ok || st.kind != kindFile
		})
	}
	return left
}

// latest is the place whose file was read last.
func latest(paths []string, fresh []content) string {
	var last *content
	for i := range fresh {
		if c := &fresh[i]; slices.Contains(paths, c.path) && (last == nil || c.read.After(last.read)) {
			last = c
		}
	}
	return last.path // one of them was read: they would not be rivals
}

// letGo takes a place out of what this look found.
func (w *walk) letGo(p string, fresh []content) {
	for i := range fresh {
		if fresh[i].path == p {
			fresh[i].gone = true
			return
		}
	}
	w.gone = append(w.gone, p)
}

// unfound are the places, sorted, at which nothing is any more, and whose
// entries have been met nowhere else.
func (w *walk) unfound(fresh []content) []string {
	away := map[string]bool{}
	for _, p := range w.gone {
		away[p] = true
	}
	for i := range fresh {
		if fresh[i].gone {
			away[fresh[i].path] = true
		}
	}
	if len(away) == 0 {
		return nil
	}
	met := map[string]bool{}
	for i := range fresh {
		met[w.idAt(&fresh[i])] = true
	}
	var lost []string
	for p := range away {
		f := w.s.files[p]
		if f == nil || f.ref == nil || met[f.ref.ID()] {
			continue
		}
		if r, ok := w.s.view.RefOf(f.ref.ID()); !ok || away[r.Path()] {
			lost = append(lost, p)
		}
	}
	slices.Sort(lost)
	return lost
}

// hold takes out of what is gone the places that were not lost before: the
// files there may have been moved under the last pass.
func (w *walk) hold(fresh []content, lost, before []string) []content {
	young := func(p string) bool { return slices.Contains(lost, p) && !slices.Contains(before, p) }
	w.gone = slices.DeleteFunc(w.gone, young)
	return slices.DeleteFunc(fresh, func(c content) bool { return c.gone && young(c.path) })
}

// beforeItWas gives what a file that is empty held: at its place, or where it
// was moved from, which is the one place of the same name that is gone. It is
// nil when nobody knows.
func (s *Store) beforeItWas(w *walk, old *file, c content) *file {
	if old != nil {
		return old
	}
	var held *file
	for _, p := range w.gone {
		f := s.files[p]
		if f == nil || f.ref == nil || path.Base(p) != path.Base(c.path) {
			continue
		}
		if held != nil {
			return nil
		}
		there, head := *f, *f.ref.Head()
		head.Path, head.Copy = c.path, ""
		there.ref = s.warm.pack(&head)
		held = &there
	}
	return held
}
