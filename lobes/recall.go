package lobes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"memory-mcp/lobes/repo"
	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// Recall searches the lobes that the target leads to. It answers from the
// files as they are when it starts, and writes nothing.
func (s *Set) Recall(ctx context.Context, t Target, q Query) (Answer, error) {
	q, err := s.checked(q)
	if err != nil {
		return Answer{}, err
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return Answer{}, err
	}
	readings, degraded, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return Answer{}, err
	}
	if readings, err = s.asOf(ctx, readings, q.AsOf); err != nil {
		return Answer{}, err
	}
	a := s.emptyAnswer(q, readings)
	a.Degraded = degraded
	if len(q.IDs) > 0 {
		err := s.get(ctx, &a, readings, q)
		a.explain(ctx, readings, q)
		return a, err
	}
	if t.Lobe == "" && !slices.ContainsFunc(readings, func(r reading) bool { return !r.lobe.site.shared }) {
		a.Choose = s.projects()
	}
	s.think(ctx, &q)
	s.search(ctx, &a, readings, q)
	a.missVanished(ctx, readings, q)
	a.explain(ctx, readings, q)
	return a, nil
}

func (s *Set) emptyAnswer(q Query, readings []reading) Answer {
	a := Answer{
		Lobes: []string{}, Results: []Result{}, Tags: []TagCount{}, Matched: []string{}, Missing: []string{},
		Conflicts: []Conflict{}, Choose: []string{}, Vanished: []Vanished{}, AsOf: q.asked(s.o.Now()), ValidAt: q.At.UTC(), RankedBy: RankedByWords,
	}
	for _, r := range readings {
		a.Lobes = append(a.Lobes, r.lobe.name)
		if v := r.lobe.vanished.Load(); v != nil && q.AsOf.IsZero() {
			a.Vanished = append(a.Vanished, *v)
		}
	}
	return a
}

func (s *Set) projects() []string {
	var found []string
	for _, l := range s.lobes {
		if !l.site.shared {
			found = append(found, l.name)
		}
	}
	return orEmpty(found)
}

// checked brings a query into its one form.
func (s *Set) checked(q Query) (Query, error) {
	q.Limit = min(cmp.Or(max(q.Limit, 0), DefaultLimit), MaxLimit)
	q.Offset = max(q.Offset, 0)
	q.Excerpt = min(cmp.Or(max(q.Excerpt, 0), standardExcerpt), MaxExcerpt)
	if err := q.when(s.o.Now()); err != nil {
		return q, err
	}
	q.Text, q.Filter = strings.ReplaceAll(q.Text, "\x00", " "), strings.ReplaceAll(q.Filter, "\x00", " ")
	q.Subject = strings.ToLower(strings.TrimSpace(q.Subject))
	q.NoBoosts = q.NoBoosts || s.o.Behavior.NoBoosts
	var err error
	if q.Scope, err = scope(q.Scope); err != nil {
		return q, err
	}
	if q.Kind != "" && q.Kind != "*" {
		if q.Kind, err = entry.ParseKind(q.Kind); err != nil {
			return q, err
		}
	}
	if q.Status != "" && q.Status != "*" {
		q.Status, err = entry.ParseStatus(q.Status)
	}
	return q, err
}

const standardExcerpt = 300

// scope is a topic, "modules" for all of them, or "" for every topic.
func scope(s string) (string, error) {
	switch trimmed := strings.ToLower(strings.Trim(strings.TrimSpace(s), "/")); trimmed {
	case "", "*":
		return "", nil
	case "modules", "modules/*":
		return "modules", nil
	}
	return entry.ParseTopic(s)
}

func inScope(topic, scope string) bool {
	return scope == "" || topic == scope || strings.HasPrefix(topic, scope+"/")
}

// A hit is an entry that was found, before it is told.
type hit struct {
	reading
	head      *store.Head
	score     float64
	relevance float64 // by words alone
	factor    float64 // of what is known of the entry
	near      float64 // to the meaning of the question, 0 to 1
	cover     float64
	reasons   []index.Reason
}

