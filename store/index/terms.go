package index

import (
	"math"

	"memory-mcp/textanalysis"
)

// Weights of a query's words, by what they are.
const (
	stopWeight         = 0.3  // function words are weighed, never dropped
	joinedWeight       = 0.45 // compounds stand beside their parts
	signWeight         = 0.3  // single signs, when there are pairs too
	functionDrop       = 0.7
	functionPairWeight = 0.3
	halfFunctionWeight = 0.5
	commitKindWeight   = 0.3
	languageWeight     = 0.5
	markedWeight       = 1.05 // words that name something
)

// The bounds of one query. Words that no entry has cost more than they tell,
// since each may be a misspelling; of those that some entry has, more than a
// text of the greatest length that is stored can hold are not taken.
const (
	maxTerms = 1000  // before only known words are taken
	maxKnown = 20000 // in all
)

// A term is one word to look for.
type term struct {
	stem   string
	text   string
	class  textanalysis.Class
	weight float64 // of the word in the query
	count  int
	marked bool
	kind   bool
	first  int
	df     int
	idf    float64
	source int // the term that this one expands; its own number otherwise
}

// plan is a query, analysed against the state that is searched.
type plan struct {
	terms  []term
	number map[string]int
	order  []int // the words of the query in order, as term numbers
}

// plan finds the words of a text and what each is worth.
func (s *search) plan(text string) *plan {
	p := &plan{number: make(map[string]int)}
	pairs := false
	kind := textanalysis.CommitKind(text)
	tokens := s.analyzer.Tokens(text)
	for _, t := range tokens {
		pairs = pairs || t.Class == textanalysis.Pair
		i, ok := p.number[t.Stem]
		if !ok {
			if n := len(p.terms); n >= maxKnown || n >= maxTerms && s.state.df(t.Stem) == 0 {
				continue
			}
			i = len(p.terms)
			p.number[t.Stem] = i
			p.terms = append(p.terms, term{stem: t.Stem, text: t.Text, class: t.Class, source: i, first: t.Pos, kind: t.End <= kind})
		}
		p.terms[i].count++
		p.terms[i].marked = p.terms[i].marked || t.Marked
		if t.Counted() {
			p.order = append(p.order, i)
		}
	}
	for i := range p.terms {
		t := &p.terms[i]
		t.weight = t.queryWeight(pairs)
		t.df = s.state.df(t.stem)
		t.idf = idf(t.df, s.state.live)
	}
	s.expand(p)
	if asksWhen(tokens) {
		s.addTimeWords(p)
	}
	return p
}

func (t *term) queryWeight(pairs bool) float64 {
	w := 1 + math.Log(float64(t.count))
	switch t.class {
	case textanalysis.Stop:
		w *= stopWeight
	case textanalysis.Joined:
		w *= joinedWeight
	case textanalysis.Sign:
		if pairs {
			w *= signWeight
		}
		w *= 1 - functionDrop*textanalysis.FunctionSigns(t.text)
	case textanalysis.Pair:
		switch textanalysis.FunctionSigns(t.text) {
		case 1:
			w *= functionPairWeight
		case 0.5:
			w *= halfFunctionWeight
		}
	}
	if t.kind {
		w *= commitKindWeight
	}
	if languageNames[t.text] {
		w *= languageWeight
	}
	if t.marked && t.class == textanalysis.Word {
		w *= markedWeight
	}
	return w
}

// informative words say what a query is about.
func (t *term) informative() bool {
	return t.class == textanalysis.Word || t.class == textanalysis.Pair
}

// idf is how much a word that stands in df of n documents tells.
func idf(df, n int) float64 {
	return math.Log(float64(n+1) / (float64(df) + 0.5))
}

var languageNames = map[string]bool{"python": true, "golang": true, "java": true, "javascript": true, "typescript": true, "rust": true, "ruby": true, "php": true}
