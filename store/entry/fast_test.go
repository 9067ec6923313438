package entry

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is read without the YAML library must be what the library reads.
func TestSimpleValuesAgreeWithYAML(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "Z", "9", "0x1", "no", "null", "~", " ", "  ", "\t", ":", ": ", "#", " #", ",", ", ", "[", "]", "[]", "{", "}", "'", `"`, `\`,
		"-", "- ", "?", "*", "&", "!", "|", ">", "%", "@", "`", "/", "_", "(", ")", ".", "+", "=", "<", "中", "🙂", "\u0301", "\u2028", "\u0085", "\ufeff", "\u00a0", "\r", "\v", "\x00", "\x7f",
		"2026-02-18", "12:30", "C:", "\U000f0001", "---", "..."})
	simple := 0
	rapid.Check(t, func(t *rapid.T) {
		raw := " " + strings.Join(rapid.SliceOfN(pieces, 0, 5).Draw(t, "raw"), "")
		if rapid.Bool().Draw(t, "list") {
			raw = " [" + raw[1:] + "]"
		}
		fast, ok := simpleValue(raw)
		if !ok {
			return
		}
		simple++
		slow, _, err := decodeYAML([]string{"key:" + raw})
		if err != nil || fast.text != slow.text || fast.isList != slow.isList || !slices.Equal(fast.list, slow.list) {
			t.Fatalf("%q: fast %+v, YAML %+v, %v", raw, fast, slow, err)
		}
		if b := (&block{name: "key", text: []string{"key:" + raw}}); afterColon(b.text[0]) != raw {
			t.Fatalf("%q: behind the colon is %q", raw, afterColon(b.text[0]))
		}
	})
	if simple == 0 {
		t.Fatal("no simple value was tried")
	}
}