// A sieve decides which entries of one lobe a query may show, and counts what
// it leaves out.
type sieve struct {
	reading
	q        Query
	branch   string
	fused    bool                 // vectors had a say
	out      map[*store.Head]bool // that are counted already
	hidden   [notValid + 1]int
	branches int
}

func (r reading) sieve(q Query) *sieve {
	branch := q.Branch
	if branch == "" {
		branch = r.tree.branch()
	}
	return &sieve{reading: r, q: q, branch: branch, out: make(map[*store.Head]bool)}
}

// plain tells whether an entry is shown to everyone who does not ask for a
// certain kind, subject or other status.
func plain(h *store.Head) bool {
	e := &h.Entry
	return (e.Status == "" || e.Status == "active") && e.Expires.IsZero() && e.Valid.From.IsZero() && e.Valid.Until.IsZero() &&
		(e.Topic != "recent-work" || e.Branch == "") && h.Copy == "" && vouched(e)
}

// keepsPlain tells whether the query shows every plain entry of its scope.
func (s *sieve) keepsPlain() bool {
	return (s.q.Kind == "" || s.q.Kind == "*") && s.q.Subject == "" && (s.q.Status == "" || s.q.Status == "*" || s.q.Status == "active")
}

// keep tells whether an entry may be shown. What is left out is counted once,
// however often it is asked about.
func (s *sieve) keep(h *store.Head) bool {
	e := &h.Entry
	switch {
	case s.q.unasked && !vouched(e),
		!inScope(e.Topic, s.q.Scope),
		s.q.Kind != "" && s.q.Kind != "*" && e.Kind != s.q.Kind,
		s.q.Subject != "" && strings.ToLower(e.Subject) != s.q.Subject,
		!hasStatus(e, s.q.Status) && !(s.q.Status == "review" && s.fromOutside(h) && s.heldOutside(h)):
		return false
	}
	if seen := see(e, s.q.Status, s.q.At); seen != shown {
		s.count(h, &s.hidden[seen])
		return false
	}
	if !onBranch(e, s.branch) {
		s.count(h, &s.branches)
		return false
	}
	return !s.repeats(h)
}

func (s *sieve) count(h *store.Head, in *int) {
	if !s.out[h] {
		s.out[h] = true
		*in++
	}
}

// vouched tells whether an entry may be shown to somebody who did not ask: it
// is no candidate, and what was read from the repository was confirmed since.
func vouched(e *entry.Entry) bool {
	return e.Status != "candidate" && (e.Origin != repositoryOrigin || !e.Verified.IsZero() || trustOf(e) != entry.AgentInferred)
}

// repeats tells whether a copy adds nothing to its head.
func (s *sieve) repeats(h *store.Head) bool {
	if h.Copy == "" {
		return false
	}
	head, ok := s.view.Path(h.Copy)
	return ok && head.Hash == h.Hash
}

// onBranch tells whether recent work belongs to a branch. Work without a
// branch belongs to each, and without a known branch all work is shown.
func onBranch(e *entry.Entry, branch string) bool {
	if e.Topic != "recent-work" || e.Branch == "" || branch == "" || branch == "*" || e.Branch == branch {
		return true
	}
	return repo.BranchSlug(e.Branch) == repo.BranchSlug(branch)
}

// weight is the factor of an entry.
func (s *sieve) weight(d *index.Doc) float64 {
	w := weighing{factor: 1}
	s.weigh(&w, headOf(d), s.q)
	return w.factor
}

// weigh works out the factor of an entry.
func (r reading) weigh(w *weighing, h *store.Head, q Query) {
	s := r.lobe.o.Behavior.standing(&h.Entry, q.At)
	if h.Entry.Topic == "recent-work" && q.Branch == "*" {
		s.elsewhere = !onBranch(&h.Entry, r.tree.branch())
	}
	s.uses = r.lobe.uses.of(h.Entry.ID)
	w.weigh(&h.Entry, s, !q.NoBoosts)
}

// rankPool is how many hits are looked at, at least, to tell weak ones from
// those that are not shown.
const rankPool = 50

