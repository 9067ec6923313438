package textanalysis

import (
	"math"
	"regexp"
	"regexp/syntax"
	"sort"
	"strings"
	"sync"
)

// scan finds the secrets of one piece, in order and without overlap.
func (s *secretSet) scan(piece string) []Secret {
	var found []rankedSecret
	for i, windows := range s.windows(piece) {
		if len(windows) == 0 {
			continue
		}
		for _, secret := range s.apply(&s.rules[i], piece, windows) {
			found = append(found, rankedSecret{secret, i})
		}
	}
	return withoutOverlap(found)
}

// windows are, for each rule, the stretches of a piece in which it may match:
// around the places where its keywords stand, so that a long text costs as much
// as those places, not as much as its length.
func (s *secretSet) windows(piece string) [][]secretPiece {
	var of [][]secretPiece
	s.words.find(piece, func(word *secretKeyword, spot secretSpot) {
		for _, i := range word.rules {
			rule := &s.rules[i]
			var closely secretPiece
			if rule.reach != nil {
				var ok bool
				if closely, ok = rule.reach(piece, spot); !ok {
					continue
				}
			}
			if of == nil {
				of = make([][]secretPiece, len(s.rules))
			}
			if rule.reach != nil {
				// Each keyword is looked at by itself: a match that is no
				// secret does not hide one that begins inside it.
				of[i] = append(of[i], closely)
				continue
			}
			of[i] = withWindow(of[i], windowAround(piece, spot, rule.compile().longest))
		}
	})
	return of
}

// withWindow adds a window. It joins those that it touches; they come by where
// their keywords stand, and so may begin before the last one does.
func withWindow(windows []secretPiece, w secretPiece) []secretPiece {
	for n := len(windows); n > 0 && w.start <= windows[n-1].end; n-- {
		last := windows[n-1]
		w = secretPiece{min(w.start, last.start), max(w.end, last.end)}
		windows = windows[:n-1]
	}
	return append(windows, w)
}

// windowAround is where a match can lie that has a keyword at a spot. It reaches
// further than the longest match, so that none touches a cut edge.
func windowAround(piece string, spot secretSpot, longest int) secretPiece {
	if longest == 0 {
		return secretPiece{max(0, lineStart(piece, spot.at)-1), len(piece)}
	}
	return secretPiece{max(0, spot.at-longest-secretMargin), min(len(piece), spot.at+longest+secretMargin)}
}

// apply runs one rule within the windows.
func (s *secretSet) apply(rule *secretRule, piece string, windows []secretPiece) []Secret {
	expr := rule.compile()
	var found []Secret
	for _, w := range windows {
		for _, m := range expr.re.FindAllStringSubmatchIndex(piece[w.start:w.end], -1) {
			start, end := secretGroup(m, rule.group)
			start, end = start+w.start, end+w.start
			if s.isSecret(rule, piece, start, end, m[0]+w.start, m[1]+w.start) {
				found = append(found, Secret{Kind: rule.kind, Rule: rule.id, Start: start, End: end})
			}
		}
	}
	return found
}

// secretGroup is the wanted group of a match, or the first that took part, or all of it.
func secretGroup(m []int, wanted int) (start, end int) {
	if wanted > 0 && 2*wanted+1 < len(m) && m[2*wanted] >= 0 {
		return m[2*wanted], m[2*wanted+1]
	}
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 && m[i+1] > m[i] {
			return m[i], m[i+1]
		}
	}
	return m[0], m[1]
}

func (s *secretSet) isSecret(rule *secretRule, piece string, start, end, matchStart, matchEnd int) bool {
	value := piece[start:end]
	if value == "" || rule.entropy > 0 && shannon(value) <= rule.entropy {
		return false
	}
	if isPlaceholder(value) || rule.judge != nil && !rule.judge(value) {
		return false
	}
	match := piece[nameStart(piece, matchStart):matchEnd]
	for _, a := range append([]secretAllow{s.allow}, rule.allow...) {
		target := value
		switch a.target {
		case "match":
			target = match
		case "line":
			target = lineAround(piece, start)
		}
		if a.allows(target, value) {
			return false
		}
	}
	return true
}

