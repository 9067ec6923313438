package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"memory-mcp/config"
	"memory-mcp/llm"
	"memory-mcp/llm/judge"
	"memory-mcp/llm/summarize"
	"memory-mcp/lobes"
)

// The limits of a question to a judge that is a service: of each try, and of
// both with the pause between them.
const (
	judgeTry  = 10 * time.Second
	judgeBoth = 2*judgeTry + 2*time.Second
)

// minds joins who tells memories as one and who judges. The generator is known
// already.
func (b *brains) minds(a *App, c *config.Config) {
	if b.generator != nil {
		b.summarizer = summarizer{b.generator}
	}
	m := c.Models.Judge
	if !m.Used() {
		return
	}
	p := part{role: "judge", name: m.Name}
	switch m.Name {
	case config.JudgeJev:
		p.host, p.meter = llm.Endpoint{URL: m.URL}.Host(), a.meter(c, p.role, m)
		o := llm.Options{HTTP: &http.Client{Timeout: judgeTry}, Timeout: judgeBoth}
		if p.meter != nil {
			o.Meter = p.meter
		}
		client, err := llm.New(llm.Endpoint{URL: m.URL, Key: m.Key, Model: m.Name}, o)
		if err != nil {
			p.cause = err.Error()
			break
		}
		b.judge = &judging{judge.New(judge.Service(m.Name, client))}
	default:
		if b.generator == nil {
			p.cause, p.next = "the model for generation cannot be asked", "memory-mcp diagnose tells why"
			break
		}
		b.judge = &judging{judge.New(judge.Model(b.generator.name, b.generator))}
	}
	if b.judge != nil {
		p.counts = b.judge.by.Counts
		if a.o.Serving {
			a.log.Info("memories are judged", "component", "judge", "phase", "enabled", "name", m.Name)
		}
	}
	b.parts = append(b.parts, p)
}

// giveMinds hands them to lobes, none as a nil interface.
func (b brains) giveMinds(o *lobes.Options) {
	if b.generator != nil {
		o.Summarizer = b.summarizer
	}
	if b.judge != nil {
		o.Judge = b.judge
	}
}

// summarizer tells memories as one with a generator.
type summarizer struct{ *generator }

// Name signs what the model writes.
func (s summarizer) Name() string { return s.name }

// Summarize tells what the members say together.
func (s summarizer) Summarize(ctx context.Context, kind string, members []lobes.SummaryMember) (lobes.Summarized, error) {
	all := make([]summarize.Member, len(members))
	for i, m := range members {
		all[i] = summarize.Member{Text: m.Text, Conditions: m.Conditions, Source: m.Source}
	}
	text, err := summarize.Write(ctx, s, summarize.Kind(kind), all)
	if err != nil {
		return lobes.Summarized{}, untold(err)
	}
	out := lobes.Summarized{Title: text.Title, Body: text.Body}
	for _, q := range text.Quotes {
		out.Quotes = append(out.Quotes, lobes.MemberQuote{Member: q.Member - 1, Words: q.Words})
	}
	return out, nil
}

// untold tells what the members are to blame for from what they are not.
func untold(err error) error {
	var declined *summarize.DeclinedError
	var unfounded *summarize.UnfoundedError
	var group *summarize.GroupError
	var answer *llm.AnswerError
	switch {
	case errors.As(err, &declined):
		return &lobes.DeclinedError{}
	case errors.As(err, &unfounded):
		return &lobes.UnfoundedError{What: unfounded.What}
	case errors.As(err, &group):
		return &lobes.UnfoundedError{What: group.Why}
	case errors.As(err, &answer):
		return &lobes.UnfoundedError{What: answer.Error()}
	}
	return unasked(err)
}

// judging asks a judge about memories.
type judging struct{ by *judge.Judge }

// Name tells who is asked.
func (j *judging) Name() string { return j.by.Name() }

// SameProcedure tells whether two episodes are of one procedure.
func (j *judging) SameProcedure(ctx context.Context, a, b lobes.JudgedSide) (bool, error) {
	v, err := j.by.Procedure(ctx, judge.Side(a), judge.Side(b))
	return v == judge.Together, err
}

// Relation tells how two statements stand to each other.
func (j *judging) Relation(ctx context.Context, a, b lobes.JudgedSide) (lobes.Relation, error) {
	v, err := j.by.Relation(ctx, judge.Side(a), judge.Side(b))
	switch v {
	case judge.Review:
		return lobes.RelationConflict, err
	case judge.Older:
		return lobes.RelationNewer, err
	}
	return lobes.RelationNone, err
}

// SameProject tells whether two lobes are of one project.
func (j *judging) SameProject(ctx context.Context, a, b lobes.JudgedSide) (bool, error) {
	v, err := j.by.Project(ctx, judge.Side(a), judge.Side(b))
	return v == judge.Together, err
}
