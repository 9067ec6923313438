package hook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// greeted marks in a ledger that the session had its briefing.
const greeted = "greeted"

// twice is how long after a moment the same one is taken for the same event:
// hosts run one hook from several files.
const twice = 5 * time.Second

// greet is the briefing at the start of a session, or none where it has it
// already.
func (h *Hook) greet(ctx context.Context, e Event) (Answer, error) {
	due, err := h.due(ctx, e)
	if !due {
		return Answer{}, err
	}
	text, shown, failure := h.briefing(ctx)
	if failure != nil || text == "" {
		return Answer{}, errors.Join(err, failure)
	}
	return Answer{Context: text}, errors.Join(err, h.told(ctx, e, shown), h.count(e, text, shown))
}

// count notes what an injection took.
func (h *Hook) count(e Event, text string, shown []lobes.Shown) error {
	u := lobes.Use{Session: e.ID, Tokens: int(tokens(text) + 0.5)}
	for _, m := range shown {
		u.Injected = append(u.Injected, m.ID)
	}
	return h.Set.Count(h.Target, u)
}

// due tells whether a session gets its briefing now, and notes that it has it.
// After clear and compact all that it was told is gone from its context.
func (h *Hook) due(ctx context.Context, e Event) (bool, error) {
	l, err := h.ledger(e)
	if l == nil {
		return true, err
	}
	due := true
	err = l.Update(ctx, func(p *lobes.LedgerPage) {
		at := p.Marked(greeted)
		switch fresh := h.Now().Sub(at); {
		case at.IsZero():
		case e.Source == "clear" || e.Source == "compact":
			due = fresh > twice || fresh < 0
		default:
			due = false
		}
		if due && (e.Source == "clear" || e.Source == "compact") {
			p.Clear()
		}
		if due {
			p.Mark(greeted)
		}
	})
	return due, err
}

// told notes what a session was told.
func (h *Hook) told(ctx context.Context, e Event, shown []lobes.Shown) error {
	l, err := h.ledger(e)
	if l == nil || len(shown) == 0 {
		return err
	}
	return l.Update(ctx, func(p *lobes.LedgerPage) {
		for _, m := range shown {
			p.Tell(m)
		}
	})
}

// briefing writes what a session should know, most important first, within
// its budget. It is empty when there is nothing to tell.
func (h *Hook) briefing(ctx context.Context) (text string, shown []lobes.Shown, err error) {
	b, err := h.Set.Greet(ctx, h.Target)
	if err != nil {
		return "", nil, err
	}
	head := alarms(b)
	room := BriefTokens - tokens(strings.Join(head, "\n")) - fenceTokens
	var lines []string
	left := 0
	for _, s := range b.Sections {
		left += s.Total - len(s.Results)
		title := strings.ToUpper(heading(s))
		for _, r := range s.Results {
			line := briefLine(r)
			if title != "" {
				line = title + "\n" + line
			}
			if cost := tokens(line) + lineTokens; cost > room {
				left++
				continue
			} else {
				room -= cost
			}
			title = ""
			lines = append(lines, line)
			shown = append(shown, lobes.Shown{Lobe: r.Lobe, ID: r.Entry.ID})
		}
	}
	if len(lines) == 0 && len(head) == 0 {
		return "", nil, nil
	}
	if len(lines) > 0 {
		label := "briefing of lobe " + strings.Join(b.Lobes, ", ")
		head = append(head, textanalysis.Fence(label, strings.Join(lines, "\n")))
		head = append(head, invitation(left))
	}
	return strings.Join(head, "\n"), shown, nil
}

func invitation(left int) string {
	more := ""
	if left > 0 {
		more = fmt.Sprintf("%d more are remembered. ", left)
	}
	return more + "The memory tools find more: memory_context before a task, memory_query for an id; memory_store keeps what you learn."
}

// alarms are what must not be overlooked.
func alarms(b lobes.Briefing) []string {
	var all []string
	add := func(format string, args ...any) {
		if len(all) < mostAlarms {
			all = append(all, "Memory: "+fmt.Sprintf(format, args...))
		}
	}
	for _, d := range b.Degraded {
		add("lobe %s cannot be read: %s. memory-mcp diagnose tells more.", line(d.Name, 60), line(d.Cause, 160))
	}
	for _, v := range b.Vanished {
		add("%d entries of lobe %s went at once; memory-mcp diagnose tells how to put them back.", v.Count, line(v.Lobe, 60))
	}
	if b.Held > 0 {
		add("%d held for the user's review, tell them: memory-mcp query --status review", b.Held)
	}
	for _, o := range b.Overrides {
		add("a person's edit overrides the correction of %s %q; respect it.", o.ID, line(o.Title, 80))
	}
	return all
}

const (
	mostAlarms  = 3
	fenceTokens = 70 // what the fence, its label and the last line take
	lineTokens  = 0.25
)

func heading(s lobes.Section) string {
	if s.Topic == "recent-work" && s.Branch != "" {
		return s.Topic + " on " + line(s.Branch, 60)
	}
	return s.Topic
}

// briefLine is one memory of a briefing: its id and how far to trust it, its
// title and the beginning of its text.
func briefLine(r lobes.Result) string {
	return fmt.Sprintf("- %s (%s) %s", r.Entry.ID, mark(r), told(r.Entry.Title, r.Excerpt, 140, ": "))
}

// mark says how far a memory can be relied on.
func mark(r lobes.Result) string {
	trust := r.Entry.Trust
	if trust == "" {
		trust = entry.AgentInferred
	}
	m := fmt.Sprintf("%s %.2f", trust, r.Confidence)
	switch r.Fresh.Verdict {
	case lobes.StaleVerdict, lobes.ChangedVerdict, lobes.GoneVerdict:
		m += ", " + r.Fresh.Verdict + ": verify first"
	}
	if r.Entry.Trust != entry.User && len(r.Signals) > 0 {
		m += ", speaks to the model"
	}
	return m
}
