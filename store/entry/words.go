package entry

import (
	"slices"
	"strings"
)

// Kinds lists what an entry can be.
func Kinds() []string {
	return []string{"fact", "decision", "preference", "episode", "experience", "summary", "checkpoint", "task", "context"}
}

// Statuses lists the states of an entry. The empty status is "active".
func Statuses() []string {
	return []string{"active", "candidate", "review", "pending", "archived", "superseded"}
}

// Durabilities lists how long an entry is meant to be of use.
func Durabilities() []string { return []string{"reusable", "task_detail"} }

// Trusts lists the levels of trust, highest first.
func Trusts() []Trust { return []Trust{User, AgentConfirmed, AgentInferred} }

// ParseKind reads a kind in any case. The error is a [*WordError].
func ParseKind(s string) (string, error) { return parseWord("kind", s, Kinds()) }

// ParseStatus reads a status in any case. The error is a [*WordError].
func ParseStatus(s string) (string, error) { return parseWord("status", s, Statuses()) }

// ParseDurability reads a durability in any case. The error is a [*WordError].
func ParseDurability(s string) (string, error) { return parseWord("durability", s, Durabilities()) }

// ParseTrust reads a level of trust in any case. The error is a [*WordError].
func ParseTrust(s string) (Trust, error) {
	w, err := parseWord("trust", s, []string{string(User), string(AgentConfirmed), string(AgentInferred)})
	return Trust(w), err
}

func parseTrustFrom(s string) (string, error) {
	return parseWord("trust_from", s, []string{"topic"})
}

func parseWord(what, s string, known []string) (string, error) {
	w := strings.ToLower(strings.TrimSpace(s))
	if slices.Contains(known, w) {
		return w, nil
	}
	return "", &WordError{What: what, Given: s, Near: nearest(w, known), Known: known}
}

// nearest is the known word with the fewest edits to s, if it is close enough
// to have been meant.
func nearest(s string, known []string) string {
	best, cost := "", 4
	for _, k := range known {
		if strings.HasPrefix(k, s) && len(s) >= 3 || strings.HasPrefix(s, k) {
			return k
		}
		if d := distance(s, k); d < cost && d*2 < len(k) {
			best, cost = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance in runes; texts too long to be a slip
// of the pen are infinitely far.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1 << 10
	}
	ra, rb := []rune(a), []rune(b)
	row := make([]int, len(rb)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range ra {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range rb {
			d := diagonal
			if x != y {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(rb)]
}
