package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"memory-mcp/lobes"
)

// found is the answer of a search.
type found struct {
	Lobe      string           `json:"lobe"`
	Lobes     []string         `json:"lobes"`
	Results   []hit            `json:"results"`
	Total     int              `json:"total"`
	Omitted   int              `json:"omitted"`
	Truncated bool             `json:"truncated"` // the budget did not hold all that was asked for
	RankedBy  string           `json:"ranked_by"`
	Fallback  string           `json:"fallback"`
	NotValid  int              `json:"not_valid"`
	Held      int              `json:"held"`
	Hidden    int              `json:"hidden"`
	Branches  int              `json:"other_branches"`
	Weak      int              `json:"weak"`
	Erased    int              `json:"erased,omitempty"`
	Missing   []string         `json:"missing"`
	Matched   []string         `json:"matched"`
	Tags      []lobes.TagCount `json:"tags"`
	Conflicts []lobes.Conflict `json:"conflicts"`
	Tried     string           `json:"tried"`
	Degraded  []lobes.Health   `json:"degraded"`
	Vanished  []lobes.Vanished `json:"vanished"`
	AsOf      string           `json:"as_of"`
	ValidAt   string           `json:"valid_at"`
	// VectorShare is the part of the entries that the ranking had a vector of.
	VectorShare float64 `json:"vector_share"`
	// Notices say that the settings in use are not those on disk.
	Notices []string `json:"notices"`

	asked  string // the words of the query
	byText bool   // ranked by words of a task rather than by a filter
	byID   bool
	detail string
	offset int
	lobe   string   // as the call named it
	ids    []string // that were asked for
	narrow []arg    // what else the call named, for the next one

	thenArgs  []arg  // the times that were asked for, for the next call
	past      bool   // asked as of another time than now
	otherTime bool   // asked for what holds at another time than now
	area      string // the tool that lists one topic, when it was that
}

func newFound(a lobes.Answer, detail string) *found {
	f := &found{
		Lobe: strings.Join(a.Lobes, ", "), Lobes: a.Lobes, Results: make([]hit, 0, len(a.Results)),
		Total: a.Total, Omitted: a.Omitted, RankedBy: a.RankedBy, VectorShare: a.VectorShare, Fallback: a.Fallback,
		NotValid: a.NotValid, Held: a.Held, Hidden: a.Hidden, Branches: a.Branches, Weak: a.Weak, Erased: a.Erased,
		Missing: a.Missing, Matched: a.Matched, Tags: a.Tags, Conflicts: a.Conflicts, Tried: a.Tried,
		Degraded: a.Degraded, Vanished: append([]lobes.Vanished{}, a.Vanished...), AsOf: instant(a.AsOf), ValidAt: instant(a.ValidAt), detail: detail,
	}
	for _, r := range a.Results {
		f.Results = append(f.Results, newHit(r, detail))
	}
	for i := range f.Conflicts {
		f.Conflicts[i].A.Title = safeLine(f.Conflicts[i].A.Title)
		f.Conflicts[i].B.Title = safeLine(f.Conflicts[i].B.Title)
	}
	return f
}

func (f *found) shrink() bool {
	last := len(f.Results) - 1
	switch {
	case last > 0:
		f.Results = f.Results[:last]
		f.Omitted++
	case last == 0 && len([]rune(f.Results[0].Content)) > shortestContent:
		f.Results = slices.Clone(f.Results)
		h := &f.Results[0]
		r := []rune(h.Content)
		h.Content, h.Cut = string(r[:len(r)*3/4]), true
	case len(f.Tags) > 0:
		f.Tags = nil
	case last == 0:
		h, shorter := f.Results[0].shorter()
		if !shorter {
			return false
		}
		f.Results = []hit{h}
	default:
		return false
	}
	f.Truncated = true
	return true
}

// shortestContent is the length below which a text is not cut further.
const shortestContent = 200

func (f *found) text(p *page) {
	p.line("%s", f.head())
	if len(f.Results) > 0 {
		f.list(p)
	}
	f.misses(p)
	f.conflicts(p)
	f.foot(p)
	for _, n := range f.Notices {
		p.block("CONFIGURATION: " + strings.TrimSuffix(n, ".") + ". Ask " + p.diagnose() + ".")
	}
}

