package textanalysis

import (
	"strings"
)

// FilterKind says what a [Filter] asks about.
type FilterKind string

// The kinds of filter.
const (
	FilterNone     FilterKind = "none"     // no condition: every entry matches
	FilterKeywords FilterKind = "keywords" // words, exact words, phrases
	FilterTags     FilterKind = "tags"     // tags only
	FilterMixed    FilterKind = "mixed"    // both, or a field
)

// ConditionKind says how a [Condition] is compared.
type ConditionKind uint8

const (
	// WordCondition holds when the word, in any of its forms, is in the text.
	WordCondition ConditionKind = iota
	// ExactCondition holds when the very word is in the text, not stemmed.
	ExactCondition
	// PhraseCondition holds when the words follow one another in the text.
	PhraseCondition
	// TagCondition holds when the entry has the tag.
	TagCondition
	// SubjectCondition holds when the entry is about the subject.
	SubjectCondition
)

// A Condition is one term of a filter.
type Condition struct {
	// Kind says how Text is compared.
	Kind ConditionKind
	// Not turns the condition round.
	Not bool
	// Text is the term without its sign, folded. Tags and subjects are
	// lower-cased too.
	Text string
}

// A Filter is a question in the filter language: alternatives, of each of
// which every condition must hold. The zero Filter matches everything.
type Filter struct{ alternatives [][]Condition }

// Alternatives returns the conditions; one alternative must hold. There are
// none when every entry matches. The caller must not change them.
func (f Filter) Alternatives() [][]Condition { return f.alternatives }

// Kind says what the filter asks about.
func (f Filter) Kind() FilterKind {
	words, tags, fields := false, false, false
	for _, alternative := range f.alternatives {
		for _, c := range alternative {
			switch c.Kind {
			case TagCondition:
				tags = true
			case SubjectCondition:
				fields = true
			default:
				words = true
			}
		}
	}
	switch {
	case fields || words && tags:
		return FilterMixed
	case tags:
		return FilterTags
	case words:
		return FilterKeywords
	}
	return FilterNone
}

// Words returns the text of every condition that asks for words, for a search
// by any word.
func (f Filter) Words() string {
	var words []string
	for _, alternative := range f.alternatives {
		for _, c := range alternative {
			if !c.Not && c.Kind <= PhraseCondition {
				words = append(words, c.Text)
			}
		}
	}
	return strings.Join(words, "\n")
}

// String writes the filter in its own language: [ParseFilter] of it gives an
// equal filter.
func (f Filter) String() string {
	var b strings.Builder
	for i, alternative := range f.alternatives {
		if i > 0 {
			b.WriteString(" | ")
		}
		for j, c := range alternative {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(c.String())
		}
	}
	return b.String()
}

// String writes the condition as a term of the filter language.
func (c Condition) String() string {
	sign := ""
	if c.Not {
		sign = "-"
	}
	switch c.Kind {
	case ExactCondition:
		sign += "="
	case PhraseCondition:
		return sign + quoted(c.Text)
	case TagCondition:
		sign += "#"
	case SubjectCondition:
		sign += subjectField
	}
	if c.needsQuotes() {
		return sign + quoted(c.Text)
	}
	return sign + c.Text
}

func quoted(text string) string { return `"` + text + `"` }

// needsQuotes reports whether the text alone would be read as something else.
func (c Condition) needsQuotes() bool {
	if strings.ContainsAny(c.Text, "|") || strings.ContainsFunc(c.Text, isBreak) {
		return true
	}
	return false
}
