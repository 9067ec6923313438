package textanalysis

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNeedsLeaveNothingOut compares patterns that are tried where all is there
// that they need with the same patterns tried at every cue.
func TestNeedsLeaveNothingOut(t *testing.T) {
	for name, set := range map[string]*textPatterns{"instruction": instructionPatterns(), "durability": durabilityPatterns()} {
		wide := *set
		wide.needs = make([]need, len(set.list))
		asking := 0
		var parts []string
		for i, p := range set.list {
			if !set.needs[i].holdsAlways() {
				asking++
			}
			parts = append(parts, p.cues...)
		}
		if name == "instruction" && asking < len(set.list)/2 {
			t.Errorf("%s: only %d of %d patterns need anything", name, asking, len(set.list))
		}
		for _, word := range set.words.words {
			if len(word) > 2 {
				parts = append(parts, word)
			}
		}
		parts = append(parts, " ", " ", " ", ". ", ": ", " the ", " to ", " all ", " previous ", "，", "\n")
		rapid.Check(t, func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 14).Draw(t, "parts"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
			if got, want := set.find(text, text), wide.find(text, text); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %q: with needs %+v, without %+v", name, text, got, want)
			}
		})
	}
}

func TestNeedOf(t *testing.T) {
	for _, c := range []struct {
		expr, yes, no string
	}{
		{`(?:^|[^a-z])(?:call|invoke) (?:the )?(?:tool|function) [a-z]+`, "invoke the tool x", "call x"},
		{`(?:forget|follow|ignore)(?: all)? rules?`, "ignore rules", "fo rules"},
		{`x{2,3}foo+bar`, "foobar", "fobr"},
		{`(?:send|post) .{0,9}(?:key|token)|exfiltrate`, "exfiltrate", "send it"},
		{`(?i)secret`, "nothing", ""},
		{`colou?r`, "color", "colo"},
	} {
		table := newNeedTable()
		n := table.needOf(c.expr)
		for text, want := range map[string]bool{c.yes: true, c.no: false} {
			if got := table.look(text).holds(n); text != "" && got != want {
				t.Errorf("%s in %q: %t, want %t (needs %v of %q)", c.expr, text, got, want, n, table.words)
			}
		}
	}
}

// TestQuickViewsHideNothing compares the quick looks at what a view would
// change with the change itself.
func TestQuickViewsHideNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abi g _-.*/|+0134 7@$!Z缓存· \n")), 0, 60, -1).Draw(t, "text")
		plain := plainView(text)
		if !hasSpacedLetters(plain) && spacedLetters().MatchString(plain) {
			t.Fatalf("spaced letters in %q are not seen", plain)
		}
		if !strings.ContainsAny(plain, digitsForLetters) && strings.Map(letterOfDigit, plain) != plain {
			t.Fatalf("digits in %q are not seen", plain)
		}
		long := rapid.StringMatching(`[A-Za-z0-9+/ .]{0,80}`).Draw(t, "long")
		if !hasLongRun(long) && base64Run().MatchString(long) {
			t.Fatalf("a run in %q is not seen", long)
		}
	})
	if !regexp.MustCompile(`[a-z]`).MatchString(plainView("ABC")) {
		t.Error("a plain view is not in lower case")
	}
}
