package textanalysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Fold returns the text in the form in which words are looked for: valid
// UTF-8, composed (NFC), full-width letters as plain ones. Most texts come
// back as they are, without a copy.
func Fold(text string) string {
	wide, ascii := needsFolding(text)
	if ascii {
		return text
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if wide {
		text = width.Fold.String(text)
	}
	if !norm.NFC.IsNormalString(text) {
		text = norm.NFC.String(text)
	}
	return text
}

func needsFolding(text string) (wide, ascii bool) {
	ascii = true
	for i := 0; i < len(text); i++ {
		if text[i] < utf8.RuneSelf {
			continue
		}
		ascii = false
		// Half-width and full-width forms all start with this byte.
		if text[i] == 0xEF {
			return true, false
		}
	}
	return false, ascii
}

// Normalize returns the text in a form in which two texts that differ only in
// case, width, composition, white space or a final stop are equal.
func Normalize(text string) string {
	text = strings.ToLower(Fold(text))
	text = strings.Join(strings.Fields(text), " ")
	return strings.TrimRight(text, ".。!！ ")
}

// plainLatin removes the accents of Latin letters, so that "café" and "cafe"
// are one word. Letters of other scripts keep their marks.
func plainLatin(word string) string {
	plain := true
	for i := 0; i < len(word); i++ {
		if word[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return word
	}
	var b strings.Builder
	latin := false
	for _, r := range norm.NFD.String(word) {
		if unicode.Is(unicode.Mn, r) && latin {
			continue
		}
		latin = unicode.Is(unicode.Latin, r)
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}
