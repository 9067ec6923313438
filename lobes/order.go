package lobes

import (
	"cmp"
	"slices"

	"memory-mcp/store/index"
)

// fullMatches leaves out the lobes whose matches were eased when another lobe
// matched in full: a filter is eased only where nothing has all of it.
func fullMatches(found []finding) []finding {
	full := func(f finding) bool { return f.fallback == "" && f.total > 0 }
	if !slices.ContainsFunc(found, full) {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return !full(f) })
}

// weaker is the weaker of two ways of matching; in full is "".
func weaker(a, b string) string {
	if a == index.InsideWords || b == index.InsideWords {
		return index.InsideWords
	}
	return cmp.Or(a, b)
}

// once drops an entry that another lobe has too, byte for byte.
func once(hits []hit, a *Answer) []hit {
	known := make(map[string]bool)
	return slices.DeleteFunc(hits, func(h hit) bool {
		key := h.head.Entry.ID + "\x00" + h.head.Hash
		if known[key] {
			a.Total--
		}
		again := known[key]
		known[key] = true
		return again
	})
}

// homeOf is the lobe that goes before others at equal relevance.
func homeOf(readings []reading) string {
	if len(readings) > 0 && !readings[0].lobe.site.shared {
		return readings[0].lobe.name
	}
	return ""
}

// nearlyEqual is the share by which two scores may differ and still count as
// the same relevance.
const nearlyEqual = 0.05

// homeFirst moves hits of the current lobe before those of other lobes that
// are not more than 5 % better. The slice is ordered by falling score.
func homeFirst(hits []hit, home string) {
	for i := range hits {
		if hits[i].lobe.name != home {
			continue
		}
		for j := i; j > 0 && hits[j-1].lobe.name != home && hits[j-1].score <= hits[j].score*(1+nearlyEqual); j-- {
			hits[j-1], hits[j] = hits[j], hits[j-1]
		}
	}
}
