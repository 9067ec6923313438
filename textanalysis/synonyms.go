package textanalysis

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed synonyms.txt
var synonymGroups string

// Synonyms returns the words that mean much the same as the one with the given
// English stem.
func Synonyms(stem string) []string { return synonymTable()[stem] }

// synonymTable reads the groups once, when they are first asked for.
var synonymTable = sync.OnceValue(buildSynonyms)

func buildSynonyms() map[string][]string {
	a := New(Options{})
	table := make(map[string][]string)
	for line := range strings.Lines(synonymGroups) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		group := strings.Fields(line)
		for _, w := range group {
			stem := a.Stem(w)
			for _, other := range group {
				if a.Stem(other) != stem {
					table[stem] = append(table[stem], other)
				}
			}
		}
	}
	return table
}
