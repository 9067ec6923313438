package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// briefing is what a session should know at its start.
type briefing struct {
	Lobe       string            `json:"lobe"`
	Lobes      []string          `json:"lobes"`
	Results    []hit             `json:"results"` // in the order of reading
	Total      int               `json:"total"`
	Omitted    int               `json:"omitted"`
	Truncated  bool              `json:"truncated"`
	RankedBy   string            `json:"ranked_by"`
	Entries    int               `json:"entries"`
	Stale      int               `json:"stale"`
	StaleFirst []hit             `json:"stale_first"`
	Overrides  []lobes.Override  `json:"overrides"`
	Late       []lobes.Override  `json:"late"`
	Objections []lobes.Objection `json:"objections"`
	Vanished   []lobes.Vanished  `json:"vanished"`
	Degraded   []lobes.Health    `json:"degraded"`
	Held       int               `json:"held"`
	Empty      bool              `json:"empty"`
	Moved      []lobes.Moved     `json:"moved"`
	Tags       []lobes.TagCount  `json:"tags"`
	Crashes    []death           `json:"crashes"` // the previous one, shown once
	Notices    []string          `json:"notices"`

	detail string
	asked  string // the lobe of the call
}

func brief(ctx context.Context, env *Env, lobe, detail string) (answer, error) {
	b, err := on(ctx, env, env.target(lobe), func(m Memory, t lobes.Target) (lobes.Briefing, error) {
		return m.Brief(ctx, t)
	})
	if err != nil {
		return nil, err
	}
	detail = either(detail, detailBrief)
	a := &briefing{
		Lobe: strings.Join(b.Lobes, ", "), Lobes: b.Lobes, RankedBy: "briefing", Entries: b.Entries, Stale: b.Stale,
		Overrides: b.Overrides, Late: b.Late, Objections: b.Objections, Vanished: b.Vanished, Degraded: b.Degraded, Held: b.Held,
		Empty: b.Empty, Moved: b.Moved, Tags: b.Tags, Notices: env.facts().Notices, detail: detail, asked: lobe,
	}
	for _, s := range b.Sections {
		for _, r := range s.Results {
			h := newHit(r, detail)
			h.Lobe = either(h.Lobe, s.Lobe)
			a.Results = append(a.Results, h)
		}
	}
	for _, r := range b.StaleFirst {
		a.StaleFirst = append(a.StaleFirst, newHit(r, detailBrief))
	}
	for i := range a.Objections {
		o := &a.Objections[i]
		o.Title, o.Note, o.Actor = safeLine(o.Title), safeLine(o.Note), safeLine(o.Actor)
	}
	for _, all := range [][]lobes.Override{a.Overrides, a.Late} {
		for i := range all {
			all[i].Title = safeLine(all[i].Title)
		}
	}
	a.Total = max(b.Entries, len(a.Results))
	a.Omitted = a.Total - len(a.Results)
	var notices []string
	a.Crashes, notices = env.unseen()
	a.Notices = append(a.Notices[:len(a.Notices):len(a.Notices)], notices...)
	return a, nil
}

func (a *briefing) shrink() bool {
	switch {
	case len(a.Tags) > 0:
		a.Tags = nil
	case len(a.Results) > 1:
		a.Results = a.Results[:len(a.Results)-1]
		a.Omitted++
	case len(a.StaleFirst) > 1:
		a.StaleFirst = a.StaleFirst[:len(a.StaleFirst)-1]
	default:
		return false
	}
	a.Truncated = true
	return true
}

func (a *briefing) text(p *page) {
	p.line("Memory briefing, lobe %s: %s, %d stale.", either(a.Lobe, "none"), count(a.Entries, "memory", "memories"), a.Stale)
	a.alarms(p)
	a.edits(p)
	if a.Empty {
		a.invite(p)
		return
	}
	a.sections(p)
	a.stale(p)
	a.close(p)
}

// alarms are what must not be overlooked.
func (a *briefing) alarms(p *page) {
	for _, c := range a.Crashes {
		p.line("CRASH since the last session: %s", c.line())
	}
	for _, d := range a.Degraded {
		p.line("DEGRADED lobe %s: %s. %s. Ask %s.", d.Name, d.Cause, strings.Join(d.Remedy, "; "), p.diagnose())
	}
	for _, v := range a.Vanished {
		p.line("VANISHED: %s of lobe %s went at once from %s. Nothing was deleted from the history. Put them back: %s. If it was meant: %s",
			count(v.Count, "entry", "entries"), v.Lobe, v.Dir, line("restore", "--vanished", "--lobe", v.Lobe), line("forget", "--vanished", "--lobe", v.Lobe))
	}
	for _, n := range a.Notices {
		p.line("CONFIGURATION: %s.", strings.TrimSuffix(n, "."))
	}
	for _, m := range a.Moved {
		p.line("Lobe %s is empty, but this repository had %s in %s. If it moved, copy that folder here.", m.Lobe, count(m.Count, "memory", "memories"), m.Dir)
	}
}