func (a secretAllow) allows(target, value string) bool {
	for _, re := range a.regexes {
		if re().MatchString(target) {
			return true
		}
	}
	lowered := ""
	for _, word := range a.stopwords {
		if lowered == "" {
			lowered = strings.ToLower(value)
		}
		if strings.Contains(lowered, word) {
			return true
		}
	}
	return false
}

// nameStart goes back over the name that a match is the end of: the rules are
// compiled without their unbounded beginnings (see [lazyExpr]).
func nameStart(piece string, at int) int {
	for n := 0; n < 50 && at > 0 && isNameByte(piece[at-1]); n++ {
		at--
	}
	return at
}

func isNameByte(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func lineAround(piece string, at int) string {
	start := strings.LastIndexByte(piece[:at], '\n') + 1
	if n := strings.IndexByte(piece[at:], '\n'); n >= 0 {
		return piece[start : at+n]
	}
	return piece[start:]
}

// withoutOverlap joins what overlaps; the name is that of the rule that comes
// first in the set.
func withoutOverlap(found []rankedSecret) []Secret {
	sort.SliceStable(found, func(i, j int) bool { return found[i].Start < found[j].Start })
	var out []Secret
	rank := 0
	for _, f := range found {
		n := len(out) - 1
		if n < 0 || f.Start >= out[n].End {
			out, rank = append(out, f.Secret), f.rank
			continue
		}
		if f.rank < rank {
			out[n].Kind, out[n].Rule, rank = f.Kind, f.Rule, f.rank
		}
		out[n].End = max(out[n].End, f.End)
	}
	return out
}

type rankedSecret struct {
	Secret
	rank int
}

// lineStart is where an unbounded match can begin at the earliest: none of the
// rules without a bound begins before the line of its first keyword.
func lineStart(piece string, at int) int { return strings.LastIndexByte(piece[:at], '\n') + 1 }

// lazyExpr compiles at first use. The beginning that many rules share, up to
// fifty characters of a longer name, only widens the match and is most of the
// cost; [nameStart] finds it afterwards.
func lazyExpr(expr string) func() secretExpr {
	return sync.OnceValue(func() secretExpr {
		short := strings.Replace(expr, `(?i)[\w.-]{0,50}?`, `(?i)`, 1)
		short = strings.Replace(short, `[\w.-]{0,50}?(?i:[\w.-]{0,50}?`, `(?i:`, 1)
		return secretExpr{re: regexp.MustCompile(short), longest: longestMatch(short)}
	})
}

func longestMatch(expr string) int {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return 0
	}
	n := longestOf(parsed)
	if n < 0 {
		return 0
	}
	return n
}

// longestOf is the number of bytes that a match can have, negative when there is no bound.
func longestOf(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return 4 * len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return classWidth(re)
	case syntax.OpStar, syntax.OpPlus:
		return -1
	case syntax.OpRepeat:
		if re.Max < 0 {
			return -1
		}
		return times(longestOf(re.Sub[0]), re.Max)
	case syntax.OpAlternate:
		longest := 0
		for _, sub := range re.Sub {
			n := longestOf(sub)
			if n < 0 {
				return -1
			}
			longest = max(longest, n)
		}
		return longest
	}
	sum := 0
	for _, sub := range re.Sub {
		n := longestOf(sub)
		if n < 0 {
			return -1
		}
		sum += n
	}
	return sum
}

func times(n, count int) int {
	if n < 0 {
		return -1
	}
	return n * count
}

func classWidth(re *syntax.Regexp) int {
	if re.Op == syntax.OpCharClass && len(re.Rune) > 0 && re.Rune[len(re.Rune)-1] < 0x80 {
		return 1
	}
	return 4
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lowerByte(c)
	}
	return string(b)
}

// shannon is the entropy of a text's bytes in bits.
func shannon(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	entropy := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			entropy -= p * math.Log2(p)
		}
	}
	return entropy
}
