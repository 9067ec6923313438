package ops

import (
	"strings"

	"memory-mcp/textanalysis"
)

// fenceTokens is at most what the marks around a fenced text take.
const fenceTokens = 55

// fence marks a text as recalled data that cannot pass for the answer's own
// words, and from which no text inside can break out.
func fence(label, text string) string { return textanalysis.Fence(label, text) }

// safe makes a recalled text fit to be shown: secrets masked, nothing in it
// that only a model reads, no marks by which hosts tell speakers apart.
func safe(s string) string { return masked(textanalysis.FenceSafe(s)) }

// safeLine is a recalled text on one line.
func safeLine(s string) string { return strings.Join(strings.Fields(safe(s)), " ") }

func safeLines(all []string) []string {
	kept := make([]string, len(all))
	for i, s := range all {
		kept[i] = safeLine(s)
	}
	return kept
}

// masked takes the secrets out of a text. Answers are looked at as a whole,
// too: a secret may only show when texts stand together.
func masked(s string) string {
	clean, _ := textanalysis.MaskSecrets(s)
	return clean
}
