package llm

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// namePattern finds what may be an identifier, a path, a command's flag, a
// version or a number.
var namePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`[^`\n]+`|[A-Za-z0-9_$@./:#+\\-]*[A-Za-z0-9_$]")
})

// Invented gives a name in a text that its source does not have, in any case of
// letters; "" when there is none. A name is what nobody may have made up: a word
// in backticks, with a digit, with a sign within, or with a capital letter
// within. Models that rewrite a text tend to repair and to complete names.
func Invented(text, source string) string {
	source = strings.ToLower(source)
	for _, name := range names(text) {
		if !hasName(source, strings.ToLower(name)) {
			return name
		}
	}
	return ""
}

// hasName tells whether a name stands in a source whole: 80 is not in 8080.
func hasName(source, name string) bool {
	for from := 0; ; {
		i := strings.Index(source[from:], name)
		if i < 0 {
			return false
		}
		at := from + i
		if wholeName(source[:at], name, source[at+len(name):]) {
			return true
		}
		from = at + 1
	}
}

// wholeName tells whether a name goes on neither in what is before it nor in
// what follows. A number ends at a letter, since 10 ms is 10ms; a name may be
// told without what is reached through it, but a path not without its end.
func wholeName(before, name, after string) bool {
	number := !strings.ContainsFunc(name, unicode.IsLetter)
	goes := func(b byte) bool { return digit(b) || !number && (b == '_' || b >= 'a' && b <= 'z') }
	first, last := name[0], name[len(name)-1]
	if n := len(before); n > 0 && goes(first) && goes(before[n-1]) || n > 1 && digit(first) && before[n-1] == '.' && digit(before[n-2]) {
		return false
	}
	if after == "" {
		return true
	}
	if after[0] == '.' && len(after) > 1 {
		path := strings.ContainsRune(name, '/') && goes(after[1])
		return !path && (!digit(last) || !digit(after[1]))
	}
	return !goes(last) || !goes(after[0])
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

func names(text string) []string {
	var found []string
	for _, word := range namePattern().FindAllString(text, -1) {
		quoted := strings.HasPrefix(word, "`")
		word = strings.Trim(word, "`.:,;-+#/")
		if word != "" && (quoted || named(word)) {
			found = append(found, word)
		}
	}
	return found
}

func named(word string) bool {
	if strings.ContainsFunc(word, unicode.IsDigit) || strings.ContainsAny(word, "_$@/") {
		return true
	}
	for i, r := range word {
		switch {
		case i == 0:
		case r == '.' || r == ':':
			return true
		case unicode.IsUpper(r) && word != strings.ToUpper(word) && word[i-1] != '-':
			return true
		}
	}
	return false
}

// tongueFrom is how many letters a text needs to have a language.
const tongueFrom = 12

func letters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// SameTongue tells whether two texts are both Chinese, or both not. A text of a
// few letters has no language.
func SameTongue(a, b string) bool {
	return letters(a) < tongueFrom || letters(b) < tongueFrom || isHan(a) == isHan(b)
}

// isHan tells whether a text is Chinese, with names in it or not: a Chinese
// character says about as much as three letters.
func isHan(text string) bool {
	han, other := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.IsLetter(r):
			other++
		}
	}
	return han > 0 && 3*han >= other
}
