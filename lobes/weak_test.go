package lobes_test

import (
	"testing"

	"memory-mcp/lobes"
	"memory-mcp/store/index"
)

func term(word, kind, meant string) index.Reason {
	return index.Reason{Kind: kind, Term: word, For: meant, Field: "body"}
}

func TestWeak(t *testing.T) {
	const question = "why does the winch jam in frost"
	winch, jam, the := term("winch", "term", ""), term("jam", "term", ""), term("the", "term", "")
	lent := index.Reason{Kind: "context", Field: "neighbours"}
	for name, c := range map[string]struct {
		question         string
		reasons          []index.Reason
		cover, strongest float64
		least            float64
		weak             bool
	}{
		"two informative words":                {question, []index.Reason{winch, jam}, 0.1, 0.9, 0, false},
		"less than was asked for":              {question, []index.Reason{winch, jam}, 0.1, 0.9, 0.2, true},
		"a single one that covers much":        {question, []index.Reason{winch, the}, 0.2, 0.9, 0, false},
		"a single one that covers little":      {question, []index.Reason{winch, the}, 0.1, 0.9, 0, true},
		"the same where nothing is strong":     {question, []index.Reason{winch, the}, 0.05, 0.3, 0, false},
		"the same with words of neighbours":    {question, []index.Reason{winch, lent}, 0.1, 0.9, 0, false},
		"the same word by two ways":            {question, []index.Reason{winch, term("windlass", "expansion", "winch")}, 0.1, 0.9, 0, true},
		"two words that stand for two":         {question, []index.Reason{term("windlass", "expansion", "winch"), term("block", "expansion", "jam")}, 0.1, 0.9, 0, false},
		"function words alone":                 {question, []index.Reason{the, term("in", "term", "")}, 0.3, 0.3, 0, true},
		"words of neighbours alone":            {question, []index.Reason{lent}, 0, 0.3, 0, false},
		"words of neighbours beside a strong":  {question, []index.Reason{lent}, 0, 0.5, 0, true},
		"a question of function words only":    {"what is it that is in the", []index.Reason{the}, 0, 0, 0, false},
		"such a question with a demanded part": {"what is it that is in the", []index.Reason{the}, 0, 0, 0.1, true},
		"a word that is not the question's":    {question, []index.Reason{term("gear", "term", "")}, 0.3, 0.3, 0, true},
	} {
		if got := lobes.Weak(c.question, c.reasons, c.cover, c.least, c.strongest); got != c.weak {
			t.Errorf("%s: weak is %t", name, got)
		}
	}
}
