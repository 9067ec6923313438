package textanalysis

import (
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
	compile func() secretExpr
}

// textPatterns are patterns with the table that finds their cues, so that a
// long text costs what its cues cost.
type textPatterns struct {
	list []textPattern
	cues *secretKeywords
}

func newTextPatterns(list []textPattern) *textPatterns {
	cues := make([][]string, len(list))
	for i, p := range list {
		cues[i] = p.cues
	}
	return &textPatterns{list, newSecretKeywords(cues)}
}

// find gives the first match of each family. The patterns see lowered; shown is
// the same text, byte for byte as long, as a person wrote it.
func (p *textPatterns) find(lowered, shown string) []Signal {
	var found []Signal
	hits := p.cues.find(lowered)
	for i, pattern := range p.list {
		at := p.cues.positions(hits, i)
		if len(at) == 0 || len(found) > 0 && found[len(found)-1].Family == pattern.family {
			continue
		}
		expr := pattern.compile()
		for _, w := range secretWindows(lowered, at, expr.longest) {
			m := expr.re.FindStringIndex(lowered[w.start:w.end])
			if m == nil {
				continue
			}
			text := shortMatch(shown[w.start+m[0] : w.start+m[1]])
			found = append(found, Signal{pattern.family, pattern.weight, text, pattern.phrase})
			break
		}
	}
	return found
}

// shortMatch is a match on one line, short enough to show.
func shortMatch(m string) string {
	m = strings.Join(strings.Fields(strings.ToValidUTF8(m, "")), " ")
	if utf8.RuneCountInString(m) > 80 {
		m = string([]rune(m)[:79]) + "…"
	}
	return m
}
