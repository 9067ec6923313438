package ops

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The budget of an answer, in tokens.
const (
	DefaultTokens = 2000
	MaxTokens     = 20000
	minTokens     = 40
)

// page is an answer in words as it is written. Lines are always taken; blocks
// only as long as the budget lasts, less what is kept for the lines that tell
// what was left out.
type page struct {
	guide
	b      strings.Builder
	budget float64
	used   float64
}

// tailTokens is what blocks leave over for the lines at the end, of a budget
// that is not small.
const tailTokens = 110

// tail is what blocks leave over: of a small budget the lines at the end get a
// third, for a hit tells more than the call for the next ones.
func (p *page) tail() float64 { return min(tailTokens, p.budget/3) }

func newPage(g guide, budget int) *page {
	return &page{guide: g, budget: float64(budget)}
}

// line writes one line that the answer cannot do without.
func (p *page) line(format string, args ...any) {
	s := format
	if len(args) > 0 {
		s = fmt.Sprintf(format, args...)
	}
	p.write(s)
}

func (p *page) write(s string) {
	p.b.WriteString(s)
	p.b.WriteByte('\n')
	p.used += tokens(s) + 0.25
}

// block writes a part if it fits, and tells whether it did.
func (p *page) block(s string) bool {
	if p.used+tokens(s) > p.budget-p.tail() {
		return false
	}
	p.write(s)
	return true
}

// room is how many tokens a block may have.
func (p *page) room() float64 { return max(0, p.budget-p.tail()-p.used) }

func (p *page) String() string {
	s := strings.TrimRight(p.b.String(), "\n")
	if tokens(s) <= p.budget {
		return s
	}
	mark := "\n… (cut: ask again with a larger maxTokens)"
	return cutTokens(s, p.budget-tokens(mark)) + mark
}

// tokens estimates how many tokens a model reads a text as: a quarter of its
// bytes, and one for each sign of a script without spaces.
func tokens(s string) float64 {
	n := 0.0
	for _, r := range s {
		n += tokenShare(r)
	}
	return n
}

func tokenShare(r rune) float64 {
	if isDense(r) {
		return 1
	}
	return float64(utf8.RuneLen(max(r, 0))) / 4
}

// isDense tells whether a sign is of a script that models read sign by sign:
// Chinese, Japanese, Korean.
func isDense(r rune) bool {
	return r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7AF || r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF
}

// cutTokens shortens a text to a number of tokens, at a space where one is near.
func cutTokens(s string, budget float64) string {
	n := 0.0
	for i, r := range s {
		n += tokenShare(r)
		if n > budget {
			return trimToSpace(s[:i])
		}
	}
	return s
}

// trimToSpace drops a word that was cut in its middle.
func trimToSpace(s string) string {
	if i := strings.LastIndexAny(s, " \n"); i > len(s)-40 && i > 0 {
		return strings.TrimRight(s[:i], " \n")
	}
	return s
}

// excerpt is the beginning of a text on one line, at most n characters.
func excerpt(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	seen := 0
	for i := range s {
		if seen == n {
			return trimToSpace(s[:i]) + "…"
		}
		seen++
	}
	return s
}

// count is a number with its noun: "1 entry", "2 entries".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
