package lobes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// tell turns hits into results, and adds what stands among them.
func (s *Set) tell(a *Answer, hits []hit, q Query, known words) {
	files := make(map[string]*citings)
	for _, h := range hits {
		root := h.tree.root
		if files[root] == nil {
			files[root] = newCitings(root, maxCitings)
		}
		a.Results = append(a.Results, h.result(q, files[root]))
		for _, r := range h.reasons {
			if r.Term != "" && !known.empty(r) && !slices.Contains(a.Matched, r.Term) && len(a.Matched) < mostMatched {
				a.Matched = append(a.Matched, r.Term)
			}
		}
	}
	dispute(hits, a.Results[len(a.Results)-len(hits):])
	if len(hits) > 1 {
		a.Conflicts = append(a.Conflicts, conflicts(hits, s.o.Behavior.MaxConflictPairs)...)
	}
}

// dispute marks the results beside whose text another one lies, which a person
// or an agent should settle. What was believed in the past is not marked.
func dispute(hits []hit, results []Result) {
	ids := map[*store.Store][]string{}
	for _, h := range hits {
		if h.old == nil {
			ids[h.store] = append(ids[h.store], h.head.Entry.ID)
		}
	}
	for in, some := range ids {
		disputed := in.Disputed(some...)
		for i, h := range hits {
			if h.store == in && h.head.Copy == "" && slices.Contains(disputed, h.head.Entry.ID) {
				results[i].Disputed = true
			}
		}
	}
}

const mostMatched = 20

func (h hit) result(q Query, files *citings) Result {
	e, look := h.head.Entry, h.look(h.head)
	w := weighing{factor: 1, tell: true}
	h.weigh(&w, h.head, q)
	factor, boosts := w.factor, w.reasons
	r := Result{
		Entry: e, Lobe: h.lobe.name, Path: h.path(h.head), Excerpt: look.short(&h.head.Entry, q.Excerpt),
		Score: h.score, Confidence: e.Certainty(), Fresh: h.lobe.o.Behavior.judge(&e, q.asked(h.lobe.o.Now()), files),
		Reasons: []Reason{}, Global: h.lobe.spec.Global, Copy: h.head.Copy != "", Broken: h.head.Broken != nil,
		Signals: look.signals(),
	}
	for _, x := range h.reasons {
		r.Reasons = append(r.Reasons, Reason{What: x.Kind, Term: x.Term, For: x.For, Field: x.Field, Weight: x.Share * h.score / factor})
	}
	r.Reasons = append(r.Reasons, boosts...)
	r.Why = why(h.reasons, boosts, r.Fresh.Verdict)
	if q.History {
		h.history(&r)
	}
	return r
}

// history tells whether the entry's file is written down already.
func (h hit) history(r *Result) {
	if h.head.Copy != "" || h.head.Broken != nil {
		return
	}
	rev, ok, err := h.written(h.head)
	if err != nil {
		return
	}
	if r.Pending = !ok || rev.Gone() || entry.Sum(rev.Head) != h.head.Hash; !r.Pending {
		r.Revision = revisionName(rev)
	}
}

// revisionName is how a call names a state of an entry.
func revisionName(r entry.Revision) string {
	_, hash, _ := strings.Cut(r.Key(), "-")
	return hash
}

// why says in a line what made the hit one, what moved it, and whether it can
// still be relied on.
func why(found []index.Reason, boosts []Reason, verdict string) string {
	var words, fields, moved []string
	says := slices.ContainsFunc(found, func(r index.Reason) bool { return r.Term != "" && !r.Filler })
	for _, r := range found {
		if says && r.Filler {
			continue
		}
		word := r.Term
		if r.For != "" && r.For != r.Term {
			word += " for " + r.For
		}
		if r.Term != "" && !slices.Contains(words, word) && len(words) < 6 {
			words = append(words, word)
		}
		if r.Term != "" && r.Field != "" && !slices.Contains(fields, r.Field) {
			fields = append(fields, r.Field)
		}
	}
	for _, b := range boosts {
		moved = append(moved, fmt.Sprintf("%s ×%.2g", strings.TrimSpace(b.What+" "+b.Term), b.Weight))
	}
	switch verdict {
	case "changed":
		moved = append(moved, "a cited file has changed")
	case "gone":
		moved = append(moved, "a cited file is gone")
	}
	var parts []string
	if len(words) > 0 {
		parts = append(parts, strings.Join(words, ", ")+" in "+strings.Join(fields, ", "))
	}
	if len(moved) > 0 {
		parts = append(parts, strings.Join(moved, ", "))
	}
	return strings.Join(parts, "; ")
}

