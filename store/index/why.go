package index

import (
	"fmt"
	"strings"
)

// Why tells a person in one line where the hit's score comes from.
func (h Hit) Why() string {
	var parts []string
	for _, field := range []string{"title", "body", "files", "date"} {
		var words []string
		for _, r := range h.Reasons {
			switch {
			case r.Field != field:
			case r.Kind == "term":
				words = append(words, r.Term)
			case r.Kind == "expansion":
				words = append(words, fmt.Sprintf("%s (for %s)", r.Term, r.For))
			}
		}
		if len(words) > 0 {
			parts = append(parts, field+": "+strings.Join(words, ", "))
		}
	}
	for _, r := range h.Reasons {
		switch r.Kind {
		case "near":
			parts = append(parts, "words close together")
		case "context":
			parts = append(parts, "words of its neighbours")
		}
	}
	return strings.Join(parts, "; ")
}
