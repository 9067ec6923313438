package textanalysis_test

import (
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/textanalysis"
)

// wholeDistance works out the whole table, without regard for limits.
func wholeDistance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

func TestEditDistance(t *testing.T) {
	letters := rapid.SliceOfN(rapid.SampledFrom([]rune("abc缓")), 0, 9)
	rapid.Check(t, func(t *rapid.T) {
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		if rapid.Bool().Draw(t, "long") {
			fill := make([]rune, 60)
			a, b = append(append([]rune("x"), fill...), a...), append(fill, b...)
		}
		limit := rapid.IntRange(0, 6).Draw(t, "limit")
		if got, want := textanalysis.EditDistance(a, b, limit), min(wholeDistance(a, b), limit+1); got != want {
			t.Fatalf("%q to %q within %d: %d, want %d", string(a), string(b), limit, got, want)
		}
	})
	a, b := []rune("getUserName"), []rune("gteUserNames")
	if n := testing.AllocsPerRun(100, func() { textanalysis.EditDistance(a, b, 2) }); n != 0 {
		t.Errorf("a distance between short words allocates %g times", n)
	}
}
