package entry_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

var recorded = time.Date(2026, 11, 30, 2, 15, 0, 123456789, time.UTC)

const parentKey = "20261130T021400.000000000Z-0011223344556677"

var genRevision = rapid.Custom(func(t *rapid.T) entry.Revision {
	r := entry.Revision{
		ID:       rapid.SampledFrom([]string{"arch-3f7a2b1c", "a.b.20261130T021400.000000000Z", "中文"}).Draw(t, "id"),
		Recorded: recorded.Add(time.Duration(rapid.Int64().Draw(t, "ns"))),
		Actor:    genText.Draw(t, "actor"),
		Op: rapid.SampledFrom([]entry.Op{entry.OpCreate, entry.OpReplace, entry.OpAppend, entry.OpEdit, entry.OpConfirm,
			entry.OpRetract, entry.OpRestore, entry.OpAdopt, entry.OpErase, entry.OpLate, entry.OpSupersede, entry.OpUndo, entry.OpMove,
			entry.OpArchive, entry.OpBlank}).Draw(t, "op"),
	}
	if r.Op == entry.OpErase {
		return r
	}
	r.Parents = rapid.SampledFrom([][]string{nil, {parentKey}, {parentKey, parentKey}}).Draw(t, "parents")
	if r.Op == entry.OpBlank {
		r.Change, r.Instead, r.Eraser = genLine.Draw(t, "change"), []string{parentKey}, genText.Draw(t, "eraser")
		r.Was = rapid.SampledFrom([]entry.Op{entry.OpCreate, entry.OpLate, "blend"}).Draw(t, "was")
		r.Erased = recorded.Add(time.Duration(rapid.Int64().Draw(t, "erased")))
		return r
	}
	r.Instead = rapid.SampledFrom([][]string{nil, {parentKey}, {parentKey, parentKey}}).Draw(t, "instead")
	r.Session, r.Role = genLine.Draw(t, "session"), genLine.Draw(t, "role")
	r.Reason, r.Change = genText.Draw(t, "reason"), genLine.Draw(t, "change")
	r.Path, r.Hint = genLine.Draw(t, "path"), genLine.Draw(t, "hint")
	if r.Op == entry.OpMove && rapid.Bool().Draw(t, "to another lobe") {
		r.MovedTo = genLine.Draw(t, "moved to")
	} else if r.Op == entry.OpMove || r.Op == entry.OpUndo && rapid.Bool().Draw(t, "undone to a head") || !r.Gone() {
		r.Head = rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "head")
	}
	return r
})

func TestRevisionLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRevision.Draw(t, "revision")
		b, err := r.Format()
		if err != nil {
			t.Fatal(err)
		}
		got, err := entry.ParseRevision(b)
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
		id, key, ok := entry.SplitName(name)
		if !ok || id != r.ID || key != r.Key() || !strings.HasSuffix(key, entry.Hash16(b)) {
			t.Fatalf("name %q: id %q, key %q, %v", name, id, key, ok)
		}
		if when, err := entry.RevisionTime(key); err != nil || !when.Equal(r.Recorded) {
			t.Fatalf("key %q: time %v, %v", key, when, err)
		}
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		broken := bytes.Clone(b)
		broken[at] ^= 1
		if other, err := entry.ParseRevision(broken); err == nil && other.Key() == r.Key() {
			t.Fatalf("a changed byte is not seen:\n%q", broken)
		}
	})
}

func TestRevisionGolden(t *testing.T) {
	r := entry.Revision{ID: "arch-3f7a2b1c", Parents: []string{parentKey}, Recorded: recorded, Actor: "claude-code 2.1.332", Session: "5f0c",
		Role: "assistant", Op: entry.OpReplace, Reason: "\"port\"\nwas wrong", Change: "7d1f0c2a99b0e4f1", Path: "architecture/arch-3f7a2b1c.md",
		Hint: "A. Person", Head: []byte("# T\n\ntext\n")}
	got, err := r.Format()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/revision/usual.md", got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/revision/usual.md")
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v: got\n%s\nwant\n%s", err, got, want)
	}
	if dir := entry.HistoryDir(r.ID); dir != entry.Sum([]byte(r.ID))[:2] {
		t.Errorf("folder %q", dir)
	}
	if !r.Matches([]byte("# T\n\ntext\n")) || r.Matches([]byte("# T\n\ntext")) {
		t.Error("Matches does not compare the bytes")
	}
}

