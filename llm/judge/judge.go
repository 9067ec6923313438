package judge

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// A Side is one of the two that are compared.
type Side struct {
	ID, Revision string // for the cache; they are not sent
	Text         string
	Conditions   []string
	Created      time.Time // sent as a day
	Project      string    // name that people see
}

// A Question has one of a few answers.
type Question struct {
	Ask     string
	Options []string
	A, B    string // the sides as they are told
}

// A Choice is an answer to a question.
type Choice struct {
	Option     string
	Confidence float64 // 0 to 1
}

// A Chooser answers questions.
type Chooser interface {
	Choose(ctx context.Context, q Question) (Choice, error)
	Name() string // for a person
}

// What a verdict calls for.
type Verdict string

// The verdicts.
const (
	Nothing  Verdict = ""         // leave both as they are
	Together Verdict = "together" // they may be told as one
	Review   Verdict = "review"   // a person should look at both
	Older    Verdict = "older"    // the older one was superseded by the newer
)

// How sure an answer must be.
const (
	sureProcedure = .75
	sureRelation  = .6
	sureProject   = .8
)

// A Judge answers for the present, and remembers. It is safe for concurrent use.
type Judge struct {
	by Chooser

	mu    sync.Mutex
	known map[string]Verdict
	calls int
	fails int
}

// New returns a judge who asks a chooser.
func New(by Chooser) *Judge { return &Judge{by: by, known: make(map[string]Verdict)} }

// Name tells who is asked.
func (j *Judge) Name() string { return j.by.Name() }

// Counts are how often somebody was asked, and how often that failed.
func (j *Judge) Counts() (calls, fails int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.calls, j.fails
}

// Procedure tells whether two episodes are instances of one procedure that can
// be used again: [Together], or [Nothing].
func (j *Judge) Procedure(ctx context.Context, a, b Side) (Verdict, error) {
	return j.once("procedure", a, b, func() (Verdict, error) {
		c, err := j.choose(ctx, "Are these two records instances of the same procedure, so that what was learnt in one helps in the other?",
			[]string{"same_procedure", "different"}, a, b)
		if err != nil || c.Option != "same_procedure" || c.Confidence < sureProcedure {
			return Nothing, err
		}
		return Together, nil
	})
}

// Relation tells whether two facts or preferences contradict each other:
// [Older] when the newer value took the older one's place, [Review] when two
// independent questions agree that both cannot hold, or [Nothing].
func (j *Judge) Relation(ctx context.Context, a, b Side) (Verdict, error) {
	return j.once("relation", a, b, func() (Verdict, error) {
		c, err := j.choose(ctx, "How do these two statements stand to each other?",
			[]string{"compatible", "unrelated", "contradiction", "newer_value_supersedes"}, a, b)
		switch {
		case err != nil || c.Confidence < sureRelation:
			return Nothing, err
		case c.Option == "newer_value_supersedes" && !a.Created.Equal(b.Created):
			return Older, nil
		case c.Option != "contradiction":
			return Nothing, nil
		}
		c, err = j.choose(ctx, "Can both statements be true at the same time, under the conditions that they state?",
			[]string{"both_can_hold", "conflict"}, a, b)
		if err != nil || c.Option != "conflict" || c.Confidence < sureRelation {
			return Nothing, err
		}
		return Review, nil
	})
}

// Project tells whether two projects with different names are one: [Together]
// is only ever a suggestion to a person. The texts are a few of each project's
// memories.
func (j *Judge) Project(ctx context.Context, a, b Side) (Verdict, error) {
	a.Text, b.Text = prefix(a.Text, mostProject), prefix(b.Text, mostProject)
	return j.once("project", a, b, func() (Verdict, error) {
		c, err := j.choose(ctx, "Are these two names and notes of one and the same project?", []string{"same_project", "different"}, a, b)
		if err != nil || c.Option != "same_project" || c.Confidence < sureProject {
			return Nothing, err
		}
		return Together, nil
	})
}

// mostProject is how many characters of a project's notes are sent.
const mostProject = 800

func prefix(text string, most int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), most)])
}

// once asks what was not asked before. The order of the sides does not matter.
func (j *Judge) once(what string, a, b Side, ask func() (Verdict, error)) (Verdict, error) {
	first, second := a.ID+"@"+a.Revision, b.ID+"@"+b.Revision
	if second < first {
		first, second = second, first
	}
	key := strings.Join([]string{what, first, second}, "\x00")
	j.mu.Lock()
	v, ok := j.known[key]
	j.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := ask()
	if err != nil {
		return Nothing, fmt.Errorf("judge %s and %s: %w", a.ID, b.ID, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.known) >= mostKnown {
		clear(j.known)
	}
	j.known[key] = v
	return v, nil
}

// mostKnown is how many verdicts are kept.
const mostKnown = 10000

func (j *Judge) choose(ctx context.Context, ask string, options []string, a, b Side) (Choice, error) {
	c, err := j.by.Choose(ctx, Question{Ask: ask, Options: options, A: a.told(), B: b.told()})
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls++
	if err != nil {
		j.fails++
	}
	return c, err
}

// told is what leaves of a side: its project's name, the day, the conditions
// and the text.
func (s Side) told() string {
	var b strings.Builder
	if s.Project != "" {
		fmt.Fprintf(&b, "project: %s\n", s.Project)
	}
	if !s.Created.IsZero() {
		fmt.Fprintf(&b, "written: %s\n", s.Created.UTC().Format(time.DateOnly))
	}
	if len(s.Conditions) > 0 {
		fmt.Fprintf(&b, "holds under: %s\n", strings.Join(s.Conditions, "; "))
	}
	return b.String() + s.Text
}
