package index

import "math"

// Evidence says how sure a search may be that its first hit answers. Each part
// runs from 0 to 1.
type Evidence struct {
	// Relative is the first hit's relevance as a share of what an entry with
	// every word of the query would come near.
	Relative float64
	// Coverage is the share of the query's informative words, by weight, that
	// the first hit has in its own text.
	Coverage float64
	// Margin is how far the first hit stands above the rest: 1 minus the
	// average relevance of the next nine over its own.
	Margin float64
	// Rarity is what the rarest informative word that was found tells, as a
	// share of what a word that stands in one entry alone would.
	Rarity float64
	// Words is 1 - 1/n for n informative words found.
	Words float64
}

// Weights of the gate: a logistic model, fitted to questions asked of notes
// that answer them and of notes that do not, with the bias moved so that about
// one answer in thirty is given where there is none.
const (
	gateBias     = -10.2
	gateRelative = 12.5
	gateCoverage = 2.3
	gateMargin   = 3.6
	gateRarity   = 1.0
	gateWords    = 4.8
)

// leastRarity is what the rarest word that was found must tell: a question of
// function words, or of a word that nearly all entries have, names none of them.
const leastRarity = 0.05

// Confidence is the estimated chance that the first hit bears on the query.
func (e Evidence) Confidence() float64 {
	if e.Rarity < leastRarity {
		return 0
	}
	sum := gateBias + gateRelative*e.Relative + gateCoverage*e.Coverage + gateMargin*e.Margin +
		gateRarity*e.Rarity + gateWords*e.Words
	return 1 / (1 + math.Exp(-sum))
}

// GateThreshold is the confidence from which on an answer may be given unasked.
const GateThreshold = 0.5

// Gate reports whether the result is good enough to be given unasked. An
// explicit search need not look at it.
func (r Result) Gate() bool { return len(r.Hits) > 0 && r.Evidence.Confidence() >= GateThreshold }

// marginDepth is how many hits after the first make up the rest.
const marginDepth = 9

// evidence weighs the best candidate by words alone, which the caller's
// weights may have moved.
func (s *search) evidence(p *plan, pool []candidate) Evidence {
	if len(pool) == 0 {
		return Evidence{}
	}
	first := pool[0]
	for _, c := range pool {
		if c.relevance > first.relevance || c.relevance == first.relevance && s.compare(c, first) < 0 {
			first = c
		}
	}
	rest := 0.0
	for _, c := range pool[:min(len(pool), marginDepth+1)] {
		if c.doc != first.doc {
			rest += c.relevance / marginDepth
		}
	}
	counts := s.counts(p, first.doc)
	e := Evidence{
		Relative: min(1, first.relevance/max(p.best(), 1e-9)),
		Coverage: p.coverage(counts),
		Margin:   max(0, 1-rest/max(first.relevance, 1e-9)),
	}
	n := 0
	for i, c := range counts {
		t := &p.terms[i]
		if c != 0 && t.informative() {
			n++
			e.Rarity = max(e.Rarity, p.relative(i)*t.idf/idf(1, s.state.live))
		}
	}
	if n > 0 {
		e.Words = 1 - 1/float64(n)
	}
	e.Rarity = min(e.Rarity, 1)
	return e
}
