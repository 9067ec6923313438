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
	// What both begin and end with costs nothing.
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return min(max(len(a), len(b)), limit+1)
	}
	const short = 48
	var rows [3][short + 1]int
	if len(b) <= short {
		return editDistance(a, b, limit, rows[0][:], rows[1][:], rows[2][:])
	}
	n := len(b) + 1
	return editDistance(a, b, limit, make([]int, n), make([]int, n), make([]int, n))
}

// editDistance works out the rows of the table of distances between what both
// begin with, and of each row only what may lie within the limit.
func editDistance(a, b []rune, limit int, before, last, row []int) int {
	beyond := limit + 1
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		row[from-1] = beyond
		if from == 1 {
			row[0] = i
		}
		best := row[from-1]
		for j := from; j <= to; j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(row[j-1]+1, last[j-1]+cost)
			if j < i+limit {
				d = min(d, last[j]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			best = min(best, d)
		}
		if best > limit {
			return beyond
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], beyond)
}
