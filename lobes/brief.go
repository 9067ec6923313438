package lobes

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// mostInSection is how many entries a section of a briefing tells; the rest is
// counted.
const mostInSection = 20

// briefed is the order of a briefing.
func briefed() []string {
	return []string{"user", "preferences", "gotchas", "decisions", "architecture", "conventions", "modules", "recent-work", "general"}
}

// Brief tells what a session should know at its start: of the lobes that the
// target leads to, in the order of reading.
func (s *Set) Brief(ctx context.Context, t Target) (Briefing, error) { return s.brief(ctx, t, false) }

// Greet is Brief for a session that did not ask: of the lobe that the target
// leads to and the person's own, and only with entries that somebody stands
// for, as in [Set.Inject].
func (s *Set) Greet(ctx context.Context, t Target) (Briefing, error) {
	t.Lobe = ownLobe(t.Lobe)
	return s.brief(ctx, t, true)
}

func (s *Set) brief(ctx context.Context, t Target, unasked bool) (Briefing, error) {
	lobes, _, err := s.resolve(t, false)
	if err != nil {
		return Briefing{}, err
	}
	readings, degraded, err := s.look(ctx, t, lobes, 0)
	if err != nil {
		return Briefing{}, err
	}
	b := Briefing{
		Lobes: []string{}, Sections: []Section{}, StaleFirst: []Result{}, Overrides: []Override{}, Late: []Override{}, Objections: []Objection{},
		Vanished: []Vanished{}, Degraded: degraded, Moved: []Moved{}, Tags: tagCounts(readings),
	}
	q := Query{At: s.o.Now(), Excerpt: briefExcerpt, NoBoosts: true, unasked: unasked}
	var doubtful []hit
	sections := make(map[string][]Section)
	for _, r := range readings {
		b.Lobes = append(b.Lobes, r.lobe.name)
		own := r.brief(q, sections)
		b.Entries, b.Held = b.Entries+own.entries, b.Held+own.held
		b.Stale += len(own.doubtful)
		doubtful = append(doubtful, own.doubtful...)
		if err := r.oddities(ctx, &b); err != nil {
			return Briefing{}, err
		}
	}
	for _, topic := range briefed() {
		b.Sections = append(b.Sections, inOrder(topic, sections[topic])...)
	}
	b.StaleFirst = s.staleFirst(doubtful, q)
	b.Empty = b.Entries == 0
	b.Moved = s.moved(readings)
	return b, nil
}

// briefExcerpt is the length in characters of an excerpt in a briefing.
const briefExcerpt = 200

// What the person said of themselves comes before what a project adds to it;
// for all other topics the project speaks first.
func inOrder(topic string, sections []Section) []Section {
	if topic == "user" || topic == "preferences" {
		slices.SortStableFunc(sections, func(a, b Section) int {
			return order(!a.global(), !b.global())
		})
	}
	return sections
}

func (s Section) global() bool { return len(s.Results) > 0 && s.Results[0].Global }

// A summary is what one lobe adds to a briefing.
type summary struct {
	entries, held int
	doubtful      []hit
}

// brief sorts what the present shows of a lobe into sections.
func (r reading) brief(q Query, sections map[string][]Section) summary {
	var own summary
	sv := r.sieve(q)
	byTopic := make(map[string][]hit)
	files := newCitings(r.tree.root, maxCitings)
	for h := range r.view.Heads() {
		if !sv.keep(h) || h.Copy != "" {
			continue
		}
		own.entries++
		found := hit{reading: r, head: h, score: h.Entry.Certainty()}
		if h.Entry.Status != "candidate" {
			name := sectionOf(h.Entry.Topic)
			byTopic[name] = append(byTopic[name], found)
		}
		if h.Broken == nil && doubted(r.lobe.o.Behavior.judge(&h.Entry, q.At, files)) {
			own.doubtful = append(own.doubtful, found)
		}
	}
	own.held = sv.hidden[held]
	for name, hits := range byTopic {
		section := Section{Topic: name, Lobe: r.lobe.name, Total: len(hits), Results: []Result{}}
		if name == "recent-work" {
			section.Branch = sv.branch
		}
		slices.SortStableFunc(hits, bySection)
		shown, outside := withoutHeld(hits[:min(len(hits), mostInSection)], q)
		own.held += outside
		if section.Total -= outside; section.Total == 0 {
			continue
		}
		for _, h := range shown {
			section.Results = append(section.Results, h.result(q, files))
		}
		dispute(shown, section.Results)
		sections[name] = append(sections[name], section)
	}
	return own
}

