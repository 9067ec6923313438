package textanalysis

import (
	"regexp"
	"strings"
	"sync"
)

var fencedText = sync.OnceValue(func() *regexp.Regexp {
	const head = `(?:^[\d ]+(?:of \d+ )?memor(?:y|ies) in [^\n]*\n\s*)?`
	const foot = `(?:Left out:|Full text(?: of then)?:|Matched:|Tags here:|CONFLICT \(\d|\d+ hits? (?:is|are) not shown|Lobe \S+ was not searched:|VANISHED: \d)`
	return regexp.MustCompile(`(?ms)` + head + `<` + fenceName + `\b[^>]*>.*?(?:</` + fenceName + `\s*>|\z)(?:\s*\n` + foot + `[^\n]*)*`)
})

// DropFenced takes what stands in a [Fence] out of a text, the fence included:
// what was recalled is no news. So are the lines about it that an answer has
// right before and after. A fence that is never closed reaches to the end.
func DropFenced(text string) string {
	if !strings.Contains(text, "<"+fenceName) {
		return text
	}
	return fencedText().ReplaceAllString(text, "")
}