// mostTags is how many tags an answer names.
const mostTags = 12

// tagCounts are the most frequent tags of the project's lobe, or of all lobes
// that were searched when there is none.
func tagCounts(readings []reading) []TagCount {
	own := slices.DeleteFunc(slices.Clone(readings), func(r reading) bool { return r.lobe.site.shared })
	if len(own) == 0 {
		own = readings
	}
	if len(own) == 1 {
		return firstTags(own[0].index.Tags())
	}
	counts := make(map[string]int)
	for _, r := range own {
		for _, t := range r.index.Tags() {
			counts[t.Name] += t.Docs
		}
	}
	all := make([]index.Tag, 0, len(counts))
	for name, n := range counts {
		all = append(all, index.Tag{Name: name, Docs: n})
	}
	slices.SortFunc(all, func(a, b index.Tag) int { return cmp.Or(cmp.Compare(b.Docs, a.Docs), cmp.Compare(a.Name, b.Name)) })
	return firstTags(all)
}

func firstTags(all []index.Tag) []TagCount {
	tags := make([]TagCount, 0, mostTags)
	for _, t := range all[:min(len(all), mostTags)] {
		tags = append(tags, TagCount{Tag: t.Name, Count: t.Docs})
	}
	return tags
}

// compared is how many of the shown hits are compared for conflicts.
const compared = 20

// tooUnlike is a similarity that no weight of a conflict lifts over any limit:
// it spares the look at the words.
const tooUnlike = 0.2

// conflicts finds pairs among the hits that may contradict each other, the
// most alike first.
func conflicts(hits []hit, most int) []Conflict {
	hits = slices.DeleteFunc(slices.Clone(hits), func(h hit) bool {
		return h.head.Copy != "" || h.look(h.head).sense().short
	})
	hits = hits[:min(len(hits), compared)]
	senses := make([]sense, len(hits))
	for i, h := range hits {
		senses[i] = h.look(h.head).sense()
	}
	var found []Conflict
	for i := range hits {
		for j := range i {
			a, b := &hits[j].head.Entry, &hits[i].head.Entry
			x, y := senses[j], senses[i]
			alike := textanalysis.Similarity(x.whole, y.whole)
			if alike < tooUnlike {
				continue
			}
			score := textanalysis.ConflictScore(alike, a.Trust == entry.User && b.Trust == entry.User, x.stance, y.stance)
			if score > textanalysis.ConflictLimit(a.Topic == b.Topic, textanalysis.Similarity(x.title, y.title)) {
				found = append(found, conflict(hits[j], hits[i], alike))
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Conflict) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found[:min(len(found), most)]
}

func conflict(a, b hit, alike float64) Conflict {
	c := Conflict{A: side(a), B: side(b), Similarity: alike}
	switch {
	case c.A.Confidence != c.B.Confidence:
		c.Doubtful = c.B.ID
		if c.A.Confidence < c.B.Confidence {
			c.Doubtful = c.A.ID
		}
	case c.A.Created.After(c.B.Created):
		c.Doubtful = c.B.ID
	default:
		c.Doubtful = c.A.ID
	}
	return c
}

func side(h hit) ConflictSide {
	e := &h.head.Entry
	return ConflictSide{ID: e.ID, Lobe: h.lobe.name, Title: e.Title, Confidence: e.Certainty(), Created: e.Created}
}
