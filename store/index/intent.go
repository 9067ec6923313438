package index

import (
	"slices"
	"strings"

	"memory-mcp/textanalysis"
)

// What the kind of a question tells about its answer.
const (
	timeWordWeight = 0.2 // words of time, when the question asks for a time
	askingFactor   = 0.9 // an entry that itself ends in a question answers less
	spokenFactor   = 0.8 // a spoken one still less
)

// asksWhen reports whether a question asks for a time.
func asksWhen(tokens []textanalysis.Token) bool {
	for i, t := range tokens {
		switch t.Text {
		case "when":
			return true
		case "date", "day", "time", "year", "month", "long":
			if i > 0 && slices.Contains([]string{"what", "which", "how"}, tokens[i-1].Text) {
				return true
			}
		case "何时", "哪年", "几月", "时候":
			return true
		}
	}
	return false
}

func timeWords() []string {
	return []string{
		"yesterday", "today", "tomorrow", "ago", "last", "next", "week", "weekend", "month", "year", "recently",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	}
}

// addTimeWords expands a question for a time by words that name times.
func (s *search) addTimeWords(p *plan) {
	for _, w := range timeWords() {
		s.add(p, 0, s.analyzer.Stem(w), w, timeWordWeight/p.terms[0].weight)
	}
}

// asks reports whether an entry ends in a question, and so states little.
func asks(d *Doc) bool {
	body := strings.TrimSpace(d.Body)
	return strings.HasSuffix(body, "?") || strings.HasSuffix(body, "？")
}

// Whether an entry states or asks.
const (
	states byte = iota
	asksInWriting
	asksAloud
)

// stated tells whether an entry states or asks.
func stated(d *Doc) byte {
	switch {
	case !asks(d):
		return states
	case d.Speaker != "":
		return asksAloud
	}
	return asksInWriting
}

// statedFactor is how much an entry counts by whether it states or asks.
func statedFactor(kind byte) float64 {
	switch kind {
	case asksAloud:
		return spokenFactor
	case asksInWriting:
		return askingFactor
	}
	return 1
}
