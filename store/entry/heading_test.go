package entry

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A body that is passed over has no heading.
func TestMayHaveHeading(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", " ", "\t", "#", "# ", "-", "- ", "=", "*", "+", "1.", "2) ", ">", "\n", "\n\n", "```", "x\n", "\r", "\v", "\f", "\x00", "\u00a0", "<b>", "    "})
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "body"), "")
		if mayHaveHeading(body) {
			return
		}
		passed++
		if h := ReadBody(body).Headings; len(h) > 0 {
			t.Fatalf("%q has the headings %q", body, h)
		}
	})
	if passed == 0 {
		t.Fatal("no body was passed over")
	}
}
