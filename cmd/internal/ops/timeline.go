package ops

import (
	"context"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// changes is a page of a timeline.
type changes struct {
	Lobe      string         `json:"lobe"`
	Lobes     []string       `json:"lobes"`
	Changes   []lobes.Change `json:"changes"`
	Next      string         `json:"next"` // before of the next page; "" at the end
	Omitted   int            `json:"omitted"`
	Truncated bool           `json:"truncated"`
	Degraded  []lobes.Health `json:"degraded"`
	AsOf      string         `json:"as_of"`

	again []arg // what the call named, for the next page
}

func timeline(ctx context.Context, env *Env, in historyIn) (answer, error) {
	w, err := in.window(env.now())
	if err != nil {
		return nil, err
	}
	w.Before = in.Before
	if t, err := sinceTime().read(in.Before, env.now()); err == nil && !t.IsZero() {
		w.Before = t.UTC().Format(time.RFC3339Nano)
	}
	got, err := on(ctx, env, env.target(in.Lobe), func(m Memory, t lobes.Target) (lobes.Timeline, error) {
		return m.Timeline(ctx, t, w)
	})
	if err != nil {
		return nil, err
	}
	return &changes{
		Lobe: strings.Join(got.Lobes, ", "), Lobes: got.Lobes, Changes: shown(got.Changes), Next: got.Next, Degraded: got.Degraded,
		AsOf: instant(env.now()), again: in.narrowed(),
	}, nil
}

// narrowed is what narrows a call, for the next one.
func (in historyIn) narrowed() []arg {
	var args []arg
	for _, a := range []arg{
		{"id", in.ID}, {"since", in.Since}, {"until", in.Until}, {"topic", in.Topic}, {"actor", in.Actor}, {"session", in.Session}, {"lobe", in.Lobe},
	} {
		if a.value != "" {
			args = append(args, a)
		}
	}
	return args
}

func (c *changes) shrink() bool {
	if len(c.Changes) <= 1 {
		return false
	}
	c.cutAt(len(c.Changes) - 1)
	return true
}

// cutAt leaves out what does not fit; the next page begins with it.
func (c *changes) cutAt(n int) {
	c.Omitted += len(c.Changes) - n
	c.Next = c.Changes[n-1].Mark()
	c.Changes, c.Truncated = c.Changes[:n], true
}

func (c *changes) text(p *page) {
	if len(c.Changes) == 0 {
		p.line("No changes in lobe %s.", either(c.Lobe, "none"))
		c.broken(p)
		return
	}
	room := p.room() - fenceTokens - 40
	var lines []string
	for i, one := range c.Changes {
		l := changeLine(one)
		if i > 0 && tokens(l) > room {
			c.cutAt(i)
			break
		}
		room -= tokens(l) + 0.25
		lines = append(lines, l)
	}
	lines = lines[:len(c.Changes)]
	p.line("%s in lobe %s, newest first.", count(len(lines), "change", "changes"), c.Lobe)
	p.write(fence("history of lobe "+c.Lobe, strings.Join(lines, "\n")))
	c.broken(p)
	if c.Next != "" {
		p.line("Earlier ones: %s", p.history(askTimeline, append([]arg{{"before", c.Next}}, c.again...)...))
	}
	p.line("Why one is believed: %s", p.history(askWhy, arg{"id", c.Changes[0].ID}))
}

func (c *changes) broken(p *page) {
	for _, d := range c.Degraded {
		p.line("Lobe %s was not looked at: %s. Ask %s.", d.Name, d.Cause, p.diagnose())
	}
}
