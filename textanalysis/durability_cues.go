package textanalysis

import (
	"regexp/syntax"
	"strings"
)

// alternatives splits an expression at the bars that stand outside of every
// group and class. Small expressions with cues of their own are much cheaper
// than one large one that every cue wakes.
func alternatives(expr string) []string {
	var out []string
	depth, start, inClass := 0, 0, false
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			out, start = append(out, expr[start:i]), i+1
		}
	}
	return append(out, expr[start:])
}

// cuesOf gives texts of two bytes or more of which every match of the
// expression holds at least one; none when the expression has no such texts.
func cuesOf(expr string) []string {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return requiredTexts(parsed)
}

func requiredTexts(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if text := string(re.Rune); len(text) >= 2 {
			return []string{text}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredTexts(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredTexts(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for i, sub := range re.Sub {
			cues := requiredTexts(sub)
			if cues == nil && i+1 < len(re.Sub) {
				cues = signAndDigit(sub, re.Sub[i+1])
			}
			if betterCues(cues, best) {
				best = cues
			}
		}
		return best
	case syntax.OpAlternate:
		return unionOfTexts(re.Sub)
	}
	return nil
}

// signAndDigit is for a single sign before a number, as in "+120".
func signAndDigit(sign, number *syntax.Regexp) []string {
	if number.Op == syntax.OpPlus {
		number = number.Sub[0]
	}
	if sign.Op != syntax.OpLiteral || number.Op != syntax.OpCharClass || string(number.Rune) != "09" {
		return nil
	}
	var out []string
	for digit := '0'; digit <= '9'; digit++ {
		out = append(out, string(sign.Rune)+string(digit))
	}
	return out
}

func unionOfTexts(subs []*syntax.Regexp) []string {
	var all []string
	for _, sub := range subs {
		cues := requiredTexts(sub)
		if len(cues) == 0 {
			return nil
		}
		all = append(all, cues...)
	}
	return all
}

// betterCues prefers cues whose shortest is longest: they occur most rarely.
func betterCues(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	shortA, shortB := shortestText(a), shortestText(b)
	return shortA > shortB || shortA == shortB && len(a) < len(b)
}

func shortestText(list []string) int {
	n := len(list[0])
	for _, s := range list {
		n = min(n, len(strings.TrimSpace(s)))
	}
	return n
}
