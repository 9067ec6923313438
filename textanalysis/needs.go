package textanalysis

import (
	"regexp/syntax"
	"slices"
	"sync"
)

// A need is what a text must hold for an expression to match: one of the
// words, or all or any of further needs. The zero need holds for every text. It
// is worked out from the expression itself, and costs far less to look for.
type need struct {
	words    []int // in a needTable; any of them
	all, any []need
}

// A needTable numbers the words that expressions need.
type needTable struct {
	words  []string
	number map[string]int
	finder func() *secretKeywords
}

func newNeedTable() *needTable {
	t := &needTable{number: make(map[string]int)}
	t.finder = sync.OnceValue(func() *secretKeywords {
		each := make([][]string, len(t.words))
		for i, word := range t.words {
			each[i] = []string{word}
		}
		return newSecretKeywords(each)
	})
	return t
}

// The bounds of what is worked out: sets of words beyond them, and words that
// are shorter, are not asked for.
const (
	mostNeeded   = 64
	leastNeeded  = 2
	longestExact = 40
)

// needOf works out what an expression needs.
func (t *needTable) needOf(expr string) need {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return need{}
	}
	return t.of(parsed)
}

func (t *needTable) of(re *syntax.Regexp) need {
	if set, ok := exactly(re); ok {
		return t.anyOf(set)
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return t.of(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return t.of(re.Sub[0])
		}
	case syntax.OpAlternate:
		var n need
		for _, sub := range re.Sub {
			part := t.of(sub)
			if part.holdsAlways() {
				return need{}
			}
			n.any = append(n.any, part)
		}
		return n
	case syntax.OpConcat:
		return t.ofSequence(re.Sub)
	}
	return need{}
}

// ofSequence joins neighbours that stand for few words into longer ones.
func (t *needTable) ofSequence(subs []*syntax.Regexp) need {
	var n need
	run := []string{""}
	take := func(part need) {
		if !part.holdsAlways() {
			n.all = append(n.all, part)
		}
	}
	for _, sub := range subs {
		set, ok := exactly(sub)
		if longer := product(run, set); ok && longer != nil {
			run = longer
			continue
		}
		take(t.anyOf(run))
		if run = []string{""}; ok {
			run = set
			continue
		}
		take(t.of(sub))
	}
	take(t.anyOf(run))
	return n
}

func (t *needTable) anyOf(set []string) need {
	var n need
	for _, word := range set {
		if len(word) < leastNeeded {
			return need{}
		}
		at, known := t.number[word]
		if !known {
			at = len(t.words)
			t.number[word], t.words = at, append(t.words, word)
		}
		n.words = append(n.words, at)
	}
	return n
}

func (n need) holdsAlways() bool { return len(n.words)+len(n.all)+len(n.any) == 0 }

// exactly lists the texts that an expression matches when they are few.
func exactly(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, re.Flags&syntax.FoldCase == 0
	case syntax.OpCharClass:
		return classLetters(re.Rune)
	case syntax.OpCapture:
		return exactly(re.Sub[0])
	case syntax.OpQuest:
		set, ok := exactly(re.Sub[0])
		return append(slices.Clone(set), ""), ok && len(set) < mostNeeded
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			set, ok := exactly(sub)
			if all = append(all, set...); !ok || len(all) > mostNeeded {
				return nil, false
			}
		}
		return all, true
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			set, ok := exactly(sub)
			if all = product(all, set); !ok || all == nil {
				return nil, false
			}
		}
		return all, true
	}
	return nil, false
}

// classLetters are the members of a small class, which ranges stand for.
func classLetters(ranges []rune) ([]string, bool) {
	var all []string
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > 4 || len(all) > 8 {
			return nil, false
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			all = append(all, string(r))
		}
	}
	return all, len(all) > 0
}

// product is every text of a followed by every one of b; nil when that is too
// much.
func product(a, b []string) []string {
	if len(b) == 0 || len(a)*len(b) > mostNeeded {
		return nil
	}
	all := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > longestExact {
				return nil
			}
			all = append(all, x+y)
		}
	}
	return all
}

// A needLook tells which of the words a text holds.
type needLook []bool

// look looks for all words in one pass.
func (t *needTable) look(text string) needLook {
	l := make(needLook, len(t.words))
	t.finder().find(text, func(word *secretKeyword, _ secretSpot) {
		for _, n := range word.rules {
			l[n] = true
		}
	})
	return l
}

func (l needLook) holds(n need) bool {
	if len(n.words) > 0 {
		return slices.ContainsFunc(n.words, func(word int) bool { return l[word] })
	}
	if len(n.any) > 0 {
		return slices.ContainsFunc(n.any, l.holds)
	}
	return !slices.ContainsFunc(n.all, func(part need) bool { return !l.holds(part) })
}
