package entry_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

// noNUL keeps a generated text to what a record may hold.
func noNUL(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "") }

var genRecord = rapid.Custom(func(t *rapid.T) entry.Record {
	r := entry.Record{
		Kind:     rapid.SampledFrom([]string{entry.RecordFeedback, entry.RecordDeclined, "blend"}).Draw(t, "kind"),
		Recorded: recorded.Add(time.Duration(rapid.Int64().Draw(t, "ns"))),
		Actor:    noNUL(genText.Draw(t, "actor")), Session: noNUL(genLine.Draw(t, "session")), Role: noNUL(genLine.Draw(t, "role")),
		Entries: rapid.SampledFrom([][]string{nil, {"arch-3f7a2b1c"}, {"中文", "a.b", "arch-1"}}).Draw(t, "entries"),
		Text:    noNUL(genText.Draw(t, "text")),
	}
	for _, key := range rapid.SampledFrom([][]string{nil, {"verdict"}, {"zeal", "a_b", "task"}}).Draw(t, "fields") {
		if value := noNUL(genText.Draw(t, key)); value != "" {
			if r.Fields == nil {
				r.Fields = map[string]string{}
			}
			r.Fields[key] = value
		}
	}
	return r
})

func TestRecordLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRecord.Draw(t, "record")
		b, err := r.Format()
		if err != nil {
			t.Fatal(err)
		}
		got, err := entry.ParseRecord(b)
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		if !reflect.DeepEqual(got, r) {
			t.Fatalf("file\n%s\ngot  %#v\nwant %#v", b, got, r)
		}
		name, err := got.Name()
		if err != nil {
			t.Fatal(err)
		}
		month, base, _ := strings.Cut(name, "/")
		key, ok := entry.RecordKey(base)
		if when, err := entry.RevisionTime(key); !ok || key != r.Key() || err != nil || !when.Equal(r.Recorded) || month != entry.RecordMonth(r.Recorded) {
			t.Fatalf("name %q: key %q of %q, %v", name, key, r.Key(), err)
		}
		broken := bytes.Clone(b)
		broken[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 1
		if other, err := entry.ParseRecord(broken); err == nil && other.Key() == r.Key() {
			t.Fatalf("a changed byte is not seen:\n%q", broken)
		}
	})
}

func TestRecordGolden(t *testing.T) {
	r := entry.Record{Kind: entry.RecordFeedback, Recorded: recorded, Actor: "claude-code 2.1.332", Session: "5f0c", Role: "assistant",
		Entries: []string{"exp-3f7a2b1c"}, Fields: map[string]string{"verdict": "counterexample", "task": "move the queue\nto Redis", "change": "7d1f0c2a99b0e4f1"},
		Text: "It hung on macOS.\n---\nkind: none"}
	got, err := r.Format()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := errors.Join(os.MkdirAll("testdata/record", 0o700), os.WriteFile("testdata/record/usual.md", got, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/record/usual.md")
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v: got\n%s\nwant\n%s", err, got, want)
	}
}

func TestBrokenRecords(t *testing.T) {
	paths, err := filepath.Glob("testdata/record/broken-*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no broken records (err %v)", err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := entry.ParseRecord(b); !errors.Is(err, entry.ErrMalformed) || !reflect.DeepEqual(r, entry.Record{}) {
			t.Errorf("%s: %v, %+v", p, err, r)
		}
	}
}

func TestRecordsThatCannotBeWritten(t *testing.T) {
	for name, change := range map[string]func(*entry.Record){
		"no kind":         func(r *entry.Record) { r.Kind = "" },
		"two words":       func(r *entry.Record) { r.Kind = "feed back" },
		"no time":         func(r *entry.Record) { r.Recorded = time.Time{} },
		"year 10000":      func(r *entry.Record) { r.Recorded = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"bad id":          func(r *entry.Record) { r.Entries = []string{"../x"} },
		"a known key":     func(r *entry.Record) { r.Fields = map[string]string{"actor": "x"} },
		"an odd key":      func(r *entry.Record) { r.Fields = map[string]string{"Task 1": "x"} },
		"an empty value":  func(r *entry.Record) { r.Fields = map[string]string{"task": ""} },
		"not UTF-8":       func(r *entry.Record) { r.Actor = "\xff" },
		"NUL in the text": func(r *entry.Record) { r.Text = "a\x00" },
		"too long":        func(r *entry.Record) { r.Text = strings.Repeat("x", entry.MaxRecord) },
	} {
		r := entry.Record{Kind: entry.RecordPaused, Recorded: recorded}
		if _, err := r.Format(); err != nil {
			t.Fatal(err)
		}
		change(&r)
		if b, err := r.Format(); err == nil || b != nil || r.Key() != "" {
			t.Errorf("%s: written as %q, key %q", name, b, r.Key())
		}
	}
}

// What is kept of a record when an entry is erased tells nothing of it.
func TestRecordWithout(t *testing.T) {
	r := entry.Record{Kind: entry.RecordDeclined, Recorded: recorded, Actor: "m", Entries: []string{"a", "b", "c"},
		Fields: map[string]string{"states": "1 2 3"}, Text: "zanzibar"}
	got, ok := r.Without(func(id string) bool { return id == "b" })
	if !ok || !slices.Equal(got.Entries, []string{"a", "c"}) || got.Fields != nil || got.Text != "" || got.Actor != "m" || len(r.Entries) != 3 {
		t.Errorf("%+v, %v", got, ok)
	}
	if _, ok := r.Without(func(string) bool { return true }); ok {
		t.Error("something is kept of a record of nothing")
	}
}
