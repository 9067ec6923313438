package textanalysis

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Severity grades how surely a text is of the moment.
type Severity int

// The grades, lightest first.
const (
	None Severity = iota
	Low
	Medium
	High
)

// String is the grade as it is shown and stored.
func (s Severity) String() string {
	switch s {
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	}
	return "none"
}

// A Durability says whether a text will still hold in some months, and why not.
type Durability struct {
	Severity Severity
	Signals  []Signal
}

// Refuses tells whether the text should be refused unless the writer insists.
func (d Durability) Refuses() bool { return d.Severity >= Medium }

// ReviewDurability looks for signs that a text is of the moment: what was just
// done, what is broken now, a stack trace, the size of a change. Each sign
// belongs to a family of a fixed weight. One heavy family makes the text medium,
// two make it high; lighter families, however many, only make it low, so that a
// careful convention is never refused over its wording. English and Chinese are
// understood. The topic recent-work is meant for such notes and is exempt.
//
// The last family, "narrative", scores the share of first-person and past-tense
// words against prescriptive ones when nothing else fired. It is light: it can
// warn and never refuse.
func ReviewDurability(title, body, topic string) Durability {
	if topic == "recent-work" || strings.HasPrefix(topic, "recent-work/") {
		return Durability{}
	}
	shown := title + "\n" + body
	lowered := lowerASCII(shown)
	signals := durabilityPatterns().find(lowered, shown)
	signals = append(signals, environmentSignal(lowered)...)
	signals = append(signals, shapeSignals(body)...)
	if len(signals) == 0 && topic != "user" {
		signals = narrativeSignal(lowered)
	}
	return Durability{durabilitySeverity(signals), signals}
}

func durabilitySeverity(signals []Signal) Severity {
	heavy := 0
	for _, s := range signals {
		if s.Weight == High {
			heavy++
		}
	}
	switch {
	case heavy >= 2:
		return High
	case heavy == 1:
		return Medium
	case len(signals) > 0:
		return Low
	}
	return None
}

// environmentSignal fires when two different details of one machine stand together.
func environmentSignal(lowered string) []Signal {
	if !hasDigit(lowered) {
		return nil
	}
	var seen []string
	for _, compile := range environmentDetails() {
		if m := compile().FindString(lowered); m != "" {
			seen = append(seen, m)
		}
	}
	if len(seen) < 2 {
		return nil
	}
	return []Signal{{"environment-specific", Medium, shortMatch(strings.Join(seen, ", ")), "names details of one machine or one run"}}
}

// shapeSignals judge what a text looks like, whatever it says.
func shapeSignals(body string) []Signal {
	var found []Signal
	trimmed := strings.TrimSpace(body)
	n := utf8.RuneCountInString(trimmed)
	wide := strings.IndexFunc(trimmed, func(r rune) bool { return r >= 0x2e80 }) >= 0
	if n < 20 && !wide || n < 8 {
		found = append(found, Signal{"too-short", Low, trimmed, "is too short to be understood later"})
	}
	code := 0
	for _, r := range trimmed {
		if strings.ContainsRune("{}();=<>[]&|", r) {
			code++
		}
	}
	if strings.Contains(trimmed, "```") || n > 100 && code*100 > n*8 {
		found = append(found, Signal{"verbatim-code", Low, shortMatch(firstRunes(trimmed, 40)), "is mostly code, which the repository already holds"})
	}
	return found
}

func firstRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}

// narrativeSignal tells a report of events from a rule by the kinds of its words.
func narrativeSignal(lowered string) []Signal {
	words := strings.FieldsFunc(lowered, func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' })
	told, ruled := 0, 0
	first := ""
	for _, w := range words {
		switch {
		case w == "i" || w == "we" || w == "my" || w == "our" || w == "then" || w == "was" || w == "were" || w == "had" || w == "did" || w == "went" || w == "got" || w == "ran" || w == "saw" || w == "tried":
			told++
			if first == "" {
				first = w
			}
		case w == "must" || w == "should" || w == "always" || w == "never" || w == "use" || w == "prefer" || w == "avoid" || w == "is" || w == "are" || w == "need" || w == "requires" || w == "because":
			ruled++
		}
	}
	if len(words) < 6 || told < 3 || told*5 < len(words) || ruled > 0 {
		return nil
	}
	return []Signal{{"narrative", Low, first, "tells what happened rather than what holds"}}
}

// unlessRule tells sentences that state a rule about such events ("When a bug
// was fixed, add a test") instead of reporting one.
func unlessRule(text string, start, end int, rule *regexp.Regexp) bool {
	from := strings.LastIndexAny(text[:start], ".!?\n") + 1
	if i := strings.LastIndex(text[:start], "。"); i >= from {
		from = i + len("。")
	}
	to := len(text)
	if i := strings.IndexAny(text[end:], "!?\n"); i >= 0 {
		to = end + i
	}
	for _, stop := range []string{". ", "。"} {
		if i := strings.Index(text[end:to], stop); i >= 0 {
			to = end + i
		}
	}
	return from <= to && rule.MatchString(text[min(from, start):to])
}