// edits are the edits of people that undid what agents had written.
func (a *briefing) edits(p *page) {
	for _, o := range a.Overrides {
		p.line("OVERRIDE: a person's edit overrides your correction of %s %q (%s). Respect it; if you must disagree, read %s, then %s",
			o.ID, o.Title, o.Path, p.get(o.ID), p.correct(o.ID, "replace", "the text that both agree on"))
	}
	for _, o := range a.Objections {
		p.line("OBJECTION: %s calls %s %q %s, which is a person's word (%s). Ask the user, then %s, or %s", either(o.Actor, "somebody"), o.ID, o.Title, o.Verdict,
			p.history(askWhy, arg{"id", o.ID}), p.correct(o.ID, "confirm", ""), p.correct(o.ID, "replace", "what holds now"))
	}
	for _, o := range a.Late {
		if o.Twin {
			p.line("CONFLICT: another copy of the folder has %s %s %q, too%s. Both texts: %s. What holds settles it: %s, or %s",
				map[bool]string{false: "changed", true: "deleted"}[o.Gone], o.ID, o.Title, tail(", by ", safeLine(o.Actor)),
				p.history(askWhy, arg{"id", o.ID}, arg{"lobe", o.Lobe}), p.correct(o.ID, "confirm", ""), p.correct(o.ID, "replace", "the text that holds"))
			continue
		}
		p.line("CONFLICT: an editor saved into %s %q after it was replaced; both texts are in the history (%s). Read %s, then %s",
			o.ID, o.Title, o.Path, p.get(o.ID), p.correct(o.ID, "replace", "the merged text"))
	}
}

func (a *briefing) invite(p *page) {
	p.line("There is no memory yet.")
	if !a.project() {
		p.line("No project is bound here, so what is stored belongs to the user in all projects: %s", p.store("answer in short sentences", "preferences"))
		return
	}
	p.line("Start with what the repository says: %s", p.bootstrap())
	p.line("Then store what you learn, one insight each: %s", p.store("uploads must go through the queue, direct ones lose events", "gotchas"))
}

// project tells whether a lobe other than the user's own was looked at, so
// that there is a repository to read.
func (a *briefing) project() bool {
	return slices.ContainsFunc(a.Lobes, func(name string) bool { return name != "global" })
}

// sections are the hits under the names of their topics, as far as they fit.
func (a *briefing) sections(p *page) {
	room := p.room() - fenceTokens - a.staleTokens()
	var blocks []string
	topic := ""
	for i, h := range a.Results {
		block := h.words(a.detail, room)
		if head := heading(h); head != topic {
			block, topic = head+"\n"+block, head
		}
		if tokens(block) > room {
			a.Omitted += len(a.Results) - i
			a.Results = a.Results[:i]
			a.Truncated = true
			break
		}
		room -= tokens(block) + 0.25
		blocks = append(blocks, block)
	}
	switch {
	case len(blocks) == 0:
	case a.detail == detailFull:
		p.write(strings.Join(blocks, "\n"))
	default:
		p.write(fence("briefing of lobe "+a.Lobe, strings.Join(blocks, "\n")))
	}
}

func heading(h hit) string {
	s := strings.ToUpper(h.Topic)
	if h.Topic == "recent-work" && h.Branch != "" {
		s += " on " + h.Branch
	}
	return s
}

// staleTokens is what the list of stale entries will take.
func (a *briefing) staleTokens() float64 {
	return float64(len(a.StaleFirst)) * 45
}

func (a *briefing) stale(p *page) {
	if len(a.StaleFirst) == 0 {
		return
	}
	p.line("STALE, check before you rely on them:")
	for _, h := range a.StaleFirst {
		if !p.block(fmt.Sprintf("- %s %q (%s, %s)", h.ID, cut(h.Title, 80), h.Topic, h.mark())) {
			break
		}
	}
	id := a.StaleFirst[0].ID
	p.line("Still right: %s. Changed: %s. Wrong: %s",
		p.correct(id, "confirm", ""), p.correct(id, "replace", "what holds now"), p.correct(id, "delete", ""))
}

func (a *briefing) close(p *page) {
	if a.Held > 0 {
		p.line("%s held for a person's review: %s", count(a.Held, "entry is", "entries are"), line("query", "--status", "review"))
	}
	if len(a.Tags) > 0 {
		p.block("Tags: " + tagList(a.Tags))
	}
	left := ""
	if a.Omitted > 0 {
		left = fmt.Sprintf("%s more. ", count(a.Omitted, "memory", "memories"))
	}
	rest := []arg{}
	if a.asked != "" {
		rest = append(rest, arg{"lobe", a.asked})
	}
	p.line("%sBefore a task: %s", left, p.search(true, "what the task is about", rest...))
}

func day(t time.Time) string {
	if t.IsZero() {
		return "no date"
	}
	return t.UTC().Format(time.DateOnly)
}
