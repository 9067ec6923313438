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
		b.Stale += own.stale
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
	stale         int   // how many are doubtful
	doubtful      []hit // the first of them to check
}

// A chapter gathers what a section tells of one lobe: the first few, and how
// many there are. Only what is told is kept, whatever the size of the lobe.
type chapter struct {
	first best[*store.Head]
	total int
}

func (c *chapter) add(h *store.Head) {
	c.total++
	c.first.add(h)
}

// brief sorts what the present shows of a lobe into sections.
func (r reading) brief(q Query, sections map[string][]Section) summary {
	var own summary
	sv := r.sieve(q)
	byTopic := make(map[string]*chapter)
	doubtful := best[*store.Head]{most: r.lobe.o.Behavior.MaxStaleInBriefing, compare: byDanger}
	files := newCitings(r.tree.root, maxCitings)
	for h := range r.view.Heads() {
		if !sv.keep(h) || h.Copy != "" {
			continue
		}
		own.entries++
		if h.Entry.Status != "candidate" {
			name := sectionOf(h.Entry.Topic)
			if byTopic[name] == nil {
				byTopic[name] = &chapter{first: best[*store.Head]{most: mostInSection, compare: bySection}}
			}
			byTopic[name].add(h)
		}
		if h.Broken == nil && doubted(r.lobe.o.Behavior.judge(&h.Entry, q.At, files)) {
			own.stale++
			doubtful.add(h)
		}
	}
	own.held = sv.hidden[held]
	own.doubtful = r.certain(doubtful.sorted())
	for name, c := range byTopic {
		section := Section{Topic: name, Lobe: r.lobe.name, Total: c.total, Results: []Result{}}
		if name == "recent-work" {
			section.Branch = sv.branch
		}
		shown, outside := withoutHeld(r.certain(c.first.sorted()), q)
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

// certain makes hits of entries that nobody searched for.
func (r reading) certain(heads []*store.Head) []hit {
	hits := make([]hit, len(heads))
	for i, h := range heads {
		hits[i] = hit{reading: r, head: h, score: h.Entry.Certainty()}
	}
	return hits
}

func sectionOf(topic string) string {
	if entry.IsModule(topic) {
		return "modules"
	}
	return topic
}

// bySection orders modules by name, then all by certainty, importance and age.
func bySection(a, b *store.Head) int {
	x, y := &a.Entry, &b.Entry
	if c := cmp.Or(cmp.Compare(x.Topic, y.Topic), cmp.Compare(y.Certainty(), x.Certainty()), cmp.Compare(importance(y), importance(x))); c != 0 {
		return c
	}
	return byAge(a, b)
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

// byDanger orders what to check first: by topic, the most dangerous one first,
// and the oldest of each.
func byDanger(a, b *store.Head) int {
	if c := cmp.Or(cmp.Compare(danger(a), danger(b)), since(&a.Entry).Compare(since(&b.Entry))); c != 0 {
		return c
	}
	return strings.Compare(a.Path, b.Path)
}

func danger(h *store.Head) int {
	switch sectionOf(h.Entry.Topic) {
	case "gotchas":
		return 0
	case "architecture":
		return 1
	case "conventions":
		return 2
	case "modules":
		return 3
	case "recent-work":
		return 4
	}
	return 5
}

// staleFirst picks the entries to check first among those of all lobes.
func (s *Set) staleFirst(doubtful []hit, q Query) []Result {
	slices.SortStableFunc(doubtful, func(a, b hit) int { return byDanger(a.head, b.head) })
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
	overrides, err := r.store.Overrides(r.view)
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
