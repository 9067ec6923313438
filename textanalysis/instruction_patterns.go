package textanalysis

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A textPattern is one expression of a family. It can only match around one of
// its cues, which are lower case.
type textPattern struct {
	family  string
	weight  Severity
	phrase  string
	cues    []string
	report  bool // does not count in a sentence that states a rule
	expr    string
	compile func() secretExpr
}

// textPatterns are patterns with the table that finds their cues, so that a
// long text costs what its cues cost, and with what each needs besides, so that
// most cues cost nothing.
type textPatterns struct {
	list  []textPattern
	cues  *secretKeywords
	words *needTable
	needs []need // by pattern
}

func newTextPatterns(list []textPattern) *textPatterns {
	p := &textPatterns{list: list, words: newNeedTable()}
	cues := make([][]string, len(list))
	for i := range list {
		cues[i] = list[i].cues
		p.needs = append(p.needs, p.words.needOf(list[i].expr))
	}
	p.cues = newSecretKeywords(cues)
	return p
}

// find gives the first match of each family. The patterns see lowered; shown is
// the same text, byte for byte as long, as a person wrote it.
func (p *textPatterns) find(lowered, shown string) []Signal {
	var found []Signal
	look := p.words.look(lowered)
	possible := make([]bool, len(p.list))
	for i, n := range p.needs {
		possible[i] = look.holds(n)
	}
	if !slices.Contains(possible, true) {
		return nil
	}
	windows := make([][]secretPiece, len(p.list))
	p.cues.find(lowered, func(cue *secretKeyword, spot secretSpot) {
		for _, i := range cue.rules {
			if !possible[i] {
				continue
			}
			windows[i] = withWindow(windows[i], windowAround(lowered, spot, p.list[i].compile().longest))
		}
	})
	for i, pattern := range p.list {
		if len(windows[i]) == 0 || len(found) > 0 && found[len(found)-1].Family == pattern.family {
			continue
		}
		expr := pattern.compile()
		for _, w := range windows[i] {
			start, end, ok := pattern.match(expr, lowered, w)
			if !ok {
				continue
			}
			found = append(found, Signal{pattern.family, pattern.weight, shortMatch(shown[start:end]), pattern.phrase})
			break
		}
	}
	return found
}

// match is the first match in a window that counts.
func (p textPattern) match(expr secretExpr, lowered string, w secretPiece) (start, end int, ok bool) {
	for _, m := range expr.re.FindAllStringIndex(lowered[w.start:w.end], -1) {
		start, end = m[0]+w.start, m[1]+w.start
		if !p.report || !unlessRule(lowered, start, end, ruleWords()) {
			return start, end, true
		}
	}
	return 0, 0, false
}

// shortMatch is a match on one line, short enough to show.
func shortMatch(m string) string {
	m = strings.Join(strings.Fields(strings.ToValidUTF8(m, "")), " ")
	if utf8.RuneCountInString(m) > 80 {
		m = string([]rune(m)[:79]) + "…"
	}
	return m
}
