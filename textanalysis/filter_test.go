package textanalysis_test

import (
	"reflect"
	"strings"
	"testing"

	"memory-mcp/textanalysis"
)

func TestParseFilter(t *testing.T) {
	tests := []struct {
		text, want string // want is the filter's own form
		kind       textanalysis.FilterKind
	}{
		{"", "", textanalysis.FilterNone},
		{"cache stale", "cache stale", textanalysis.FilterKeywords},
		{"cache|stale", "cache | stale", textanalysis.FilterKeywords},
		{"| |cache||", "cache", textanalysis.FilterKeywords},
		{"-cache", "-cache", textanalysis.FilterKeywords},
		{"--json", "json", textanalysis.FilterKeywords},
		{"#Build", "#build", textanalysis.FilterTags},
		{`#"Two words"`, `#"two words"`, textanalysis.FilterTags},
		{"-#build", "-#build", textanalysis.FilterTags},
		{"=exceptions", "=exceptions", textanalysis.FilterKeywords},
		{`"go build" x`, `"go build" x`, textanalysis.FilterKeywords},
		{`-"go build"`, `-"go build"`, textanalysis.FilterKeywords},
		{`="go build"`, `="go build"`, textanalysis.FilterKeywords},
		{"“go build”", `"go build"`, textanalysis.FilterKeywords},
		{`"never closed`, "never closed", textanalysis.FilterKeywords},
		{`"a|b"`, `"a|b"`, textanalysis.FilterKeywords},
		{"subject:Parser x", "subject:parser x", textanalysis.FilterMixed},
		{"cache #x", "cache #x", textanalysis.FilterMixed},
		{"- # = subject: --", "", textanalysis.FilterNone},
		{"!!! ???", "", textanalysis.FilterNone},
		{"a\x00b", "ab", textanalysis.FilterKeywords},
		{"the", "the", textanalysis.FilterKeywords},
		{"＃ｂｕｉｌｄ", "#build", textanalysis.FilterTags},
		{"缓存 -失效", "缓存 -失效", textanalysis.FilterKeywords},
	}
	for _, tt := range tests {
		f := textanalysis.ParseFilter(tt.text)
		if got := f.String(); got != tt.want || f.Kind() != tt.kind {
			t.Errorf("%q reads as %q (%s), want %q (%s)", tt.text, got, f.Kind(), tt.want, tt.kind)
		}
	}
}

func TestLargeFilters(t *testing.T) {
	many := textanalysis.ParseFilter(strings.Repeat("word ", 50000))
	if n := len(many.Alternatives()[0]); n > 10000 {
		t.Errorf("a filter has %d conditions", n)
	}
	late := textanalysis.ParseFilter(strings.Repeat("of the ", 15000) + "wombat")
	if words := late.Words(); !strings.HasSuffix(words, "wombat") {
		t.Errorf("the last word of a long filter is lost: it ends in %q", words[max(0, len(words)-20):])
	}
	textanalysis.ParseFilter(strings.Repeat(`"`, 100_000))
	textanalysis.ParseFilter(strings.Repeat("|-#=", 25_000))
}

func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{
		"", "a b|c", `-"x y" #t`, "=", "subject:\"a b\"|-subject:c", "“缓存” ｜ －失效", "\x00\xff", `""" "`, "--=#x", "-=\"a\"", "a|\"b", "e\u0301 |", "\u00a7subject:c", "?subject:?subject:x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		one := textanalysis.ParseFilter(text)
		two := textanalysis.ParseFilter(one.String())
		if !reflect.DeepEqual(one, two) {
			t.Fatalf("%q reads as %q, and that as %q", text, one, two)
		}
		for _, a := range one.Alternatives() {
			if len(a) == 0 {
				t.Fatalf("%q has an empty alternative", text)
			}
		}
		one.Kind()
		one.Words()
	})
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "getUserName v1.2.3", "缓存失效refresh_cache", "don't C++ C# std::string", "\xff\x00é", "a.b.c.d.e.f.g.h.i.j.k", "İstanbul ǅ"} {
		f.Add(s)
	}
	a := textanalysis.New(textanalysis.Options{})
	f.Fuzz(func(t *testing.T, text string) {
		folded := textanalysis.Fold(text)
		last := 0
		for _, token := range a.Tokens(text) {
			if token.Text == "" || token.Stem == "" || token.Start < 0 || token.End > len(folded) || token.Start >= token.End {
				t.Fatalf("%q gives the token %+v", text, token)
			}
			if token.Counted() {
				if token.Pos < last {
					t.Fatalf("%q gives place %d after %d", text, token.Pos, last)
				}
				last = token.Pos
			}
		}
		textanalysis.SameFacts(text, folded)
		textanalysis.CommitKind(text)
		if n := textanalysis.Normalize(text); n != textanalysis.Normalize(n) {
			t.Fatalf("%q is normalised twice to %q", text, textanalysis.Normalize(n))
		}
	})
}
