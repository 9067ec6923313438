package textanalysis

import (
	"maps"
	"slices"
	"strings"
)

// SameFacts reports whether two texts state the same numbers, versions,
// identifiers and negations, so that one may stand for the other when the
// words are nearly the same. "Timeout is 30 s" and "Timeout is 60 s" do not.
func SameFacts(a, b string) bool {
	rules := New(Options{})
	return maps.Equal(rules.facts(a), rules.facts(b)) && !Opposed(a, b)
}

// facts counts nothing but presence, so that a fact stated twice is one fact.
// Negations are counted, since a second "not" undoes the first.
func (a *Analyzer) facts(text string) map[string]int {
	facts := make(map[string]int)
	a.Scan(text, func(t Token) {
		switch {
		case t.Class == Joined, hasDigit(t.Text):
			facts[t.Text] = 1
		}
	})
	if n := negations(text); n > 0 {
		facts["-"] = n
	}
	return facts
}

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }

// negating are the words that turn a statement round; never changed.
var negating = set(`not no never nor none neither without cannot avoid don doesn didn isn aren wasn weren hasn haven hadn
couldn wouldn shouldn mustn won dont doesnt isnt cant wont disabled disallow forbid forbidden prohibited`)

// retiring are the words that say that something no longer holds; never changed.
var retiring = set(`deprecated deprecate obsolete removed replaced superseded legacy abandoned dropped outdated
instead formerly previously retired`)

func negatingSigns() []string {
	return []string{"不", "没", "無", "无", "非", "未", "勿", "禁止", "避免", "别用", "切勿"}
}

func retiringSigns() []string {
	return []string{"废弃", "弃用", "过时", "已移除", "已删除", "取代", "替换为", "不再", "淘汰"}
}

func negations(text string) int {
	lowered := strings.ToLower(Fold(text))
	n := 0
	for _, w := range plainWords(lowered) {
		if negating[w] || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			n++
		}
	}
	for _, s := range negatingSigns() {
		n += strings.Count(lowered, s)
	}
	return n
}

func plainWords(lowered string) []string {
	return strings.FieldsFunc(lowered, func(r rune) bool { return !isWordRune(r) && r != '\'' && r != '’' })
}

// Negated reports whether a text contains a word of negation or deprecation.
func Negated(text string) bool {
	lowered := strings.ToLower(Fold(text))
	for _, w := range plainWords(lowered) {
		if negating[w] || retiring[w] || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			return true
		}
	}
	contains := func(s string) bool { return strings.Contains(lowered, s) }
	return slices.ContainsFunc(negatingSigns(), contains) || slices.ContainsFunc(retiringSigns(), contains)
}

// opposites are pairs of which a text that holds one and a text that holds the
// other probably disagree.
func opposites() [][2]string {
	return [][2]string{
		{"always", "never"}, {"use", "avoid"}, {"sync", "async"}, {"synchronous", "asynchronous"},
		{"mutable", "immutable"}, {"required", "forbidden"}, {"required", "optional"}, {"inheritance", "composition"},
		{"throw", "return"}, {"enable", "disable"}, {"enabled", "disabled"}, {"allow", "deny"}, {"allowed", "forbidden"},
		{"must", "mustn't"}, {"include", "exclude"}, {"tabs", "spaces"}, {"public", "private"}, {"static", "dynamic"},
		{"merge", "rebase"}, {"eager", "lazy"}, {"strict", "lenient"}, {"increase", "decrease"},
		{"总是", "从不"}, {"必须", "禁止"}, {"使用", "避免"}, {"同步", "异步"}, {"启用", "禁用"}, {"开启", "关闭"},
		{"允许", "禁止"}, {"可变", "不可变"}, {"继承", "组合"}, {"推荐", "不推荐"}, {"公开", "私有"}, {"支持", "不支持"},
	}
}

// Opposed reports whether a known pair of opposites is split across two texts.
func Opposed(a, b string) bool { return sidesOf(a).opposed(sidesOf(b)) }

// sides are the pairs of opposites of which a text holds the left or the right
// one, but not both: a bit for each pair.
type sides struct{ left, right uint64 }

func sidesOf(text string) sides {
	p := newPresence(text)
	var s sides
	for i, pair := range opposites() {
		left, right := p.has(pair[0]), p.has(pair[1])
		switch {
		case left && !right:
			s.left |= 1 << i
		case right && !left:
			s.right |= 1 << i
		}
	}
	return s
}

func (s sides) opposed(other sides) bool { return s.left&other.right|s.right&other.left != 0 }

// A Stance is what of a text may contradict another.
type Stance struct {
	negated bool
	sides   sides
}

// StanceOf returns the stance of a memory's body.
func StanceOf(body string) Stance { return Stance{Negated(body), sidesOf(body)} }

// presence answers whether a text holds a word or a run of signs.
type presence struct {
	lowered string
	words   map[string]bool
}

func newPresence(text string) presence {
	p := presence{strings.ToLower(Fold(text)), make(map[string]bool)}
	for _, w := range plainWords(p.lowered) {
		p.words[w] = true
	}
	return p
}

func (p presence) has(word string) bool {
	if word[0] < 0x80 {
		return p.words[word]
	}
	// 可变 is not said by a text that says 不可变.
	rest := strings.ReplaceAll(p.lowered, "不"+word, "")
	return strings.Contains(rest, word)
}

// ConflictScore raises a similarity by what makes a contradiction likely: both
// memories were stated by the person (× 1.3), and both bodies negate or retire
// something, or stand on two sides of a pair of opposites (× 1.25).
func ConflictScore(similarity float64, bothFromPerson bool, a, b Stance) float64 {
	if bothFromPerson {
		similarity *= 1.3
	}
	if a.negated && b.negated || a.sides.opposed(b.sides) {
		similarity *= 1.25
	}
	return similarity
}

// ConflictLimit is what a [ConflictScore] must exceed, given whether both
// memories are of one topic and how much alike their titles are.
func ConflictLimit(sameTopic bool, titles float64) float64 {
	limit := ConflictAcrossTopics
	if sameTopic {
		limit = ConflictThreshold
	}
	if titles > SimilarTitles {
		limit = min(limit, ConflictSimilarTitles)
	}
	return limit
}
