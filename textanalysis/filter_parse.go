package textanalysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const subjectField = "subject:"

// The bounds of the work that one filter can ask for: how many conditions that
// differ, after which what comes is ignored, and how many of one alternative
// before those that it has already are.
const (
	maxFilterConditions = 20000
	maxFilterRepeats    = 1000
)

// ParseFilter reads the filter language. It never fails: what cannot be a
// condition puts none.
//
//	A B          both, in any form of the words
//	A | B        either; binds less than a space
//	-A           not
//	#tag         entries with the tag
//	=word        the very word, not other forms of it
//	"two words"  words that follow one another
//	subject:x    entries about the subject
//
// Signs combine: -#tag, -"two words", ="two words", #"tag with spaces". Two
// dashes before a word are part of it, since --json is the name of a flag.
func ParseFilter(text string) Filter {
	p := filterParser{text: prepareFilter(text), known: make(map[Condition]bool)}
	p.run()
	return Filter{p.alternatives}
}

func prepareFilter(text string) string {
	text = strings.ReplaceAll(text, "\x00", "")
	text = Fold(text)
	if strings.ContainsAny(text, "“”„«»") {
		text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`).Replace(text)
	}
	return text
}

type filterParser struct {
	text         string
	at           int
	count        int
	current      []Condition
	known        map[Condition]bool // in current
	alternatives [][]Condition
}

func isBreak(r rune) bool { return unicode.IsSpace(r) }

func (p *filterParser) run() {
	for p.at < len(p.text) && p.count < maxFilterConditions {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		switch {
		case r == '|':
			p.endAlternative()
			p.at += size
		case isBreak(r):
			p.at += size
		default:
			p.term()
		}
	}
	p.endAlternative()
}

func (p *filterParser) endAlternative() {
	if len(p.current) > 0 {
		p.alternatives = append(p.alternatives, p.current)
	}
	p.current = nil
	clear(p.known)
}

// term reads one term and its signs.
func (p *filterParser) term() {
	var c Condition
	if p.has("--") {
		p.at += len("--")
	} else if p.has("-") {
		p.at++
		c.Not = true
	}
	switch {
	case p.has("="):
		p.at++
		c.Kind = ExactCondition
	case p.has("#"):
		p.at++
		c.Kind = TagCondition
	case p.hasFold(subjectField):
		p.at += len(subjectField)
		c.Kind = SubjectCondition
	}
	text, wasQuoted := p.operand()
	if wasQuoted && c.Kind == WordCondition {
		c.Kind = PhraseCondition
	}
	p.add(c, text)
}

func (p *filterParser) add(c Condition, text string) {
	switch c.Kind {
	case TagCondition, SubjectCondition:
		text = strings.ToLower(strings.Join(strings.Fields(text), " "))
		if text == "" {
			return
		}
	case PhraseCondition:
		text = strings.Join(strings.Fields(text), " ")
		if !hasWord(text) {
			return
		}
	default:
		// Signs before the first letter would be read as signs again.
		text = strings.TrimLeftFunc(strings.Join(strings.Fields(text), " "), func(r rune) bool { return !isWordRune(r) && !isSign(r) })
		if text == "" {
			return
		}
		if c.Kind == WordCondition && len(text) >= len(subjectField) && strings.EqualFold(text[:len(subjectField)], subjectField) {
			c.Kind = SubjectCondition
			p.add(c, text[len(subjectField):])
			return
		}
	}
	c.Text = text
	if p.known[c] {
		if len(p.current) < maxFilterRepeats {
			p.current = append(p.current, c)
		}
		return
	}
	p.known[c] = true
	p.current = append(p.current, c)
	p.count++
}

func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return isWordRune(r) || isSign(r) })
}

// operand reads what follows the signs: a quoted text, or the characters up to
// a space, a bar or a quote.
func (p *filterParser) operand() (text string, wasQuoted bool) {
	if p.has(`"`) {
		p.at++
		if end := strings.IndexByte(p.text[p.at:], '"'); end >= 0 {
			text = p.text[p.at : p.at+end]
			p.at += end + 1
			return text, true
		}
		// A quote that is never closed is no quote.
	}
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if r == '|' || r == '"' || isBreak(r) {
			break
		}
		p.at += size
	}
	return p.text[start:p.at], false
}

func (p *filterParser) has(sign string) bool { return strings.HasPrefix(p.text[p.at:], sign) }

func (p *filterParser) hasFold(sign string) bool {
	return len(p.text)-p.at >= len(sign) && strings.EqualFold(p.text[p.at:p.at+len(sign)], sign)
}
