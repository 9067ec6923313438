package textanalysis

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose gives the sentences of what somebody said: without code, quoted lines,
// tables and headings. A list item is a sentence of its own.
func prose(text string) iter.Seq[Lasting] {
	return func(yield func(Lasting) bool) {
		at, fenced := 0, false
		for line := range strings.SplitAfterSeq(text, "\n") {
			start := at
			at += len(line)
			bare := strings.TrimSpace(line)
			if strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~") {
				fenced = !fenced
				continue
			}
			if fenced || !spoken(line, bare) {
				continue
			}
			if !sentencesOf(line, start, yield) {
				return
			}
		}
	}
}

// spoken tells whether a line is somebody's own words.
func spoken(line, bare string) bool {
	switch {
	case bare == "" || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") && !listItem(bare):
		return false
	case strings.ContainsRune(">|#$<{}+", rune(bare[0])) || strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "at "):
		return false
	}
	return true
}

func listItem(bare string) bool {
	return strings.HasPrefix(bare, "- ") || strings.HasPrefix(bare, "* ") || bare[0] >= '0' && bare[0] <= '9'
}

// sentencesOf gives the sentences of one line, and tells whether to go on.
func sentencesOf(line string, start int, yield func(Lasting) bool) bool {
	from := 0
	for i, r := range line {
		next := i + utf8.RuneLen(max(r, 0))
		if r == utf8.RuneError {
			next = i + 1
		}
		if !endsSaying(line, i, r, next) {
			continue
		}
		if !yieldSentence(line[from:next], start+from, yield) {
			return false
		}
		from = next
	}
	return from >= len(line) || yieldSentence(line[from:], start+from, yield)
}

func endsSaying(line string, i int, r rune, next int) bool {
	switch r {
	case '。', '！', '？', '；':
		return true
	case '!', '?', ';':
		return next >= len(line) || line[next] == ' ' || line[next] == '\n'
	case '.':
		if next < len(line) && line[next] != ' ' && line[next] != '\n' {
			return false
		}
		word := line[strings.LastIndexAny(line[:i], " (")+1 : i]
		return utf8.RuneCountInString(word) > 1 && word != "e.g" && word != "i.e" && word != "vs" && word != "etc"
	}
	return false
}

func yieldSentence(s string, at int, yield func(Lasting) bool) bool {
	trimmed := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-*•", r) })
	at += len(s) - len(trimmed)
	trimmed = strings.TrimSpace(trimmed)
	return trimmed == "" || yield(Lasting{Text: trimmed, At: at})
}
