package textanalysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// defaultTitleLength is the number of characters of a title when the caller names none.
const defaultTitleLength = 80

// TitleOf makes a title of a text: its first sentence, without Markdown's marks
// of headings, quotes and lists, on one line, at most max characters (80 when
// max is not positive). A longer sentence is cut at a word boundary and ends in
// an ellipsis; a character that is composed of several code points is never
// split. The full stop at the end is left out.
//
// A sentence ends at . ! or ? before a space or the end, when the word before
// it is neither an abbreviation nor a single letter, so that "e.g.", "v1.2" and
// "main.go" do not end it; at 。 ！ or ？ after two characters; and at a line
// break. A title is its own title.
func TitleOf(text string, max int) string {
	if max <= 0 {
		max = defaultTitleLength
	}
	line := cleanTitle(firstTitleLine(text))
	for {
		short := cleanTitle(cutTitle(firstSentence(line), max))
		if short == line {
			return line
		}
		line = short
	}
}

// firstTitleLine is the first line that says something.
func firstTitleLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for line := range strings.FieldsFuncSeq(text, isTitleBreak) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			continue
		}
		if strings.IndexFunc(cleanTitle(line), isTitleWord) >= 0 {
			return line
		}
	}
	return strings.Join(strings.FieldsFunc(text, isTitleBreak), " ")
}

func isTitleBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

func isTitleWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// cleanTitle takes away marks, control characters and repeated space, until
// there is nothing more to take away.
func cleanTitle(line string) string {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || isTitleBreak(r) {
			return ' '
		}
		return r
	}, line)
	for {
		short := strings.Join(strings.Fields(line), " ")
		short = unwrapTitle(stripTitleMark(short))
		if !strings.HasSuffix(short, "..") {
			short = strings.TrimSuffix(short, ".")
		}
		short = strings.TrimSuffix(short, "。")
		if short == line {
			return line
		}
		line = short
	}
}

// stripTitleMark takes one mark of a heading, quote, list or task off the front.
func stripTitleMark(line string) string {
	first, rest, found := strings.Cut(line, " ")
	switch {
	case first == "":
		return line
	case strings.Trim(first, "#") == "" && found && len(first) <= 6:
		return strings.TrimRight(rest, "# ")
	case strings.Trim(first, ">") == "" && found:
		return rest
	case strings.HasPrefix(line, ">") && len(line) > 1:
		return line[1:]
	case !found:
		return line
	case first == "-" || first == "*" || first == "+" || first == "•" || first == "[x]" || first == "[X]":
		return rest
	case strings.HasPrefix(line, "[ ] "):
		return line[len("[ ] "):]
	case isOrdinal(first):
		return rest
	}
	return line
}

// isOrdinal tells the number of a list item: "1." or "12)".
func isOrdinal(word string) bool {
	digits := strings.TrimRight(word, ".)")
	return len(word)-len(digits) == 1 && len(digits) > 0 && len(digits) <= 3 && strings.Trim(digits, "0123456789") == ""
}

// unwrapTitle takes emphasis off when it spans the whole line.
func unwrapTitle(line string) string {
	for _, mark := range []string{"**", "__"} {
		inner, ok := strings.CutPrefix(line, mark)
		inner, ok2 := strings.CutSuffix(inner, mark)
		if ok && ok2 && inner != "" && !strings.Contains(inner, mark) {
			return inner
		}
	}
	return line
}

// firstSentence ends after the sign that ends the first sentence.
func firstSentence(line string) string {
	for at, r := range line {
		end := at + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？':
			if titleWords(line[:at]) >= 2 {
				return line[:end]
			}
		case '.', '!', '?':
			rest := strings.TrimLeft(line[end:], `"')]*_`+"`”’")
			if (rest == "" || rest[0] == ' ') && endsTitle(line[:at], r) {
				return line[:len(line)-len(rest)]
			}
		}
	}
	return line
}

func titleWords(s string) int {
	n := 0
	for _, r := range s {
		if isTitleWord(r) {
			n++
		}
	}
	return n
}

// endsTitle tells whether the word before a sign can be the last of a sentence.
func endsTitle(before string, sign rune) bool {
	word := before[strings.LastIndexByte(before, ' ')+1:]
	if titleWords(word) < 2 || strings.HasSuffix(word, ".") {
		return false
	}
	if sign != '.' {
		return true
	}
	word = strings.ToLower(strings.TrimLeft(word, `"'([*_`+"`"))
	if isAbbreviation(word) {
		return false
	}
	for part := range strings.SplitSeq(word, ".") {
		if utf8.RuneCountInString(part) > 1 || strings.ContainsAny(part, "0123456789") {
			return true
		}
	}
	return false
}

func isAbbreviation(word string) bool {
	switch word {
	case "etc", "vs", "cf", "al", "approx", "incl", "excl", "resp", "ca", "esp", "fig", "figs", "eq", "sec", "ch", "pp", "vol", "no", "nr", "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "inc", "ltd", "corp", "dept", "est", "min", "max", "avg", "ver", "ed", "eds", "viz", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec":
		return true
	}
	return false
}

// cutTitle shortens to max characters, the ellipsis included.
func cutTitle(line string, max int) string {
	if utf8.RuneCountInString(line) <= max {
		return line
	}
	kept, count, state := 0, 0, -1
	rest := line
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		n := utf8.RuneCountInString(cluster)
		if count+n > max-1 {
			break
		}
		count, kept = count+n, kept+len(cluster)
	}
	head := line[:kept]
	if next := line[kept:]; next != "" && next[0] != ' ' {
		if space := strings.LastIndexByte(head, ' '); space > len(head)/2 {
			head = head[:space]
		}
	}
	return strings.TrimRight(head, " ,;:-–—(，、；：") + "…"
}
