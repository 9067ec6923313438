package config

import (
	"fmt"
	"strings"
)

// Problem is one thing about the configuration that a person should know.
type Problem struct {
	// File is the configuration file, empty for an environment variable.
	File string
	// Line is the line in File, 0 when there is none.
	Line int
	// Key is the dotted key or the variable.
	Key string
	// What is wrong, with the value.
	What string
	// Near is the nearest known key or word, empty when nothing is near.
	Near string
	// Remedy is what to do about it.
	Remedy string
}

// String is the whole problem in one line.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.What)
	if p.Near != "" {
		fmt.Fprintf(&b, "; did you mean %q?", p.Near)
	}
	if p.Remedy != "" {
		b.WriteString("; " + p.Remedy)
	}
	return b.String()
}

// Error is a configuration that cannot be used. The caller keeps the one that
// it has, or starts in safe mode.
type Error struct {
	Problem
	// Err is the cause, nil when the text itself is at fault.
	Err error
}

// Error is the problem in one line.
func (e *Error) Error() string {
	return e.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	return e.Err
}

// nearest returns the known word that was probably meant, or nothing. Case,
// underscores and hyphens do not count as a difference.
func nearest(word string, known []string) string {
	best, bestDistance := "", 1+max(1, min(3, len(word)/3))
	for _, k := range known {
		if d := distance(plain(word), plain(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

func plain(s string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(s))
}

// distance counts the letters to add, drop, change or swap with a neighbour.
// Long words are cut: nothing that long is a misspelt key.
func distance(a, b string) int {
	ra, rb := cut([]rune(a)), cut([]rune(b))
	rows := make([][]int, len(ra)+1)
	for i := range rows {
		rows[i] = make([]int, len(rb)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(ra); i++ {
		for j := 1; j <= len(rb); j++ {
			rows[i][j] = step(rows, ra, rb, i, j)
		}
	}
	return rows[len(ra)][len(rb)]
}

func step(rows [][]int, a, b []rune, i, j int) int {
	change := 1
	if a[i-1] == b[j-1] {
		change = 0
	}
	d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		d = min(d, rows[i-2][j-2]+1)
	}
	return d
}

func cut(r []rune) []rune {
	return r[:min(len(r), 48)]
}
