package lobes

import (
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// TestMarksAgreeWithWhatTheyStandFor for texts with signs, white space and
// other scripts: the quick way gives what the long one does.
func TestMarksAgreeWithWhatTheyStandFor(t *testing.T) {
	text := rapid.StringMatching(`([a-cA-C .!?,\t\n\r\x0b\x0c\x1c#-]{0,12}(é|失|。|！|Ａ|\x{85}|\x{a0}|\x{2003}|)){0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		one := text.Draw(t, "text")
		if got, want := textMark(one), hashed(hashBasis^'b', textanalysis.Normalize(one)); got != want {
			t.Fatalf("the mark of %q is %x, want %x", one, got, want)
		}
		e := entry.Entry{Topic: "gotchas", Title: one}
		if got, want := titleMark(&e), hashed(hashed(hashBasis^'t', "gotchas")*hashPrime*hashPrime, titleForm(one)); got != want {
			t.Fatalf("the mark of the title %q is %x, want %x", one, got, want)
		}
	})
}
