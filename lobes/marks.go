package lobes

import (
	"strings"
	"time"
	"unicode/utf8"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// marksOf are the numbers under which the index finds an entry again: one of
// its title, and one of its text. Other entries may have them too, so what is
// found is compared in full.
func marksOf(h *store.Head) []uint64 { return []uint64{titleMark(&h.Entry), textMark(h.Entry.Body)} }

// titleMark is equal for entries of which the later replaces the earlier; see
// [titleKey].
func titleMark(e *entry.Entry) uint64 {
	h := hashed(hashed(hashBasis^'t', e.Topic)*hashPrime, e.Branch) * hashPrime
	if sum, ok := plainly(h, e.Title, ""); ok {
		return sum
	}
	return hashed(h, titleForm(e.Title))
}

// textMark is equal for texts that say the same; see [sameText].
func textMark(body string) uint64 {
	const h = hashBasis ^ 'b'
	if sum, ok := plainly(h, body, ".! "); ok {
		return sum
	}
	return hashed(h, textanalysis.Normalize(body))
}

// The marks are FNV-1a, which is the same in every process.
const (
	hashBasis uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

func hashed(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * hashPrime
	}
	return h
}

// plainly is hashed of a text in small letters, with one space between its
// words and without some signs at its end, for texts of which that can be told
// without taking them apart: they have ASCII alone. Every entry is hashed when
// the index is built.
func plainly(h uint64, text, atEnd string) (sum uint64, ok bool) {
	kept, gap, begun := h, false, false
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			return 0, false
		case c == ' ' || '\t' <= c && c <= '\r':
			gap = begun
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if gap {
			h = (h ^ ' ') * hashPrime
		}
		gap, begun = false, true
		if h = (h ^ uint64(c)) * hashPrime; strings.IndexByte(atEnd, c) < 0 {
			kept = h
		}
	}
	return kept, true
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
	paths := r.index.Marked(titleMark(&d.entry))
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
