package ops

import (
	"context"
	"fmt"
	"strings"

	"memory-mcp/lobes"
)

// reasons is the answer of a why: how an entry came to be what it is.
type reasons struct {
	ID          string         `json:"id"`
	Lobe        string         `json:"lobe"`
	State       string         `json:"state"`
	MovedTo     string         `json:"moved_to,omitempty"`
	Entry       *hit           `json:"entry"`
	Changes     []lobes.Change `json:"changes"` // oldest first
	Beside      []lobes.Change `json:"beside"`
	Records     []lobes.Change `json:"records"` // feedback and what else happened to it
	Ancestors   []lobes.Link   `json:"ancestors"`
	Descendants []lobes.Link   `json:"descendants"`
	Omitted     int            `json:"omitted"`
	Unread      int            `json:"unread,omitempty"`
	Truncated   bool           `json:"truncated"`
	AsOf        string         `json:"as_of"`
	ValidAt     string         `json:"valid_at"`
}

func why(ctx context.Context, env *Env, in historyIn) (answer, error) {
	if in.ID == "" {
		return nil, &ArgumentError{Name: "id", Value: `""`, Want: "name the entry by its id, which every answer tells"}
	}
	c, err := on(ctx, env, env.target(in.Lobe), func(m Memory, t lobes.Target) (lobes.Chain, error) {
		return m.Why(ctx, t, in.ID)
	})
	if err != nil {
		return nil, err
	}
	a := &reasons{
		ID: safeLine(c.ID), Lobe: c.Lobe, State: c.State, MovedTo: c.MovedTo, Changes: shown(c.Changes), Beside: shown(c.Beside), Records: shown(c.Records),
		Ancestors: shownLinks(c.Ancestors), Descendants: shownLinks(c.Descendants), Omitted: c.Omitted, Unread: c.Unread,
		AsOf: instant(env.now()), ValidAt: instant(env.now()),
	}
	if c.Entry != nil {
		h := newHit(*c.Entry, detailFull)
		a.Entry = &h
	}
	return a, nil
}

func shownLinks(all []lobes.Link) []lobes.Link {
	kept := make([]lobes.Link, len(all))
	for i, l := range all {
		l.Title, l.Excerpt, l.Quote, l.Reason = safeLine(l.Title), safeLine(l.Excerpt), safeLine(l.Quote), safeLine(l.Reason)
		l.Actor, l.Topic, l.Sources = safeLine(l.Actor), safeLine(l.Topic), safeLines(l.Sources)
		kept[i] = l
	}
	return kept
}

// shrink drops, in this order, the texts of old changes, far links, and
// changes from the middle: the first and the last tell most.
func (r *reasons) shrink() bool {
	r.Truncated = true
	for i := range r.Changes {
		if len(r.Changes[i].Words) > 0 && i < len(r.Changes)-1 {
			r.Changes = append([]lobes.Change{}, r.Changes...)
			r.Changes[i].Words = nil
			return true
		}
	}
	switch {
	case len(r.Ancestors)+len(r.Descendants) > 2 && len(r.Ancestors) >= len(r.Descendants):
		r.Ancestors = r.Ancestors[:len(r.Ancestors)-1]
	case len(r.Ancestors)+len(r.Descendants) > 2:
		r.Descendants = r.Descendants[:len(r.Descendants)-1]
	case len(r.Records) > 2:
		r.Records = r.Records[1:]
	case len(r.Changes) > 2:
		r.Changes = append(r.Changes[:1:1], r.Changes[2:]...)
	case r.Entry != nil && len([]rune(r.Entry.Content)) > shortestContent:
		h := *r.Entry
		text := []rune(h.Content)
		h.Content, h.Cut = string(text[:len(text)*3/4]), true
		r.Entry = &h
		return true
	default:
		return false
	}
	r.Omitted++
	return true
}