// A newer version may add keys: they are kept, so that the key stays the one in the name.
func TestRevisionOfLaterVersion(t *testing.T) {
	b, err := os.ReadFile("testdata/revision/usual.md")
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Replace(b, []byte("op: "), []byte("mood: \"fine\"\nop: "), 1)
	later = bytes.Replace(later, []byte("\n---\n"), []byte("\nzeal: 1\n---\n"), 1)
	r, err := entry.ParseRevision(later)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.Format(); err != nil || !bytes.Equal(again, later) {
		t.Fatalf("%v\n%s", err, again)
	}
	if want := "20261130T021500.123456789Z-" + entry.Hash16(later); r.Key() != want {
		t.Errorf("key %q, want %q", r.Key(), want)
	}
}

// TestRevisionWithALaterOp: what a newer version calls by a name that this one
// does not know is an edit when it has a head, and a tombstone when it has none.
func TestRevisionWithALaterOp(t *testing.T) {
	b, err := os.ReadFile("testdata/revision/usual.md")
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Replace(b, []byte("op: replace"), []byte("op: blend"), 1)
	r, err := entry.ParseRevision(later)
	if err != nil || r.Gone() || r.Op != "blend" {
		t.Fatalf("%+v, %v", r, err)
	}
	if again, err := r.Format(); err != nil || !bytes.Equal(again, later) {
		t.Fatalf("%v\n%s", err, again)
	}
	gone := []byte("memory-mcp revision 1\nid: a\nrecorded: 2026-11-30T02:15:00.123456789Z\nactor: x\nop: vanish\n---\n")
	if r, err := entry.ParseRevision(gone); err != nil || !r.Gone() {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, op := range []string{"Blend", "two words", "x1", "é"} {
		if _, err := entry.ParseRevision(bytes.Replace(b, []byte("op: replace"), []byte("op: "+op), 1)); !errors.Is(err, entry.ErrMalformed) {
			t.Errorf("op %q: %v", op, err)
		}
	}
}

func TestBrokenRevisions(t *testing.T) {
	paths, err := filepath.Glob("testdata/revision/broken-*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no broken revisions (err %v)", err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		r, err := entry.ParseRevision(b)
		if !errors.Is(err, entry.ErrMalformed) || !reflect.DeepEqual(r, entry.Revision{}) {
			t.Errorf("%s: %v, %+v", p, err, r)
		}
		if strings.HasPrefix(filepath.Base(p), "broken-head-") && !strings.Contains(err.Error(), "SHA-256") {
			t.Errorf("%s: it is not said that the head was changed: %v", p, err)
		}
		var syntax *entry.SyntaxError
		if filepath.Base(p) == "broken-key-twice.md" && (!errors.As(err, &syntax) || syntax.Line != 6) {
			t.Errorf("%s: the line is not named: %v", p, err)
		}
	}
}

func TestRevisionsThatCannotBeWritten(t *testing.T) {
	good := entry.Revision{ID: "a", Recorded: recorded, Op: entry.OpCreate, Head: []byte("x")}
	for name, change := range map[string]func(*entry.Revision){
		"no id":            func(r *entry.Revision) { r.ID = "" },
		"bad id":           func(r *entry.Revision) { r.ID = "../x" },
		"no time":          func(r *entry.Revision) { r.Recorded = time.Time{} },
		"year 10000":       func(r *entry.Revision) { r.Recorded = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"unknown op":       func(r *entry.Revision) { r.Op = "undone" },
		"no head":          func(r *entry.Revision) { r.Head = nil },
		"moved edit":       func(r *entry.Revision) { r.MovedTo = "other" },
		"moved head":       func(r *entry.Revision) { r.Op, r.MovedTo = entry.OpMove, "other" },
		"tombstone's head": func(r *entry.Revision) { r.Op = entry.OpRetract },
		"parent":           func(r *entry.Revision) { r.Parents = []string{"x"} },
		"not UTF-8":        func(r *entry.Revision) { r.Actor = "\xff" },
		"instead":          func(r *entry.Revision) { r.Instead = []string{"x"} },
		"blank of nothing": func(r *entry.Revision) { blankOf(r); r.Instead = nil },
		"blank of no time": func(r *entry.Revision) { blankOf(r); r.Erased = time.Time{} },
		"blank of no op":   func(r *entry.Revision) { blankOf(r); r.Was = "" },
		"blank's head":     func(r *entry.Revision) { blankOf(r); r.Head = []byte("x") },
	} {
		r := good
		change(&r)
		if b, err := r.Format(); err == nil || b != nil || r.Key() != "" {
			t.Errorf("%s: written as %q, key %q", name, b, r.Key())
		}
	}
}

func blankOf(r *entry.Revision) {
	r.Op, r.Was, r.Instead, r.Erased, r.Head = entry.OpBlank, entry.OpCreate, []string{parentKey}, recorded, nil
}

func TestABlankKeepsWhatHoldsTheChainTogether(t *testing.T) {
	r := entry.Revision{ID: "a", Recorded: recorded, Actor: "cli", Op: entry.OpReplace, Parents: []string{parentKey}, Session: "secret", Role: "secret",
		Reason: "secret", Change: "7d1f0c2a99b0e4f1", Path: "secret", Hint: "secret"}
	blankOf(&r)
	r.Was, r.Eraser = entry.OpReplace, "person"
	b, err := r.Format()
	if err != nil || bytes.Contains(b, []byte("secret")) {
		t.Fatalf("%v\n%s", err, b)
	}
	want := "memory-mcp revision 1\nid: a\nparents: " + parentKey + "\nrecorded: 2026-11-30T02:15:00.123456789Z\nactor: cli\nop: blank\nchange: 7d1f0c2a99b0e4f1\n" +
		"instead: " + parentKey + "\nwas: replace\nerased: 2026-11-30T02:15:00.123456789Z\neraser: person\n---\n"
	if string(b) != want || !r.Gone() {
		t.Errorf("written as\n%s\nnot\n%s", b, want)
	}
}

func TestEraseKeepsNothing(t *testing.T) {
	r := entry.Revision{ID: "a", Recorded: recorded, Actor: "cli", Op: entry.OpErase, Parents: []string{parentKey}, Session: "secret", Role: "secret",
		Reason: "secret", Change: "secret", Path: "secret", Hint: "secret"}
	b, err := r.Format()
	if err != nil || bytes.Contains(b, []byte("secret")) || bytes.Contains(b, []byte(parentKey)) {
		t.Fatalf("%v\n%s", err, b)
	}
}

// TestKeysAreReadAsTimesAre: a key is what the general parser of times takes.
func TestKeysAreReadAsTimesAre(t *testing.T) {
	digits := rapid.StringMatching(`[0-9]{4}[0-3][0-9][0-4][0-9]T[0-3][0-9][0-7][0-9][0-7][0-9]\.[0-9]{9}Z`)
	rapid.Check(t, func(t *rapid.T) {
		stamp := digits.Draw(t, "time")
		if rapid.IntRange(0, 3).Draw(t, "spoil") == 0 {
			at := rapid.IntRange(0, len(stamp)-1).Draw(t, "at")
			stamp = stamp[:at] + rapid.SampledFrom([]string{"x", " ", "-", "T", "/", ":"}).Draw(t, "with") + stamp[at+1:]
		}
		want, bad := time.Parse("20060102T150405.000000000Z", stamp)
		got, err := entry.RevisionTime(stamp + "-9f8e7d6c5b4a3928")
		if (bad == nil) != (err == nil) || err == nil && !got.Equal(want) {
			t.Fatalf("%q: %v %v, want %v %v", stamp, got, err, want, bad)
		}
	})
}

func TestSplitName(t *testing.T) {
	const hash = "9f8e7d6c5b4a3928"
	for _, name := range []string{"", ".md", "a.md", parentKey + ".md", "." + parentKey + ".md", "a." + parentKey, "a.20261330T021400.000000000Z-" + hash + ".md",
		"a.20261130T021400.000000000Z-9F8E7D6C5B4A3928.md", "a.20261130T021400.00000000Z-" + hash + "0.md", "a/b." + parentKey + ".md",
		"." + parentKey + ".a.tmp", "a.20261130T021400,000000000Z-" + hash + ".md"} {
		if id, key, ok := entry.SplitName(name); ok {
			t.Errorf("%q: id %q, key %q", name, id, key)
		}
	}
	if _, err := entry.RevisionTime("yesterday"); err == nil {
		t.Error("a time of a key that is none")
	}
}
