package lobes_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memory-mcp/lobes"
)

func TestTimeCodes(t *testing.T) {
	for _, row := range []struct {
		at   time.Duration
		want string
	}{
		{0, "note.wav#00:00:00"},
		{-time.Second, "note.wav#00:00:00"},
		{65*time.Second + 999*time.Millisecond, "note.wav#00:01:05"},
		{time.Hour, "note.wav#01:00:00"},
		{101*time.Hour + 59*time.Minute + 59*time.Second, "note.wav#101:59:59"},
	} {
		if got := lobes.AtTime("note.wav", row.at); got != row.want {
			t.Errorf("%v is written %q, not %q", row.at, got, row.want)
		}
	}
}

// TestSpokenAt asks when each run of words of a recording was said: in the piece
// that holds its first word, unless the same words were said before.
func TestSpokenAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spoken []lobes.Spoken
		var words []string
		var said []time.Duration
		for i, n := 0, rapid.IntRange(0, 6).Draw(t, "pieces"); i < n; i++ {
			piece := rapid.SliceOfN(rapid.StringMatching(`[ab\x{4e2d}]{1,2}`), 0, 4).Draw(t, "words")
			from := time.Duration(i) * time.Second
			blank := rapid.SampledFrom([]string{" ", "  ", "\n"}).Draw(t, "blank")
			spoken = append(spoken, lobes.Spoken{From: from, To: from + time.Second, Text: blank + strings.Join(piece, blank) + blank})
			for _, w := range piece {
				words, said = append(words, w), append(said, from)
			}
		}
		if _, ok := lobes.SpokenAt(spoken, "zz"); ok {
			t.Fatal("what nobody said has a time")
		}
		if _, ok := lobes.SpokenAt(spoken, " "); ok {
			t.Fatal("no words have a time")
		}
		if len(words) == 0 {
			return
		}
		first := rapid.IntRange(0, len(words)-1).Draw(t, "first")
		last := rapid.IntRange(first, len(words)-1).Draw(t, "last")
		quote := strings.Join(words[first:last+1], " ")
		at, ok := lobes.SpokenAt(spoken, strings.ReplaceAll(quote, " ", "\n "))
		if !ok || at > said[first] {
			t.Fatalf("%q was said at %v (%v), not later than %v", quote, at, ok, said[first])
		}
		// Where the words come but once, it is that time.
		if strings.Count(" "+lobes.SpokenText(spoken)+" ", words[first]) == 1 && at != said[first] {
			t.Fatalf("%q was said at %v, not at %v", quote, at, said[first])
		}
	})
}
