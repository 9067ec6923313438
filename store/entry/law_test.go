package entry_test

import (
	"bytes"
	"reflect"
	"testing"

	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

func TestFormatParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry.Draw(t, "entry")
		want := entry.Normal(e)
		if again := entry.Normal(want); !reflect.DeepEqual(again, want) {
			t.Fatalf("Normal is not stable:\n%#v\n%#v", want, again)
		}
		b := e.Format()
		got, err := entry.Parse(b)
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("file\n%s\ngot  %#v\nwant %#v", b, got, want)
		}
	})
}

func TestRewriteLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := genFile.Draw(t, "old")
		have, err := entry.Parse(old)
		if err != nil {
			if !reflect.DeepEqual(have, entry.Entry{}) {
				t.Fatalf("an error and a value: %#v", have)
			}
			t.Skip("malformed")
		}
		checkRewrite(t, old, have, have)
		checkRewrite(t, old, have, genChange(t, have))
	})
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// checkRewrite holds a rewrite against the laws.
func checkRewrite(t fataler, old []byte, have, e entry.Entry) {
	t.Helper()
	out, err := entry.Rewrite(old, e)
	if err != nil {
		t.Fatalf("rewrite: %v\nold\n%q\nentry %#v", err, old, e)
	}
	got, err := entry.Parse(out)
	if err != nil {
		t.Fatalf("parse the rewritten file: %v\nold\n%q\nnew\n%q", err, old, out)
	}
	if want := entry.Normal(e); !reflect.DeepEqual(got, want) {
		t.Fatalf("old\n%q\nnew\n%q\ngot  %#v\nwant %#v", old, out, got, want)
	}
	if reflect.DeepEqual(have, e) && !bytes.Equal(old, out) {
		t.Fatalf("nothing differs, but the file does:\nold %q\nnew %q", old, out)
	}
}

// genFile draws files of every form.
var genFile = rapid.Custom(func(t *rapid.T) []byte {
	switch rapid.IntRange(0, 3).Draw(t, "form") {
	case 0:
		return []byte(genText.Draw(t, "text"))
	case 1:
		return genEntry.Draw(t, "entry").Format()
	case 2:
		return genBullets(t)
	}
	return genFront(t)
})

var headerLines = []string{
	"id: arch-1", "topic: general", "topic:   Modules/X  # why", "title: from key", "tags: a, b", "tags: [a, \"b, c\"]", "tags:\n  - a # first\n  - 'b'",
	"tags:\n- a\n\n# c\n- b", "tags: [a,\n  b]", "# comment", "", "mood: *x", "deep:\n  a: 1\n  b: [2]", "problem: |\n  one\n\n  two", "problem: >-\n  folded\n  text",
	"trust: user # by hand", "trust:", "confidence: .5", "created: 2026-02-18", "created: 2026-02-18T12:00:00.5+14:00", "branch: a: b", `branch: "C:\Users"`,
	"source: x", "\"gitSha\": 12", "my key: x", "quote: \"a\\nb\"", "valid_until: ~", "verified: 2026-02-18",
}

func genFront(t *rapid.T) []byte {
	text := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + "---\n"
	for _, l := range rapid.SliceOfNDistinct(rapid.SampledFrom(headerLines), 0, 6, rapid.ID[string]).Draw(t, "lines") {
		text += l + "\n"
	}
	text += rapid.SampledFrom([]string{"---\n", "...\n", "---", "---  \n\n"}).Draw(t, "close") + genText.Draw(t, "body")
	return lineEnds(t, text)
}

func genBullets(t *rapid.T) []byte {
	text := rapid.SampledFrom([]string{"# T\n", "\n# T\n\n", "\ufeff# T #\n"}).Draw(t, "title") + "- **id**: arch-1\n- **topic**: general\n"
	for _, l := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"- **source**: a, \"b, c\"", "- **tags**: a", "- **mood**: \"x", "- **trust**:user", "- **created**: 2026-02-18",
		"- **quote**: \"a\\nb\""}), 0, 4, rapid.ID[string]).Draw(t, "lines") {
		text += l + "\n"
	}
	return lineEnds(t, text+rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "gap")+genText.Draw(t, "body"))
}

func lineEnds(t *rapid.T, text string) []byte {
	if rapid.Bool().Draw(t, "crlf") {
		return bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\r\n"))
	}
	return []byte(text)
}

// genChange changes some fields.
func genChange(t *rapid.T, e entry.Entry) entry.Entry {
	other := entry.Normal(genEntry.Draw(t, "other"))
	if e.ID != "" && e.Topic != "" || rapid.Bool().Draw(t, "name") {
		e.ID, e.Topic = other.ID, other.Topic
	}
	v, w := reflect.ValueOf(&e).Elem(), reflect.ValueOf(other)
	for i := 2; i < v.NumField(); i++ {
		if rapid.IntRange(0, 3).Draw(t, v.Type().Field(i).Name) == 0 {
			v.Field(i).Set(w.Field(i))
		}
	}
	return e
}
