package ops

import (
	"context"
	"time"

	"memory-mcp/lobes"
)

// The actions of memory_history.
const (
	askWhy      = "why"
	askDiff     = "diff"
	askTimeline = "timeline"
	askAsOf     = "as_of"
)

type historyIn struct {
	Action  string `json:"action" enum:"why|diff|timeline|as_of" words:"history" doc:"why(id); diff(since, until); timeline(before, limit); as_of(at, query)"`
	ID      string `json:"id"`
	Since   string `json:"since" doc:"2026-06-09, 2 weeks ago, last monday"`
	Until   string `json:"until"`
	At      string `json:"at"`
	ValidAt string `json:"validAt"`
	Query   string `json:"query" free:"1"`
	Before  string `json:"before"`
	Limit   int    `json:"limit"`
	Lobe    string `json:"lobe" words:"lobes"`
	Topic   string `json:"topic" words:"wild" hide:"1"`
	Actor   string `json:"actor" hide:"1"`
	Session string `json:"session"`
	Offset  int    `json:"offset" hide:"1"`
	Detail  string `json:"detail" enum:"brief|standard|full" words:"detail" hide:"1"`
	quiet
}

func historyOp() Op {
	return New(Op{
		Name: "memory_history", Title: "Ask the history", Effect: Reads, Idempotent: true, bare: "id",
		Doc:    "Call when asked what was believed on a date, what changed since, or why a memory is believed.",
		listed: []Profile{Default, Full}, aliases: aliases(ofHistory),
		example: `memory_history(action: "diff", since: "2 weeks ago")`,
	}, history)
}

func history(ctx context.Context, env *Env, in historyIn) (answer, error) {
	switch in.action() {
	case askWhy:
		return why(ctx, env, in)
	case askDiff:
		return diff(ctx, env, in)
	case askAsOf:
		return in.asOf(ctx, env)
	}
	return timeline(ctx, env, in)
}

// action is the one that was named, else the one that the arguments are for.
func (in historyIn) action() string {
	switch {
	case in.Action != "":
		return in.Action
	case in.At != "" || in.ValidAt != "":
		return askAsOf
	case in.ID != "" && in.Since == "" && in.Until == "" && in.Before == "":
		return askWhy
	case in.Since != "" || in.Until != "":
		return askDiff
	}
	return askTimeline
}

// asOf searches what was believed at a time.
func (in historyIn) asOf(ctx context.Context, env *Env) (answer, error) {
	if in.At == "" && in.ValidAt == "" {
		return nil, &ArgumentError{Name: "at", Value: `""`, Want: "say of which time: at for what was believed then, validAt for what held then"}
	}
	q := lobes.Query{Filter: in.Query, Scope: topicWord(in.Topic), Branch: "*", Limit: limit(in.Limit), Offset: max(in.Offset, 0)}
	detail := either(in.Detail, detailBrief)
	if in.ID != "" {
		q.IDs, detail = []string{in.ID}, either(in.Detail, detailFull)
	}
	return recallThen(ctx, env, in.Lobe, q, detail, moments{in.At, in.ValidAt, "at"})
}

// moments are the two times that a search can be asked for.
type moments struct {
	asOf, validAt string
	name          string // of the argument for the first
}

func (m moments) given() bool { return m.asOf != "" || m.validAt != "" }

// recallThen searches what was believed, or what held, at a time.
func recallThen(ctx context.Context, env *Env, lobe string, q lobes.Query, detail string, m moments) (*found, error) {
	if !m.given() {
		return recall(ctx, env, lobe, q, detail)
	}
	then, now := asOfTime(), env.now()
	then.name = either(m.name, then.name)
	var err error
	if q.AsOf, err = then.read(m.asOf, now); err != nil {
		return nil, err
	}
	if q.At, err = validAtTime().read(m.validAt, now); err != nil {
		return nil, err
	}
	if !q.AsOf.Before(now) {
		q.AsOf = time.Time{} // this moment is the present: the files answer
	}
	f, err := recall(ctx, env, lobe, q, detail)
	if err != nil {
		return nil, err
	}
	f.past, f.otherTime = !q.AsOf.IsZero(), !q.At.IsZero()
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"asOf", q.AsOf}, {"validAt", q.At}} {
		if !t.at.IsZero() {
			f.thenArgs = append(f.thenArgs, arg{t.name, precise(t.at)})
		}
	}
	f.narrow = append(f.narrow, f.thenArgs...)
	return f, nil
}

// window are the bounds of a diff or a timeline.
func (in historyIn) window(now time.Time) (lobes.Window, error) {
	w := lobes.Window{Topic: topicWord(in.Topic), Actor: in.Actor, Session: in.Session, ID: in.ID, Limit: max(in.Limit, 0)}
	var err error
	if w.Since, err = sinceTime().read(in.Since, now); err != nil {
		return w, err
	}
	if w.Until, err = untilTime().read(in.Until, now); err != nil {
		return w, err
	}
	if err := inOrder(in.Since, in.Until, w.Since, w.Until); err != nil {
		return w, err
	}
	if !w.Until.Before(now) {
		w.Until = time.Time{} // up to this moment is up to the present
	}
	return w, nil
}

// inOrder refuses a range that ends before it begins.
func inOrder(givenSince, givenUntil string, since, until time.Time) error {
	if until.IsZero() || since.IsZero() || !until.Before(since) {
		return nil
	}
	return &ArgumentError{
		Name: "until", Value: quote(cut(givenUntil, 60)),
		Want: "that is " + until.Format(time.RFC3339) + " and lies before since, " + quote(cut(givenSince, 60)) + ", which is " + since.Format(time.RFC3339),
	}
}

// stamp is a recorded time as texts show it: to the millisecond, and never
// before the time itself, so that a question as of it finds what was recorded.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "the beginning"
	}
	up := t.UTC().Truncate(time.Millisecond)
	if up.Before(t) {
		up = up.Add(time.Millisecond)
	}
	return up.Format("2006-01-02T15:04:05.999Z07:00")
}
