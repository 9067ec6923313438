package textanalysis

import (
	"regexp"
	"sort"
	"strings"
	"sync"
)

// A Secret is one masked stretch of a text: text[Start:End] of the text that
// was given to [MaskSecrets]. Rule names what recognised it, Kind says the same
// in words for a person. The value itself is not kept.
type Secret struct {
	Kind  string
	Rule  string
	Start int
	End   int
}

// maxSecretRounds bounds the work on a text in which each mask lays bare a
// further secret; ordinary texts need two.
const maxSecretRounds = 8

// MaskSecrets replaces every secret in text by a mark such as
// "[masked: aws access key]" and says what it found, in order.
//
// A secret is recognised by the shape of its value (a key's prefix and length,
// the password inside a URL, an assignment of a random-looking value to a
// telling name), never because a word like "password" occurs. Placeholders such
// as <token>, ${TOKEN}, xxxx and the vendors' documented examples stay.
//
// Masking a masked text changes nothing. The rules are made at the first call,
// not at the start of the program. Safe for concurrent use.
func MaskSecrets(text string) (masked string, found []Secret) {
	set := loadSecretRules()
	pending := piecesBetweenMarks(text)
	for round := 0; len(pending) > 0; round++ {
		var next []secretPiece
		for _, p := range pending {
			hits := set.scan(text[p.start:p.end])
			if len(hits) == 0 {
				continue
			}
			if round >= maxSecretRounds {
				hits = []Secret{{Kind: hits[0].Kind, Rule: hits[0].Rule, Start: 0, End: p.end - p.start}}
			}
			at := p.start
			for _, h := range hits {
				h.Start, h.End = h.Start+p.start, h.End+p.start
				found = append(found, h)
				next = append(next, secretPiece{at, h.Start})
				at = h.End
			}
			next = append(next, secretPiece{at, p.end})
		}
		pending = next
	}
	if len(found) == 0 {
		return text, nil
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Start < found[j].Start })
	return writeMasks(text, found), found
}

// A secretPiece is a stretch of text without marks. Each is looked at as if it
// stood alone: what a mark hides cannot take part in a match, neither when the
// mark is new nor when the text comes back masked.
type secretPiece struct{ start, end int }

var secretMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[masked: [a-z0-9 ]{1,60}\]`) })

func piecesBetweenMarks(text string) []secretPiece {
	if !strings.Contains(text, "[masked: ") {
		return []secretPiece{{0, len(text)}}
	}
	var pieces []secretPiece
	at := 0
	for _, m := range secretMark().FindAllStringIndex(text, -1) {
		pieces = append(pieces, secretPiece{at, m[0]})
		at = m[1]
	}
	return append(pieces, secretPiece{at, len(text)})
}

func writeMasks(text string, found []Secret) string {
	var b strings.Builder
	at := 0
	for _, s := range found {
		b.WriteString(text[at:s.Start])
		b.WriteString("[masked: " + s.Kind + "]")
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String()
}
