package ops

import (
	"context"
	"fmt"
	"strings"

	"memory-mcp/lobes"
)

// forgets tells whether a call without an id means to forget by other grounds.
func (in correctIn) forgets() bool {
	if in.Action != "delete" && in.Action != "erase" {
		return false
	}
	return in.Session != "" || in.Source != "" || in.Actor != "" || in.Since != "" || in.Until != "" || in.Secrets
}

// forgotten is the answer of a call that forgets by session, source, actor or
// time: what it would forget, or what it forgot.
type forgotten struct {
	lobes.Forgotten
	Action    string `json:"action"` // delete or erase
	Count     int    `json:"count"`  // of the matches
	Truncated bool   `json:"truncated"`

	again []arg // the grounds, for the call that does it
}

func forget(ctx context.Context, env *Env, in correctIn) (answer, error) {
	f := lobes.Forgetting{
		Session: in.Session, Source: in.Source, Actor: in.Actor, Secrets: in.Secrets, Erase: in.Action == "erase",
		Apply: in.Apply && !in.Preview, Token: in.Token, Reason: in.Reason,
	}
	var err error
	if f.Since, err = sinceTime().read(in.Since, env.now()); err != nil {
		return nil, err
	}
	if f.Until, err = untilTime().read(in.Until, env.now()); err != nil {
		return nil, err
	}
	if err = inOrder(in.Since, in.Until, f.Since, f.Until); err != nil {
		return nil, err
	}
	if f.Apply && f.Token == "" {
		return nil, &ArgumentError{Name: "token", Value: `""`, Want: "call without apply first: the preview shows what would go, and gives the token to apply"}
	}
	got, err := on(ctx, env, env.target(in.Lobe), func(m Memory, t lobes.Target) (lobes.Forgotten, error) {
		return m.Forget(ctx, env.By, t, f)
	})
	if err != nil {
		return nil, err
	}
	got.Matches = shown(got.Matches)
	return &forgotten{Forgotten: got, Action: in.Action, Count: len(got.Matches), again: in.grounds(f)}, nil
}

// grounds are the arguments of the call that does what a preview showed. Its
// times are the instants that were read: "yesterday" is another day tomorrow.
func (in correctIn) grounds(f lobes.Forgetting) []arg {
	args := []arg{{"action", in.Action}}
	for _, a := range []arg{
		{"session", in.Session}, {"source", in.Source}, {"actor", in.Actor}, {"since", precise(f.Since)}, {"until", precise(f.Until)}, {"lobe", in.Lobe},
	} {
		if a.value != "" {
			args = append(args, a)
		}
	}
	if in.Secrets {
		args = append(args, arg{"secrets", true})
	}
	return args
}

func (f *forgotten) shrink() bool {
	if len(f.Matches) == 0 {
		return false
	}
	f.Matches, f.Truncated = f.Matches[:len(f.Matches)-1], true
	return true
}

func (f *forgotten) text(p *page) {
	lobe := either(strings.Join(f.Lobes, ", "), "none")
	if f.Count+f.Records+f.Material == 0 {
		p.line("Nothing in lobe %s is of these grounds. What was written: %s", lobe, p.history(askTimeline))
		return
	}
	n := count(f.Count, "entry", "entries")
	if f.Records > 0 {
		n += " and " + count(f.Records, "record", "records") + " of feedback and the like"
	}
	if f.Material > 0 {
		n += " and " + count(f.Material, "text", "texts") + " of the inbox"
	}
	switch {
	case !f.Applied:
		p.line("PREVIEW, nothing was done. In lobe %s this would %s %s:", lobe, f.Action, n)
	case len(f.Masked) > 0:
		p.line("Masked the secrets of %s in lobe %s, in files and history: %s.", count(len(f.Masked), "entry", "entries"), lobe, strings.Join(f.Masked, ", "))
	case f.Count == 0:
		p.line("In lobe %s %s.", lobe, map[string]string{"erase": "erased " + n, "delete": "took back " + n}[f.Action])
	case f.Action == "erase":
		p.line("Erased in lobe %s, from files and history; only ids and times are left: %s.", lobe, strings.Join(f.Erased, ", "))
	default:
		p.line("Deleted in lobe %s; their history stays: %s.", lobe, strings.Join(f.Retracted, ", "))
	}
	if !f.Applied {
		f.list(p, lobe)
		p.line("Do it: %s", p.forget(append(f.again, arg{"apply", true}, arg{"token", f.Token})...))
	}
	for _, l := range f.Left {
		p.line("NOT REACHED: %s", safeLine(l))
	}
	if f.Applied && len(f.Retracted) > 0 {
		p.line("Put one back: %s", p.correct(f.Retracted[0], "restore", ""))
	}
}

func (f *forgotten) list(p *page, lobe string) {
	room := p.room() - fenceTokens - 40
	var lines []string
	for _, m := range f.Matches {
		l := fmt.Sprintf("- %s %s", m.ID, m.Title) + tail(" | ", strings.Join(append([]string{m.Topic, stamp(m.Recorded)}, grounds(m)...), " | "))
		if tokens(l) > room {
			break
		}
		room -= tokens(l) + 0.25
		lines = append(lines, l)
	}
	if len(lines) > 0 {
		p.write(fence("lobe "+lobe, strings.Join(lines, "\n")))
	}
	if rest := f.Count - len(lines); rest > 0 {
		p.line("and %s more", count(rest, "entry", "entries"))
	}
}