func (f *found) head() string {
	in := "lobe " + f.Lobe
	if len(f.Lobes) != 1 {
		in = "lobes " + f.Lobe
	}
	if len(f.Lobes) == 0 {
		in = "no lobe"
	}
	about := ""
	if f.asked != "" {
		about = " for " + quote(cut(f.asked, 80))
	}
	if len(f.Results) == 0 {
		return "Nothing found in " + in + about + f.times() + "."
	}
	n := count(f.Total, "memory", "memories")
	if f.Total > len(f.Results) {
		n = fmt.Sprintf("%d of %s", len(f.Results), n)
	}
	s := n + " in " + in + about + f.times()
	if f.RankedBy != "" {
		s += ", ranked by " + f.RankedBy
	}
	if f.Fallback != "" {
		s += "; nothing held all the words, so these matched " + strings.ReplaceAll(f.Fallback, "-", " ")
	}
	return s + "."
}

// times says of which times an answer speaks that is not about the present.
func (f *found) times() string {
	s := ""
	if f.past {
		s += ", as believed at " + f.AsOf
	}
	if f.otherTime {
		s += ", valid at " + f.ValidAt
	}
	return s
}

// list writes the hits that the budget holds, inside a fence.
func (f *found) list(p *page) {
	var blocks []string
	room := p.room() - fenceTokens
	for i, h := range f.Results {
		w := h.words(f.detail, room)
		if tokens(w) > room {
			f.Omitted += len(f.Results) - i
			f.Truncated = true
			f.Results = f.Results[:i]
			break
		}
		room -= tokens(w) + 0.25
		blocks = append(blocks, w)
	}
	switch {
	case len(blocks) == 0:
	case f.detail == detailFull:
		p.write(strings.Join(blocks, "\n"))
	case f.detail == detailStandard:
		p.write(fence("lobe "+f.Lobe, strings.Join(blocks, "\n\n")))
	default:
		p.write(fence("lobe "+f.Lobe, strings.Join(blocks, "\n")))
	}
}

func (f *found) misses(p *page) {
	for _, id := range f.Missing {
		p.line("No entry has the id %s in %s.", quote(cut(id, 60)), either(f.Lobe, "these lobes"))
	}
	for _, d := range f.Degraded {
		p.line("Lobe %s was not searched: %s. Ask %s.", d.Name, d.Cause, p.diagnose())
	}
	for _, v := range f.Vanished {
		p.line("VANISHED: %s of lobe %s went at once, and are not searched. Ask %s.", count(v.Count, "entry", "entries"), v.Lobe, p.diagnose())
	}
}

func (f *found) conflicts(p *page) {
	for _, c := range f.Conflicts {
		if f.moved() {
			break // what was believed then cannot be mended
		}
		p.line("CONFLICT (%.0f%% alike): %s %q (%.2f, %s) and %s %q (%.2f, %s). If %s is wrong: %s",
			c.Similarity*100, c.A.ID, c.A.Title, c.A.Confidence, day(c.A.Created),
			c.B.ID, c.B.Title, c.B.Confidence, day(c.B.Created), c.Doubtful, p.correct(c.Doubtful, "delete", ""))
	}
}

func (f *found) foot(p *page) {
	f.left(p)
	if len(f.Results) == 0 && f.Total == 0 {
		f.nothing(p)
		return
	}
	if f.Omitted > 0 {
		p.line("%s not shown. More: %s", f.omitted(), f.next(p))
	}
	switch {
	case f.byID:
	case f.detail == detailBrief && f.moved():
		p.line("Full text of then: %s", p.then(f.firstID(), f.thenArgs))
	case f.detail == detailBrief:
		p.line("Full text: %s", p.get(f.firstID()))
	case f.byText && len(f.Matched) > 0:
		p.block(fmt.Sprintf("Matched: %s. These need not be asked for again in this session.", strings.Join(f.Matched, ", ")))
	}
	if len(f.Tags) > 0 && !f.byText && !f.byID {
		p.block("Tags here: " + tagList(f.Tags))
	}
}

// moved tells whether the answer speaks of another time than now.
func (f *found) moved() bool { return f.past || f.otherTime }

func (f *found) omitted() string { return count(f.Omitted, "hit is", "hits are") }

func (f *found) firstID() string {
	if len(f.Results) == 0 {
		return "ID"
	}
	return f.Results[0].ID
}

