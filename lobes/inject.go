package lobes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"memory-mcp/store/index"
)

// Gate says how sure a search is of its first hit, and whether that is enough
// to show it to somebody who did not ask. The parts run from 0 to 1.
type Gate struct {
	Open       bool    `json:"open"`
	Confidence float64 `json:"confidence"` // that the first hit bears on the text
	Threshold  float64 `json:"threshold"`  // from which on the gate is open
	Relative   float64 `json:"relative"`   // of the first hit to the best that could be
	Coverage   float64 `json:"coverage"`   // of the text's informative words by the first hit
	Margin     float64 `json:"margin"`     // of the first hit over the next ones
	Rarity     float64 `json:"rarity"`     // of the rarest word that was found
	Why        string  `json:"why"`        // one line
}

func gateOf(r index.Result) Gate {
	e := r.Evidence
	g := Gate{
		Open: r.Gate(), Confidence: e.Confidence(), Threshold: index.GateThreshold,
		Relative: e.Relative, Coverage: e.Coverage, Margin: e.Margin, Rarity: e.Rarity,
	}
	if len(r.Hits) == 0 {
		g.Confidence = 0
	}
	return g
}

// say fills in the line that tells a person what the gate went by.
func (g *Gate) say(hits int) {
	verdict := "silent"
	if g.Open {
		verdict = "open"
	}
	g.Why = fmt.Sprintf("%s: confidence %.2f of %.2f (relevance %.2f of the best possible, %.0f %% of the informative words, margin %.2f)",
		verdict, g.Confidence, g.Threshold, g.Relative, 100*g.Coverage, g.Margin)
	if hits == 0 {
		g.Why = "silent: no memory that may be shown unasked has any of the words"
	}
}

// Injection is what may be shown to a session that did not ask. Nothing at all
// is a good answer.
type Injection struct {
	Lobes    []string `json:"lobes"`
	Results  []Result `json:"results"`
	Gate     Gate     `json:"gate"`
	Degraded []Health `json:"degraded"`
}

// The bounds of an injection.
const (
	DefaultInjected = 3 // entries that are shown unless the caller says
	MaxInjected     = 5
	// besideFirst is the share of the first hit's score that the others need:
	// it alone was judged.
	besideFirst = 0.6
)

// Inject answers a text that nobody meant as a search, such as a prompt: with
// what surely bears on it, or with nothing. It looks only at the lobe that the
// target leads to and at the person's own, and only at entries that somebody
// stands for: no candidates, nothing held or unconfirmed from the repository.
func (s *Set) Inject(ctx context.Context, t Target, q Query) (Injection, error) {
	t.Lobe = ownLobe(t.Lobe)
	q.Limit = min(max(q.Limit, 0), MaxInjected)
	if q.Limit == 0 {
		q.Limit = DefaultInjected
	}
	q, err := s.checked(Query{
		Text: q.Text, Subject: q.Subject, Branch: q.Branch, Excerpt: q.Excerpt, At: q.At, NoBoosts: q.NoBoosts, Limit: q.Limit,
	})
	if err != nil {
		return Injection{}, err
	}
	q.unasked = true
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return Injection{}, err
	}
	readings, degraded, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return Injection{}, err
	}
	a := s.emptyAnswer(q, readings)
	if q.Text != "" {
		s.search(ctx, &a, readings, q)
	}
	in := Injection{Lobes: a.Lobes, Results: []Result{}, Gate: a.Gate, Degraded: degraded}
	if len(a.Results) > 0 {
		least := a.Results[0].Score * besideFirst
		in.Results = slices.DeleteFunc(a.Results, func(r Result) bool { return r.Score < least })
	}
	return in, nil
}

// ownLobe keeps a call that nobody made from looking into several projects.
func ownLobe(name string) string {
	if name == "*" || strings.Contains(name, ",") {
		return ""
	}
	return name
}
