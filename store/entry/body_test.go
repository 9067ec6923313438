package entry_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"memory-mcp/store/entry"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

const markdown = "# Head *one*\n\nSome **bold** `code span` and [a link](https://e.org/x \"t\"), <https://auto.org>, www.bare.org;\n" +
	"soft break &amp; \\*literal\\*.  \nHard break ![image](pic.png) <b>tag</b><!-- hidden -->\n\n" +
	"Setext\n------\n\n```go title\nx := \"# no heading\"\n```\n\n    indented\n\n" +
	"| a | b |\n|---|---|\n| 1 | `two` |\n\n- [x] done\n- item\n  - inner [ref][r]\n\n> quoted\n\n<div>\nhtml <i>text</i>\n</div>\n\n<!-- gone -->\n\n[r]: ../ref.md\n"

func TestReadBody(t *testing.T) {
	got := entry.ReadBody(markdown)
	want := entry.Outline{
		Headings: []string{"Head one", "Setext"},
		Links: []entry.Link{{"a link", "https://e.org/x"}, {"https://auto.org", "https://auto.org"}, {"www.bare.org", "http://www.bare.org"},
			{"image", "pic.png"}, {"ref", "../ref.md"}},
		Code:   []string{"code span", "two"},
		Fences: []entry.Fence{{"go", "x := \"# no heading\""}, {"", "indented"}},
		Text: "Head one\nSome bold code span and a link, https://auto.org, www.bare.org; soft break & *literal*.\nHard break image tag\n" +
			"Setext\nx := \"# no heading\"\nindented\na b\n1 two\ndone\nitem\ninner ref\nquoted\nhtml text",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
	if got := entry.ReadBody(""); !reflect.DeepEqual(got, entry.Outline{}) {
		t.Errorf("of nothing: %#v", got)
	}
}

// Texts over which a reader of Markdown takes the square of their length are
// read all the same; their words are found.
func TestReadBodyOfHostileText(t *testing.T) {
	for _, piece := range []string{"> ", "[a](", "[", "*a "} {
		body := "# Title\n\n" + strings.Repeat(piece, 1<<20/len(piece)) + "needle"
		if got := entry.ReadBody(body); !strings.HasSuffix(got.Text, "needle") {
			t.Errorf("%q: the end is not read", piece)
		}
		if got := entry.Excerpt(body, 20); utf8.RuneCountInString(got) > 20 {
			t.Errorf("%q: excerpt %q", piece, got)
		}
		if e, err := entry.Parse([]byte(body)); err != nil || e.Title != "Title" {
			t.Errorf("%q: title %q, %v", piece, e.Title, err)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		body  string
		limit int
		want  string
	}{
		{"", 10, ""},
		{"text", 0, ""},
		{"# Head\n\n**First** [prose](x)\nover lines.\n\nSecond.", 100, "First prose over lines. Second."},
		{"# Head\n\nOne two three four", 12, "One two…"},
		{"One two three", 13, "One two three"},
		{"One two, three", 10, "One two…"},
		{"```\ncode only\n```", 20, "code only"},
		{"## Only a heading", 20, "Only a heading"},
		{"| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter the table", 50, "After the table"},
		{"- first\n- second", 50, "first second"},
		{strings.Repeat("字", 20), 5, "字字字字…"},
		{"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 8, "👩‍👩‍👧…"},
		{"e\u0301e\u0301e\u0301", 4, "e\u0301…"},
		{"abcdefghij", 1, "…"},
		{"<!-- c -->\n\ntext", 9, "text"},
	} {
		if got := entry.Excerpt(c.body, c.limit); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.body, c.limit, got, c.want)
		}
	}
}

func TestExcerptLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, limit := genText.Draw(t, "body"), rapid.IntRange(0, 40).Draw(t, "limit")
		got := entry.Excerpt(body, limit)
		if n := utf8.RuneCountInString(got); n > limit || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r") {
			t.Fatalf("%q in %d: %q (%d)", body, limit, got, n)
		}
		whole := entry.Excerpt(body, 1<<20)
		cut := strings.TrimSuffix(got, "…")
		if got != whole && !strings.HasPrefix(whole, cut) {
			t.Fatalf("%q does not begin with %q", whole, cut)
		}
		bounds := map[int]bool{len(whole): true}
		for g := uniseg.NewGraphemes(whole); g.Next(); {
			from, _ := g.Positions()
			bounds[from] = true
		}
		if got != "" && !bounds[len(cut)] {
			t.Fatalf("%q is cut within a character: %q", whole, cut)
		}
	})
}