// pool is rankPool, or for late pages the next larger step.
func pool(most int) int {
	n := rankPool
	for n < most {
		n *= 5
	}
	return n
}

// find searches one lobe.
func (s *sieve) find() ([]hit, index.Result) {
	most := s.q.Offset + s.q.Limit
	switch {
	case s.q.Text != "":
		q := s.query(pool(most))
		q.Text = s.q.Text
		if s.q.Filter != "" {
			q.Keep, q.KeepsPlain = s.matching(), false
		}
		hits, r := s.hits(q)
		return s.fuse(hits, r, q.Limit)
	case strings.TrimSpace(s.q.Filter) != "":
		return s.hits(s.filter(most))
	}
	return s.list(most)
}

// query asks for what may be shown.
func (s *sieve) query(most int) index.Query {
	return index.Query{
		Topic: s.q.Scope, Keep: func(d *index.Doc) bool { return s.keep(headOf(d)) }, KeepsPlain: s.keepsPlain(),
		Weight: s.weight, Limit: most,
	}
}

func (s *sieve) filter(most int) index.Query {
	q := s.query(most)
	q.Filter, q.HasFilter = textanalysis.ParseFilter(s.q.Filter), true
	return q
}

// matching keeps what the filter matches too.
func (s *sieve) matching() func(*index.Doc) bool {
	q := s.filter(s.index.Len() + 1)
	q.Weight = nil
	found := make(map[any]bool)
	for _, h := range s.index.Search(q).Hits {
		found[h.Ref] = true
	}
	return func(d *index.Doc) bool { return found[d.Ref] }
}

func (s *sieve) hits(q index.Query) ([]hit, index.Result) {
	r := s.index.Search(q)
	hits := make([]hit, 0, len(r.Hits))
	for _, h := range r.Hits {
		if r, ok := h.Ref.(*store.Ref); ok {
			head := r.Head()
			one := hit{reading: s.reading, head: head, score: h.Score, relevance: h.Relevance, factor: 1, cover: h.Coverage, reasons: h.Reasons}
			if h.Relevance > 0 {
				one.factor = h.Score / h.Relevance
			}
			hits = append(hits, one)
		}
	}
	return hits, r
}

// list orders everything that may be shown by confidence, the newest first.
func (s *sieve) list(most int) ([]hit, index.Result) {
	first := best[index.Listed]{most: most, compare: byOrder}
	total, plain := 0, s.keepsPlain()
	for listed := range s.index.Each(s.q.Scope) {
		if listed.Plain && plain || s.keep(headAt(listed.Ref)) {
			total++
			first.add(listed)
		}
	}
	found := first.sorted()
	hits := make([]hit, len(found))
	for i, listed := range found {
		h := headAt(listed.Ref)
		hits[i] = hit{reading: s.reading, head: h, score: h.Entry.Certainty()}
	}
	return hits, index.Result{Total: total}
}

// byAge puts the newest first.
func byAge(a, b *store.Head) int {
	return cmp.Or(since(&b.Entry).Compare(since(&a.Entry)), strings.Compare(a.Path, b.Path))
}

// byScore orders by falling score, the newest first among equals.
func byScore(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), byAge(a.head, b.head))
}

// A finding is what one lobe found.
type finding struct {
	*sieve
	hits     []hit
	total    int
	weak     int
	fallback string
	gate     Gate
}