func sectionOf(topic string) string {
	if entry.IsModule(topic) {
		return "modules"
	}
	return topic
}

// bySection orders modules by name, then all by certainty, importance and age.
func bySection(a, b hit) int {
	x, y := &a.head.Entry, &b.head.Entry
	return cmp.Or(cmp.Compare(x.Topic, y.Topic), cmp.Compare(b.score, a.score), cmp.Compare(importance(y), importance(x)), byScore(a, b))
}

func importance(e *entry.Entry) float64 {
	if e.Importance == nil {
		return 0.5
	}
	return *e.Importance
}

func doubted(f Fresh) bool {
	return f.Verdict == StaleVerdict || f.Verdict == ChangedVerdict || f.Verdict == GoneVerdict
}

// staleFirst picks the entries to check first: by topic, the most dangerous
// one first, and the oldest of each.
func (s *Set) staleFirst(doubtful []hit, q Query) []Result {
	ranks := []string{"gotchas", "architecture", "conventions", "modules", "recent-work"}
	rank := func(h hit) int {
		if i := slices.Index(ranks, sectionOf(h.head.Entry.Topic)); i >= 0 {
			return i
		}
		return len(ranks)
	}
	slices.SortStableFunc(doubtful, func(a, b hit) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), since(&a.head.Entry).Compare(since(&b.head.Entry)), strings.Compare(a.head.Path, b.head.Path))
	})
	a := Answer{Results: []Result{}}
	for _, h := range doubtful[:min(len(doubtful), s.o.Behavior.MaxStaleInBriefing)] {
		a.Results = append(a.Results, h.result(q, newCitings(h.tree.root, maxPins)))
	}
	return a.Results
}

// beside tells of a text beside a memory's own.
func (r reading) beside(c store.Conflict) Override {
	o := Override{ID: c.ID, Lobe: r.lobe.name, Path: c.Path, Key: c.Key, Twin: c.Twin, Gone: c.Gone}
	if h, ok := r.view.ID(c.ID); ok {
		o.Title = h.Entry.Title
	}
	all, err := r.store.Revisions(c.ID)
	if err != nil {
		return o // the hint is not worth an error
	}
	for _, rev := range all {
		if rev.Key() != c.Key {
			continue
		}
		o.Actor, o.Recorded = rev.Actor, rev.Recorded.UTC()
		if file, err := entry.ParseFile(rev.Path, rev.Recorded, rev.Head); err == nil && !rev.Gone() {
			o.Excerpt = entry.Excerpt(file.Entry.Body, briefExcerpt)
			o.Title = cmp.Or(o.Title, file.Entry.Title)
		}
	}
	return o
}

// oddities adds what a person should be told about the lobe's files.
func (r reading) oddities(ctx context.Context, b *Briefing) error {
	overrides, err := r.store.Overrides(ctx)
	if err != nil {
		return err
	}
	for _, o := range overrides {
		b.Overrides = append(b.Overrides, Override{ID: o.ID, Lobe: r.lobe.name, Title: o.Title, Path: o.Path, Key: o.Key})
	}
	for _, c := range r.store.Conflicts() {
		b.Late = append(b.Late, r.beside(c))
	}
	open, err := r.objections(ctx)
	if err != nil {
		return err
	}
	b.Objections = append(b.Objections, open...)
	if err := r.lookForVanished(ctx); err != nil {
		return err
	}
	if v := r.lobe.vanished.Load(); v != nil {
		b.Vanished = append(b.Vanished, *v)
	}
	return nil
}
