package entry

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const maxTags = 10

// CleanTags brings tags into their one form: lower case, words of any script
// joined by hyphens, 2 to 50 characters (a single Han character is a word), each
// once, at most 10. It gives back as dropped what it could not keep.
func CleanTags(tags []string) (kept, dropped []string) {
	for _, given := range tags {
		tag := cleanTag(given)
		switch {
		case slices.Contains(kept, tag):
		case tag == "" || len(kept) == maxTags:
			dropped = append(dropped, given)
		default:
			kept = append(kept, tag)
		}
	}
	return kept, dropped
}

// cleanTag gives "" for a text that cannot be a tag.
func cleanTag(s string) string {
	s = norm.NFC.String(strings.ToLower(norm.NFC.String(strings.ToValidUTF8(s, " "))))
	tag := strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !isAlnum(r) && !(r >= 0x80 && unicode.IsMark(r))
	}), "-")
	first, _ := utf8.DecodeRuneInString(tag)
	n := utf8.RuneCountInString(tag)
	if !isAlnum(first) || n > 50 || n < 2 && !unicode.Is(unicode.Han, first) {
		return ""
	}
	return tag
}