// search merges what the lobes found into the answer.
func (s *Set) search(ctx context.Context, a *Answer, readings []reading, q Query) {
	var found []finding
	for _, r := range readings {
		found = append(found, r.sieve(q).finding())
		a.Erased += r.erased
	}
	known := wordsOf(s.o.Analyzer, q.Text)
	if q.Text != "" {
		withoutWeak(found, known, q.MinMatch)
		a.Gate = gate(found)
	}
	if q.unasked {
		found = slices.DeleteFunc(found, func(f finding) bool { return !f.gate.Open })
	}
	var hits []hit
	for _, f := range fullMatches(found) {
		hits = append(hits, f.hits...)
		a.Total += f.total
		if f.total > 0 {
			a.Fallback = weaker(a.Fallback, f.fallback)
		}
	}
	for _, f := range found {
		a.NotValid, a.Held, a.Hidden = a.NotValid+f.hidden[notValid], a.Held+f.hidden[held], a.Hidden+f.hidden[hidden]
		a.Branches += f.branches
		a.Weak += f.weak
	}
	if q.Text == "" && strings.TrimSpace(q.Filter) == "" {
		a.RankedBy = RankedByRecency
	}
	// The order within a lobe stays, also among equals: pages depend on it.
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	hits = once(hits, a)
	if slices.ContainsFunc(found, func(f finding) bool { return f.fused }) {
		a.RankedBy, a.VectorShare = RankedByBoth, vectorShare(readings)
	}
	if s.rerank(ctx, hits, q) {
		a.RankedBy = RankedByModel
	}
	if home := homeOf(readings); home != "" {
		homeFirst(hits, home)
	}
	page := hits[min(q.Offset, len(hits)):min(q.Offset+q.Limit, len(hits))]
	a.Omitted = max(0, a.Total-q.Offset-len(page))
	page, outside := withoutHeld(page, q)
	a.Held, a.Total = a.Held+outside, a.Total-outside
	s.tell(a, page, q, known)
	if q.Depth >= DeepestDepth {
		s.tellAssociated(a, page, found, q)
	}
	if q.Always && q.Text != "" && q.Offset == 0 {
		s.tellPerson(a, readings, q)
	}
	a.Tags = tagCounts(readings)
	if a.Total == 0 {
		a.Tried = tried(q, a)
	}
}

// finding is what the lobe found.
func (s *sieve) finding() finding {
	hits, result := s.find()
	return finding{sieve: s, hits: hits, total: result.Total, fallback: result.Fallback, gate: gateOf(result)}
}

// gate is the most certain of what the lobes found.
func gate(found []finding) Gate {
	g, hits := Gate{Threshold: index.GateThreshold}, 0
	for _, f := range found {
		hits += len(f.hits)
		if len(f.hits) > 0 && f.gate.Confidence >= g.Confidence {
			g = f.gate
		}
	}
	g.say(hits)
	return g
}

// mostPerson is how many entries about the person are added to a search.
const mostPerson = 5

// tellPerson adds the entries of topic user that the search did not find.
func (s *Set) tellPerson(a *Answer, readings []reading, q Query) {
	q.Scope, q.Text, q.Filter, q.Kind, q.Subject, q.Status, q.Limit, q.Offset = "user", "", "", "", "", "", mostPerson, 0
	var more []hit
	for _, r := range readings {
		found, _ := r.sieve(q).list(mostPerson)
		for _, h := range found {
			known := slices.ContainsFunc(a.Results, func(x Result) bool { return x.Lobe == r.lobe.name && x.Entry.ID == h.head.Entry.ID })
			if !known && h.head.Entry.Status != "candidate" {
				more = append(more, h)
			}
		}
	}
	slices.SortStableFunc(more, byScore)
	before := len(a.Results)
	more, _ = withoutHeld(more[:min(len(more), mostPerson)], q)
	s.tell(a, more, q, words{})
	for i := range a.Results[before:] {
		r := &a.Results[before+i]
		r.Score, r.Why = 0, "about the person: always told"
	}
}

// tried says what a search without a hit looked for.
func tried(q Query, a *Answer) string {
	var parts []string
	switch {
	case q.Text != "":
		parts = append(parts, fmt.Sprintf("any word of %q", clip(q.Text, 200)))
	case q.Filter != "":
		parts = append(parts, fmt.Sprintf("all words of the filter %q, any of them, and parts of words", clip(q.Filter, 200)))
	default:
		parts = append(parts, "every entry")
	}
	for _, f := range []struct{ name, value string }{
		{"topic", q.Scope}, {"kind", q.Kind}, {"status", q.Status}, {"subject", q.Subject}, {"branch", q.Branch},
	} {
		if f.value != "" {
			parts = append(parts, f.name+" "+f.value)
		}
	}
	return strings.Join(parts, ", ") + " in " + list(a.Lobes)
}

func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}
