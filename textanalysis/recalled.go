package textanalysis

import (
	"regexp"
	"strings"
	"sync"
)

var fencedText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<` + fenceName + `\b[^>]*>.*?(?:</` + fenceName + `\s*>|\z)`)
})

// DropFenced takes what stands in a [Fence] out of a text, the fence included:
// what was recalled is no news. A fence that is never closed reaches to the end.
func DropFenced(text string) string {
	if !strings.Contains(text, "<"+fenceName) {
		return text
	}
	return fencedText().ReplaceAllString(text, "")
}
