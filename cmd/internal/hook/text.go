package hook

import (
	"strings"
	"unicode/utf8"

	"memory-mcp/textanalysis"
)

// safe makes a recalled text fit to be shown.
func safe(s string) string {
	masked, _ := textanalysis.MaskSecrets(textanalysis.FenceSafe(s))
	return masked
}

// line is the beginning of a recalled text on one line, at most n characters.
func line(s string, n int) string {
	s = strings.Join(strings.Fields(safe(s)), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	cut := string([]rune(s)[:n])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)-40 && i > 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ") + "…"
}

// told is a title and what its text adds to it. A title that was cut from the
// text gives way to it.
func told(title, text string, most int, sep string) string {
	whole := line(title, 120)
	if start, cut := strings.CutSuffix(whole, "…"); cut && start != "" {
		if full := line(text, most); strings.HasPrefix(full, start) {
			return full
		}
	}
	if more := line(rest(text, title), most); more != "" {
		return whole + sep + more
	}
	return whole
}

// rest is a text without the title that it begins with.
func rest(text, title string) string {
	after, ok := strings.CutPrefix(text, strings.TrimRight(title, ".…"))
	if !ok {
		return text
	}
	return strings.TrimLeft(after, ".…:;!?。！？ \n")
}

// tokens estimates how many tokens a model reads a text as: a quarter of its
// bytes, and one for each sign of a script without spaces.
func tokens(s string) float64 {
	n := 0.0
	for _, r := range s {
		if r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7AF || r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF {
			n++
			continue
		}
		n += float64(utf8.RuneLen(max(r, 0))) / 4
	}
	return n
}
