package lobes

import (
	"slices"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// words are those of a task or question, by what they tell.
type words struct {
	class map[string]textanalysis.Class
	// tell is whether any of them says what the text is about.
	tell bool
}

func wordsOf(a *textanalysis.Analyzer, text string) words {
	w := words{class: make(map[string]textanalysis.Class)}
	if text == "" {
		return w
	}
	for _, t := range a.Tokens(text) {
		if _, known := w.class[t.Text]; !known {
			w.class[t.Text] = t.Class
		}
		w.tell = w.tell || informative(t.Class)
	}
	return w
}

func informative(c textanalysis.Class) bool {
	return c == textanalysis.Word || c == textanalysis.Pair || c == textanalysis.Joined
}

// meant is the word of the query that a reason speaks of.
func meant(r index.Reason) string {
	if r.For != "" {
		return r.For
	}
	return r.Term
}

// empty tells whether a reason is a function word, which says nothing of what
// a query is about.
func (w words) empty(r index.Reason) bool {
	class, known := w.class[meant(r)]
	return known && class == textanalysis.Stop
}

// telling counts the different informative words of the query that a hit has.
func (w words) telling(reasons []index.Reason) int {
	var found []string
	for _, r := range reasons {
		word := meant(r)
		if class, known := w.class[word]; word != "" && known && informative(class) && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return len(found)
}

// A hit is strong when it covers so much of the informative words. A hit with
// a single one of them is weak beside it unless it covers the other share of
// what the strongest does: one rare word may be all that counts.
const (
	strongCover   = 0.4
	singleOfFirst = 0.2
)

// nearEnough is the nearness to the meaning of a question that needs no words.
const nearEnough = 0.5

// weak tells whether a hit of a search by text is noise. strongest is the
// largest coverage among all hits.
//
//	near in meaning                                       not weak
//	less than the share that the caller asked for         weak
//	none of the informative words                         weak, unless the query has none
//	a single one, of little weight beside a strong hit    weak
func (h hit) weak(w words, least, strongest float64) bool {
	if h.near >= nearEnough {
		return false
	}
	if h.cover < least {
		return true
	}
	if !w.tell {
		return false
	}
	n := w.telling(h.reasons)
	if n > 1 {
		return false
	}
	lends := slices.ContainsFunc(h.reasons, func(r index.Reason) bool { return r.Kind == "context" })
	if n == 0 {
		return !lends || strongest >= strongCover
	}
	return strongest >= strongCover && h.cover < singleOfFirst*strongest && !lends
}

// withoutWeak leaves out what is noise beside what the lobes found together.
func withoutWeak(found []finding, w words, least float64) {
	strongest := 0.0
	for _, f := range found {
		for _, h := range f.hits {
			strongest = max(strongest, h.cover)
		}
	}
	for i := range found {
		f := &found[i]
		all := len(f.hits)
		f.hits = slices.DeleteFunc(f.hits, func(h hit) bool { return h.weak(w, least, strongest) })
		if len(f.hits) < all {
			// What ranks behind the hits that were looked at is taken for weak too.
			f.weak, f.total = f.total-len(f.hits), len(f.hits)
		}
	}
}
