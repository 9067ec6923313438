package textanalysis

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns up to n of the known words that were probably meant: those
// that begin alike or are few edits away, the most likely first.
func Nearest(word string, known []string, n int) []string {
	type near struct {
		name     string
		distance int
	}
	want := []rune(strings.ToLower(Fold(word)))
	if len(want) == 0 || len(want) > longestCompared {
		return []string{}
	}
	limit := max(1, len(want)/3)
	var found []near
	for _, k := range known {
		have := []rune(strings.ToLower(Fold(k)))
		d := EditDistance(want, have, limit)
		switch {
		case len(have) == 0:
			continue
		case d <= limit:
		case strings.HasPrefix(string(have), string(want)), len(have) > 2 && strings.HasPrefix(string(want), string(have)):
			d = limit + 1
		default:
			continue
		}
		found = append(found, near{k, d})
	}
	slices.SortStableFunc(found, func(x, y near) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(x.name, y.name))
	})
	names := make([]string, 0, n)
	for _, f := range found[:min(n, len(found))] {
		names = append(names, f.name)
	}
	return names
}

// longestCompared bounds the work of one comparison; nobody mistypes a name of
// this length.
const longestCompared = 200

// EditDistance is how many letters must be put in, taken out, changed or
// swapped with their neighbour to turn a into b. Beyond the limit it is
// limit+1.
func EditDistance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			best = min(best, d)
		}
		if best > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}
