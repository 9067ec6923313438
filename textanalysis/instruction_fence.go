package textanalysis

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// fenceName is the name of the tags around recalled text.
const fenceName = "recalled-memory"

// maxFenceLabel is the longest label in characters.
const maxFenceLabel = 160

// Fence puts recalled text between two lines that mark it as data, with a label
// that says where it comes from:
//
//	<recalled-memory source="lobe app, gotchas, trust agent-inferred">
//	the text
//	</recalled-memory>
//
// No text and no label can close the fence or open another one: what could be
// read as its tags is written with the sign ‹ inside. Everything else stays as
// it was, code and Chinese included, but for the signs that [FenceSafe] removes.
func Fence(label, text string) string {
	label = strings.Join(strings.Fields(FenceSafe(label)), " ")
	label = strings.Map(func(r rune) rune {
		switch r {
		case '<':
			return '‹'
		case '>':
			return '›'
		case '"':
			return '\''
		}
		return r
	}, label)
	if utf8.RuneCountInString(label) > maxFenceLabel {
		label = string([]rune(label)[:maxFenceLabel-1]) + "…"
	}
	return "<" + fenceName + " source=\"" + label + "\">\n" + strings.TrimRight(FenceSafe(text), "\n") + "\n</" + fenceName + ">"
}

// FenceSafe makes text safe to stand inside a [Fence]. It removes what a person
// cannot see but a model reads (control characters, terminal sequences, zero-width
// signs, the signs that reorder text, invisible tag characters), writes line ends
// as newlines, and takes the bracket from tags by which a host or a model tells
// speakers apart. A joiner inside an emoji or a word of a script that needs it
// stays. Making a safe text safe changes nothing.
func FenceSafe(text string) string {
	text = stripInvisible(text)
	if !strings.ContainsAny(text, "<＜﹤〈❮⟨[") {
		return text
	}
	return fenceTags().ReplaceAllStringFunc(text, func(tag string) string {
		_, size := utf8.DecodeRuneInString(tag)
		return "‹" + tag[size:]
	})
}

// fenceTags matches the openings by which recalled text could pretend to be
// something else: our own fence, the turns of a conversation, tool calls.
var fenceTags = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[<＜﹤〈❮⟨]\s*[/\\]?\s*(?:recalled[\s_\-‐‑‒–—]*memory|system[-_]reminder|(?:antml:)?(?:function_calls|function_results|invoke|parameter)\b|(?:tool|function)_(?:use|call|result|response)s?\b|(?:im_start|im_end)\b|[|｜][\w▁-]{1,40}[|｜]>)|\[\s*/?\s*INST\s*\]|<<\s*/?\s*SYS\s*>>`)
})

var terminalSequence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?:\x1b\\[|\u009b)[0-9;:<=>?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)")
})

// stripInvisible removes signs that are not seen.
func stripInvisible(text string) string {
	if isPlainText(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.ContainsAny(text, "\x1b\u009b") {
		text = terminalSequence().ReplaceAllString(text, "")
	}
	var b strings.Builder
	b.Grow(len(text))
	last := rune(0)
	for at, r := range text {
		switch {
		case r == '\r':
			if strings.HasPrefix(text[at+1:], "\n") {
				continue
			}
			r = '\n'
		case r == '\u2028', r == '\u2029', r == '\u0085', r == '\v', r == '\f':
			r = '\n'
		case r == '\u200c', r == '\u200d':
			next, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
			if !joins(last) || !joins(next) {
				continue
			}
		case isVariation(r):
			if last < 0x80 && !isKeycap(last) || isVariation(last) {
				continue
			}
		case isInvisible(r):
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// isPlainText tells texts of which every sign is seen: printable ASCII and the
// signs of Chinese, which is to say most.
func isPlainText(text string) bool {
	for i := 0; i < len(text); {
		if c := text[i]; c < 0x80 {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r < 0x4e00 || r > 0x9fff {
			return false
		}
		i += size
	}
	return true
}

// joins tells the characters between which a joiner has a meaning: emoji, and
// letters and marks of scripts other than the European and East Asian ones.
func joins(r rune) bool {
	if r < 0x0590 {
		return false
	}
	return unicode.In(r, unicode.So, unicode.Sk, unicode.Mn, unicode.Mc) || r >= 0x2600 && r < 0x2800 ||
		unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

func isVariation(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F }

func isKeycap(r rune) bool { return r == '#' || r == '*' || r >= '0' && r <= '9' }

func isInvisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return true
	case r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u3164', '\uffa0', '\u180b', '\u180c', '\u180d', '\u180f':
		return true
	}
	return false
}