func (r *reasons) text(p *page) {
	state := r.State
	if r.MovedTo != "" {
		state += " to lobe " + r.MovedTo
	}
	if r.Entry != nil && r.State == lobes.StateBelieved && r.Entry.Status != "" && r.Entry.Status != "active" {
		state = "not recalled unasked, with the status " + r.Entry.Status
	}
	p.line("Why %s: it is %s, lobe %s.", r.ID, state, r.Lobe)
	if r.Entry != nil {
		p.write(r.Entry.full(p.room() / 2))
	}
	r.list(p, "How it came about, oldest first:", r.changeBlocks(r.Changes))
	if r.Unread > 0 {
		p.line("NOT KNOWN: %s between these, since files of the history are damaged or gone. Which: %s", count(r.Unread, "state", "states"), p.diagnose())
	}
	if len(r.Beside) > 0 {
		r.list(p, "Beside it, not believed:", r.changeBlocks(r.Beside))
	}
	r.list(p, "What was said of it, and happened to it:", recordBlocks(r.Records))
	r.list(p, "It took the place of, or was made of:", linkBlocks(r.Ancestors))
	r.list(p, "Its place was taken by, or of it was made:", linkBlocks(r.Descendants))
	if r.Omitted > 0 {
		p.line("%s not shown. More: %s", count(r.Omitted, "link is", "links are"), p.history(askWhy, arg{"id", r.ID}, arg{"maxTokens", MaxTokens}))
	}
	r.next(p)
}

// next proposes what can be done about it.
func (r *reasons) next(p *page) {
	switch {
	case r.State == lobes.StateRetracted:
		p.line("Put it back: %s", p.correct(r.ID, "restore", ""))
	case r.State == lobes.StateMoved && r.MovedTo != "":
		p.line("Go on there: %s", p.history(askWhy, arg{"id", r.ID}, arg{"lobe", r.MovedTo}))
	case r.Entry != nil && len(r.Beside) > 0:
		p.line("What holds settles it: %s, or %s", p.correct(r.ID, "confirm", ""), p.correct(r.ID, "replace", "the text that holds"))
	case r.Entry != nil && len(r.Changes) > 1:
		p.line("Take the last change back: %s", p.correct(r.ID, "undo", ""))
	}
}

// list writes lines that belong together inside a fence, as far as they fit.
func (r *reasons) list(p *page, head string, blocks []string) {
	if len(blocks) == 0 {
		return
	}
	room := p.room() - fenceTokens - tokens(head)
	kept := 0
	for kept < len(blocks) && tokens(blocks[kept]) <= room {
		room -= tokens(blocks[kept]) + 0.25
		kept++
	}
	r.Omitted += len(blocks) - kept
	if kept == 0 {
		return
	}
	p.line("%s", head)
	p.write(fence("history of "+r.ID+", lobe "+r.Lobe, strings.Join(blocks[:kept], "\n")))
}

func (r *reasons) changeBlocks(all []lobes.Change) []string {
	blocks := make([]string, len(all))
	for i, c := range all {
		_, revision, _ := strings.Cut(c.Key, "-")
		blocks[i] = strings.Join(append([]string{changeLine(c) + tail(" | revision ", revision)}, detailLines(c)...), "\n")
	}
	return blocks
}

func recordBlocks(all []lobes.Change) []string {
	blocks := make([]string, len(all))
	for i, c := range all {
		blocks[i] = changeLine(c)
	}
	return blocks
}

func linkBlocks(all []lobes.Link) []string {
	blocks := make([]string, len(all))
	for i, l := range all {
		blocks[i] = linkBlock(l)
	}
	return blocks
}

func linkBlock(l lobes.Link) string {
	s := fmt.Sprintf("- %s %s", strings.ReplaceAll(l.Relation, "_", " "), l.ID)
	if l.Title != "" {
		s += " " + l.Title
	}
	parts := []string{s, l.State}
	add := func(label, v string) {
		if v != "" {
			parts = append(parts, label+v)
		}
	}
	if l.Depth > 1 {
		add("through ", l.Of)
	}
	add("lobe ", l.Lobe)
	if !l.Recorded.IsZero() {
		add("", stamp(l.Recorded))
	}
	add("by ", l.Actor)
	add("session ", l.Session)
	if l.ValidFrom != nil {
		add("valid from ", instant(*l.ValidFrom))
	}
	if l.ValidUntil != nil {
		add("valid until ", instant(*l.ValidUntil))
	}
	add("sources: ", strings.Join(l.Sources, ", "))
	add("quote: ", l.Quote)
	add("reason: ", l.Reason)
	s = strings.Join(parts, " | ")
	if l.Excerpt != "" {
		s += "\n  " + excerpt(l.Excerpt, standardExcerpt)
	}
	return s
}
