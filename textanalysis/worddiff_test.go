package textanalysis_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/textanalysis"
)

func TestDiffWords(t *testing.T) {
	p := func(what, text string) textanalysis.Piece { return textanalysis.Piece{What: what, Text: text} }
	for _, tt := range []struct {
		name, before, after string
		around              int
		want                []textanalysis.Piece
	}{
		{"equal", "a b", "a b", -1, []textanalysis.Piece{}},
		{"a word", "deploys via Heroku.", "deploys via Fly.io.", -1, []textanalysis.Piece{p("same", "deploys via "), p("removed", "Heroku"), p("added", "Fly.io"), p("same", ".")}},
		{"from nothing", "", "new", -1, []textanalysis.Piece{p("added", "new")}},
		{"to nothing", "old", "", -1, []textanalysis.Piece{p("removed", "old")}},
		{"Chinese by the character", "端口是八千", "端口是九千", -1, []textanalysis.Piece{p("same", "端口是"), p("removed", "八"), p("added", "九"), p("same", "千")}},
		{"shortened", "one two three four five six seven eight nine ten", "one two three four five six seven eight nine eleven", 2, []textanalysis.Piece{p("same", " … eight nine "), p("removed", "ten"), p("added", "eleven")}},
		{"not UTF-8", "a \xff b", "a \xff c", -1, []textanalysis.Piece{p("same", "a \xff "), p("removed", "b"), p("added", "c")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := textanalysis.DiffWords(tt.before, tt.after, tt.around); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestDiffWordsHoldsBothTexts takes the two texts out of the difference again.
func TestDiffWordsHoldsBothTexts(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "cd", " ", "\n", ".", "好", "é", "\xff", "\x00", "👍🏽"}), 0, 40)
	rapid.Check(t, func(t *rapid.T) {
		before, after := strings.Join(words.Draw(t, "before"), ""), strings.Join(words.Draw(t, "after"), "")
		var was, is strings.Builder
		for _, p := range textanalysis.DiffWords(before, after, -1) {
			if p.What != textanalysis.Added {
				was.WriteString(p.Text)
			}
			if p.What != textanalysis.Removed {
				is.WriteString(p.Text)
			}
		}
		if before != after && (was.String() != before || is.String() != after) {
			t.Fatalf("%q to %q came out as %q to %q", before, after, was.String(), is.String())
		}
	})
}

// TestDiffWordsOfHugeTexts has more words than there are numbers below the
// surrogates, and little in common.
func TestDiffWordsOfHugeTexts(t *testing.T) {
	var a, b strings.Builder
	for i := range 60_000 {
		a.WriteString(strings.Repeat("x", i%7) + string(rune('a'+i%26)) + " ")
		b.WriteString(strings.Repeat("y", i%11) + string(rune('a'+i%25)) + " ")
	}
	if got := textanalysis.DiffWords(a.String(), b.String(), 3); len(got) == 0 {
		t.Error("no difference was found")
	}
}
