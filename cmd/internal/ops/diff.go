package ops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// differences is the answer of a diff.
type differences struct {
	Lobe      string         `json:"lobe"`
	Lobes     []string       `json:"lobes"`
	From      string         `json:"from"` // "" is the beginning
	To        string         `json:"to"`
	Learned   []lobes.Change `json:"learned"`
	Revised   []lobes.Change `json:"revised"`
	Retracted []lobes.Change `json:"retracted"`
	Promoted  []lobes.Change `json:"promoted"`
	Adopted   []lobes.Change `json:"adopted"`
	Confirmed int            `json:"confirmed"`
	Passed    int            `json:"passed"`
	Omitted   int            `json:"omitted"`
	Truncated bool           `json:"truncated"`
	Degraded  []lobes.Health `json:"degraded"`
	AsOf      string         `json:"as_of"`

	again []arg
}

// diffDays is how far a diff looks back that names no time.
const diffDays = 7

// mostOfAList bounds each list of a diff.
const mostOfAList = 200

func diff(ctx context.Context, env *Env, in historyIn) (answer, error) {
	w, err := in.window(env.now())
	if err != nil {
		return nil, err
	}
	if w.Since.IsZero() && in.Until == "" {
		w.Since = midnight(env.now()).AddDate(0, 0, -diffDays)
	}
	if w.Limit == 0 {
		w.Limit = mostOfAList
	}
	got, err := on(ctx, env, env.target(in.Lobe), func(m Memory, t lobes.Target) (lobes.Differences, error) {
		return m.Diff(ctx, t, w)
	})
	if err != nil {
		return nil, err
	}
	return &differences{
		Lobe: strings.Join(got.Lobes, ", "), Lobes: got.Lobes, From: precise(got.From), To: precise(got.To),
		Learned: shown(got.Learned), Revised: shown(got.Revised), Retracted: shown(got.Retracted), Promoted: shown(got.Promoted),
		Adopted: shown(got.Adopted), Confirmed: got.Confirmed, Passed: got.Passed, Omitted: got.Omitted, Degraded: got.Degraded,
		AsOf: precise(got.To), again: in.narrowed(),
	}, nil
}

// precise is an instant with all that is known of it; "" when there is none.
func precise(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// lists are the parts, in the order of how much they matter.
func (d *differences) lists() []struct {
	name string
	list *[]lobes.Change
} {
	return []struct {
		name string
		list *[]lobes.Change
	}{{"revised", &d.Revised}, {"retracted", &d.Retracted}, {"learned", &d.Learned}, {"adopted by hand", &d.Adopted}, {"promoted", &d.Promoted}}
}

// shrink drops the last change of the longest list.
func (d *differences) shrink() bool {
	longest := d.lists()[0].list
	for _, l := range d.lists() {
		if len(*l.list) > len(*longest) {
			longest = l.list
		}
	}
	if len(*longest) == 0 {
		return false
	}
	*longest = (*longest)[:len(*longest)-1]
	d.Omitted++
	d.Truncated = true
	return true
}

func (d *differences) text(p *page) {
	var counts []string
	total := 0
	for _, l := range d.lists() {
		total += len(*l.list)
		if n := len(*l.list); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, l.name))
		}
	}
	if d.Confirmed > 0 {
		counts = append(counts, fmt.Sprintf("%d only confirmed", d.Confirmed))
	}
	if d.Passed > 0 {
		counts = append(counts, fmt.Sprintf("%d came and went", d.Passed))
	}
	what := strings.Join(counts, ", ")
	p.line("Lobe %s from %s to %s: %s.", either(d.Lobe, "none"), either(shortTime(d.From), "the beginning"), shortTime(d.To), either(what, "nothing changed"))
	for _, h := range d.Degraded {
		p.line("Lobe %s was not looked at: %s. Ask %s.", h.Name, h.Cause, p.diagnose())
	}
	if total > 0 {
		d.list(p)
	}
	if d.Omitted > 0 {
		p.line("%s not shown. More: %s", count(d.Omitted, "change is", "changes are"), p.history(askDiff, append(d.again, arg{"maxTokens", MaxTokens})...))
	}
	if id := d.first(); id != "" {
		p.line("Why one is believed: %s", p.history(askWhy, arg{"id", id}))
	}
}

// list writes the lists inside one fence, as far as they fit.
func (d *differences) list(p *page) {
	room := p.room() - fenceTokens
	var lines []string
	for _, l := range d.lists() {
		for i, c := range *l.list {
			block := changeLine(c)
			if i == 0 {
				block = strings.ToUpper(l.name) + "\n" + block
			}
			block = strings.Join(append([]string{block}, detailLines(c)...), "\n")
			if tokens(block) > room {
				d.Omitted += len(*l.list) - i
				*l.list, d.Truncated = (*l.list)[:i], true
				break
			}
			room -= tokens(block) + 0.25
			lines = append(lines, block)
		}
	}
	if len(lines) > 0 {
		p.write(fence("changes in lobe "+d.Lobe, strings.Join(lines, "\n")))
	}
}

// first is the id of a change that is told.
func (d *differences) first() string {
	for _, l := range d.lists() {
		if len(*l.list) > 0 {
			return (*l.list)[0].ID
		}
	}
	return ""
}

// shortTime is a time of an answer without what is below its second.
func shortTime(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return s
	}
	return t.Format(time.RFC3339)
}
