package lobes

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// answer tells what became of the drafts, and what stands beside them.
func (s *Set) answer(ctx context.Context, t Target, drafts []*draft, readings []reading) Remembered {
	drafts = slices.DeleteFunc(slices.Clone(drafts), func(d *draft) bool { return !d.done })
	a := Remembered{
		Stored: []Stored{}, Confirmed: []Stored{}, Similar: []Related{}, Preferences: []Related{}, Warnings: []string{},
	}
	for _, d := range drafts {
		if d.out.Action == "confirmed" {
			a.Confirmed = append(a.Confirmed, d.out)
			d.lobe.use(d.out.ID)
		} else {
			a.Stored = append(a.Stored, d.out)
		}
		if len(d.dropped) > 0 {
			a.Warnings = append(a.Warnings, fmt.Sprintf("%s: tags that cannot be kept: %q", d.out.ID, d.dropped))
		}
		if len(d.doubts) > 0 && d.out.Action != "confirmed" {
			a.Warnings = append(a.Warnings, fmt.Sprintf("%s may be short-lived: %s", d.out.ID, strings.Join(d.doubts, "; ")))
		}
		if d.out.Status == "review" {
			a.Warnings = append(a.Warnings, fmt.Sprintf("%s is held for a person's review: its text speaks to the model", d.out.ID))
		}
	}
	for _, r := range readings {
		for _, d := range drafts {
			if d.lobe == r.lobe && d.out.Action != "confirmed" {
				a.Similar = append(a.Similar, r.similar(d)...)
			}
		}
		a.Warnings = append(a.Warnings, r.nearlyFull()...)
		r.lobe.note(s)
	}
	a.Similar = firstOf(a.Similar, s.o.Behavior.MaxDedupSuggestions)
	a.Preferences = s.preferences(ctx, t, drafts)
	return a
}

// similar are the entries that the draft resembles, other than itself.
func (r reading) similar(d *draft) []Related {
	var found []Related
	for _, n := range d.near {
		h, ok := r.view.Path(n.path)
		if ok && h.Entry.ID != d.out.ID {
			found = append(found, r.related(h, n.similarity))
		}
	}
	return found
}

func (r reading) related(h *store.Head, similarity float64) Related {
	return Related{
		ID: h.Entry.ID, Lobe: r.lobe.name, Topic: h.Entry.Topic, Title: h.Entry.Title,
		Excerpt: entry.Excerpt(h.Entry.Body, relatedExcerpt), Path: r.path(h),
		Similarity: similarity, Confidence: h.Entry.Certainty(),
	}
}

const relatedExcerpt = 120

// mostPreferences is how many preferences a store points to.
const mostPreferences = 3

// preferences are those that may bear on what was stored of other topics: of
// the global store and of the project. A hint is not worth an error.
func (s *Set) preferences(ctx context.Context, t Target, drafts []*draft) []Related {
	found := []Related{}
	lobes := []*Lobe{}
	for _, d := range drafts {
		if !slices.Contains(lobes, d.lobe) {
			lobes = append(lobes, d.lobe)
		}
	}
	readings, _, err := s.look(ctx, t, s.withShared(lobes), 0)
	if err != nil {
		return found
	}
	for _, r := range readings {
		for _, d := range drafts {
			if e := &d.entry; e.Topic != "preferences" && e.Topic != "user" {
				found = append(found, r.bearing(e)...)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Related) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return firstOf(found, mostPreferences)
}

func (r reading) bearing(e *entry.Entry) []Related {
	keep := func(d *index.Doc) bool {
		h := headOf(d)
		return h.Entry.Topic == "preferences" && r.standing(h)
	}
	var found []Related
	for _, x := range r.index.SimilarIn("preferences", e.Title, e.Body, keep, textanalysis.RelevantPreferenceThreshold, mostPreferences) {
		if h, ok := r.view.Path(x.Key); ok {
			found = append(found, r.related(h, x.Similarity))
		}
	}
	return found
}

// firstOf keeps the first n, each entry once.
func firstOf(found []Related, n int) []Related {
	kept := []Related{}
	for _, f := range found {
		known := slices.ContainsFunc(kept, func(k Related) bool { return k.ID == f.ID && k.Lobe == f.Lobe })
		if !known && len(kept) < n {
			kept = append(kept, f)
		}
	}
	return kept
}

// warnAt is the share of the budget in percent from which on stores are
// warned.
const warnAt = 80

func (r reading) nearlyFull() []string {
	budget := r.lobe.spec.Budget
	used := r.store.View().Bytes()
	if budget <= 0 || used*100 < budget*warnAt {
		return nil
	}
	return []string{fmt.Sprintf("lobe %s uses %d %% of its %d KiB; more room: %s",
		r.lobe.name, used*100/budget, budget>>10, budgetLine(r.lobe.name, r.lobe.spec.Root, used))}
}

// path is where a person finds the head.
func (r reading) path(h *store.Head) string {
	return filepath.Join(r.lobe.spec.Dir, filepath.FromSlash(h.Path))
}

// revision names the state of a head, as a later change may expect it.
func (r reading) revision(h *store.Head) string {
	if h.Copy != "" || h.Broken != nil {
		return ""
	}
	newest, ok, err := r.store.Newest(h.Entry.ID)
	if err != nil || !ok {
		return ""
	}
	return revisionName(newest)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