// next is the call for what was left out.
func (f *found) next(p *page) string {
	var rest []arg
	switch {
	case f.byID:
		rest = []arg{{"id", strings.Join(f.unseen(), ",")}, {"maxTokens", MaxTokens}}
	case f.byText:
		rest = []arg{{"maxResults", min(f.Total, lobes.MaxLimit)}, {"maxTokens", 2 * DefaultTokens}}
	default:
		rest = []arg{{"offset", f.offset + len(f.Results)}}
	}
	rest = append(rest, f.narrow...)
	if f.lobe != "" {
		rest = append(rest, arg{"lobe", f.lobe})
	}
	if f.area != "" && p.lists(f.area) {
		if f.asked != "" {
			rest = append([]arg{{"area", f.asked}}, rest...)
		}
		return call(f.area, rest...)
	}
	if f.area != "" {
		rest = append(rest, arg{"scope", f.area})
	}
	return p.search(f.byText, f.asked, rest...)
}

// unseen are the ids that were asked for and are not in the answer.
func (f *found) unseen() []string {
	var left []string
	for _, id := range f.ids {
		shown := func(h hit) bool { return h.ID == id }
		if !slices.ContainsFunc(f.Results, shown) && !slices.Contains(f.Missing, id) {
			left = append(left, id)
		}
	}
	return left
}

// left tells what the present does not show.
func (f *found) left(p *page) {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(f.NotValid, map[bool]string{false: "not valid now or expired", true: "not valid then or expired"}[f.past || f.otherTime])
	add(f.Held, "held for a person's review")
	add(f.Hidden, "pending, archived or superseded")
	add(f.Branches, "of other branches (branch: \"*\" shows them)")
	add(f.Weak, "too weak")
	add(f.Erased, "of which it was erased what was believed then")
	if len(parts) > 0 {
		p.line("Left out: %s.", strings.Join(parts, ", "))
	}
}

func (f *found) nothing(p *page) {
	if f.Tried != "" {
		p.line("Tried: %s.", strings.TrimSuffix(safeLine(f.Tried), "."))
	}
	if len(f.Tags) > 0 {
		p.line("Tags here: %s. Try %s", tagList(f.Tags), p.search(false, "#"+f.Tags[0].Tag))
	}
	if f.asked != "" && !f.byText && !p.shell && p.profile != Verbs {
		p.line("Filter: a b = both, a|b = either, -a = without, #tag, =exact, \"a phrase\". By meaning of a task: %s", p.search(true, f.asked))
	}
	if len(f.Lobes) <= 1 && f.lobe == "" {
		p.line("All lobes: %s", p.search(f.byText, f.asked, arg{"lobe", "*"}))
	}
}

func tagList(tags []lobes.TagCount) string {
	parts := make([]string, len(tags))
	for i, t := range tags {
		parts[i] = fmt.Sprintf("#%s (%d)", safeLine(t.Tag), t.Count)
	}
	return strings.Join(parts, " ")
}

func either(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// recall searches; shared by the operations that do.
func recall(ctx context.Context, env *Env, lobe string, q lobes.Query, detail string) (*found, error) {
	q.Excerpt, q.History, q.Commits = lobes.MaxExcerpt, detail == detailFull, detail == detailFull
	a, err := on(ctx, env, env.target(lobe), func(m Memory, t lobes.Target) (lobes.Answer, error) {
		return m.Recall(ctx, t, q)
	})
	if err != nil {
		return nil, err
	}
	f := newFound(a, detail)
	f.offset, f.lobe, f.ids = q.Offset, lobe, q.IDs
	for _, n := range []arg{{"scope", q.Scope}, {"branch", q.Branch}, {"kind", q.Kind}, {"status", q.Status}, {"subject", q.Subject}} {
		if n.value != "" {
			f.narrow = append(f.narrow, n)
		}
	}
	if why := env.facts().Unread; why != "" {
		f.Notices = []string{why}
	}
	f.byID, f.byText = len(q.IDs) > 0, q.Text != ""
	f.asked = q.Filter
	if f.byText {
		f.asked = q.Text
	}
	if f.byID && len(a.Results) == 0 && len(a.Missing) > 0 {
		return nil, &lobes.UnknownIDError{ID: a.Missing[0], Lobes: a.Lobes}
	}
	return f, nil
}
