package lobes

import (
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// marksOf are the numbers under which the index finds an entry again: one of
// its title, and one of its text. Other entries may have them too, so what is
// found is compared in full.
func marksOf(h *store.Head) []uint64 {
	return []uint64{markOf('t', titleKey(&h.Entry)), textMark(h.Entry.Body)}
}

// textMark is equal for texts that say the same; see [sameText].
func textMark(body string) uint64 { return markOf('b', textanalysis.Normalize(body)) }

// markOf is FNV-1a, which is the same in every process.
func markOf(kind byte, text string) uint64 {
	h := (uint64(14695981039346656037) ^ uint64(kind)) * 1099511628211
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// sameText tells whether two entries say the same but for case, width and
// white space.
func sameText(a, b *entry.Entry) bool {
	return textanalysis.Normalize(a.Body) == textanalysis.Normalize(b.Body)
}

// namesake is the entry with the draft's title, in a view that may be newer than
// the reading. Of several, one of which took the place of another, it is the one
// that holds now; else the first by path.
func (r reading) namesake(view *store.View, d *draft, now time.Time) *store.Head {
	key := titleKey(&d.entry)
	paths := r.index.Marked(markOf('t', key))
	for _, fresh := range view.Since(r.view).Changed {
		paths = append(paths, fresh.Path())
	}
	var found *store.Head
	for _, path := range paths {
		h, ok := view.Path(path)
		if !ok || h.Broken != nil || h.Copy != "" || h.Entry.Topic != d.entry.Topic || titleKey(&h.Entry) != key {
			continue
		}
		if found == nil {
			found = h
			continue
		}
		was, is := found.Entry.Valid.Contains(now), h.Entry.Valid.Contains(now)
		if is && !was || is == was && h.Path < found.Path {
			found = h
		}
	}
	return found
}
