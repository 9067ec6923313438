package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

func write(t testing.TB, s *store.Store, f func(*store.Tx) error) []store.Written {
	t.Helper()
	ws, err := s.Write(bg, me, f)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func past(t testing.TB, s *store.Store) *store.Past {
	t.Helper()
	p, err := s.Past(bg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// toTopic is a change that files an entry under another topic.
func toTopic(topic string) func(entry.Entry) (entry.Entry, error) {
	return func(e entry.Entry) (entry.Entry, error) {
		e.Topic = topic
		return e, nil
	}
}

func TestAMoveTakesTheFileToItsTopic(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	old := put(t, s, entry.OpCreate, note("gotcha-00000001", "Port", "It is 8080."))
	ws := write(t, s, func(tx *store.Tx) error { return tx.Move(entry.OpMove, "gotcha-00000001", toTopic("modules/net")) })
	want := filepath.Join(s.Dir(), "modules/net/gotcha-00000001.md")
	if ws[0].Path != want || !strings.Contains(readFile(t, want), "topic: modules/net\n") {
		t.Fatalf("moved to %s:\n%s", ws[0].Path, readFile(t, ws[0].Path))
	}
	if _, err := os.Lstat(old.Path); !os.IsNotExist(err) {
		t.Fatalf("the old file is still there (%v)", err)
	}
	r, ok, err := s.Newest("gotcha-00000001")
	if err != nil || !ok || r.Op != entry.OpMove || r.Path != "modules/net/gotcha-00000001.md" {
		t.Fatalf("newest %+v, %v", r, err)
	}
	if done := settle(t, s, true); len(done.Adopted) > 0 {
		t.Fatalf("adopted %v", done.Adopted)
	}
	writeFile(t, old.Path, "---\nid: other\ntopic: gotchas\n---\n# O\n")
	var exists *store.ExistsError
	_, err = s.Write(bg, me, func(tx *store.Tx) error { return tx.Move(entry.OpMove, "gotcha-00000001", toTopic("gotchas")) })
	if !errors.As(err, &exists) || exists.Path != old.Path {
		t.Fatalf("onto an occupied path: %v", err)
	}
}

func TestAMoveByHandIsAMove(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "Port", "It is 8080."))
	to := filepath.Join(s.Dir(), "general/gotcha-00000001.md")
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(w.Path, to); err != nil {
		t.Fatal(err)
	}
	line := past(t, s).Line("gotcha-00000001")
	if len(line) != 2 || !line[1].Pending {
		t.Fatalf("line %+v", line)
	}
	settle(t, s, true)
	if got := ops(t, s, "gotcha-00000001"); !slices.Equal(got, []entry.Op{entry.OpCreate, entry.OpMove}) {
		t.Fatalf("history %v", got)
	}
}

func TestRevertPutsBackTheBytesAtTheirPath(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	first := put(t, s, entry.OpCreate, note("gotcha-00000001", "Port", "It is 8080."))
	text := readFile(t, first.Path)
	put(t, s, entry.OpReplace, note("gotcha-00000001", "Port", "It is 9090."))
	moved := write(t, s, func(tx *store.Tx) error { return tx.Move(entry.OpMove, "gotcha-00000001", toTopic("general")) })
	write(t, s, func(tx *store.Tx) error { return tx.Revert(entry.OpUndo, "gotcha-00000001", first.Key) })
	if got := readFile(t, first.Path); got != text {
		t.Fatalf("bytes %q, want %q", got, text)
	}
	if _, err := os.Lstat(moved[0].Path); !os.IsNotExist(err) {
		t.Fatalf("it is still at its last path, too (%v)", err)
	}
	gone := write(t, s, func(tx *store.Tx) error { return tx.Retract("gotcha-00000001", entry.OpUndo, "") })
	write(t, s, func(tx *store.Tx) error { return tx.Revert(entry.OpUndo, "gotcha-00000001", moved[0].Key) })
	if got := body(t, s, "gotcha-00000001"); got != "It is 9090." {
		t.Fatalf("back from a tombstone: %q", got)
	}
	write(t, s, func(tx *store.Tx) error { return tx.Revert(entry.OpUndo, "gotcha-00000001", gone[0].Key) })
	if got := body(t, s, "gotcha-00000001"); got != "(none)" {
		t.Fatalf("back to a tombstone: %q", got)
	}
	want := []entry.Op{entry.OpCreate, entry.OpReplace, entry.OpMove, entry.OpUndo, entry.OpUndo, entry.OpUndo, entry.OpUndo}
	if got := ops(t, s, "gotcha-00000001"); !slices.Equal(got, want) {
		t.Fatalf("history %v", got)
	}
}

func TestATombstoneSaysWhereTheEntryWent(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000001", "Port", "It is 8080."))
	write(t, s, func(tx *store.Tx) error { return tx.Retract("gotcha-00000001", entry.OpMove, "other lobe") })
	p := past(t, s)
	line := p.Line("gotcha-00000001")
	r, err := p.Read(line[1])
	if err != nil || !r.Gone() || r.MovedTo != "other lobe" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, ok := p.Believed("gotcha-00000001", time.Now()); ok {
		t.Error("it is believed")
	}
	if _, ok := p.Believed("gotcha-00000001", line[0].Recorded); !ok {
		t.Error("it was not believed before")
	}
}

// TestAMovedEntryBringsItsHistory: what was believed elsewhere was not
// believed here, and can be read all the same.
func TestAMovedEntryBringsItsHistory(t *testing.T) {
	from, to := open(t, lobe(t), store.Options{}), open(t, lobe(t), store.Options{})
	put(t, from, entry.OpCreate, note("gotcha-00000001", "Port", "It is 8080."))
	w := put(t, from, entry.OpReplace, note("gotcha-00000001", "Port", "It is 9090."))
	chain, err := from.Revisions("gotcha-00000001")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(readFile(t, w.Path), "topic:", "mood: fine # mine\ntopic:", 1)
	e, err := entry.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time is after a kill
		write(t, to, func(tx *store.Tx) error {
			if err := tx.Bring("gotcha-00000001", chain...); err != nil {
				return err
			}
			return tx.PutFile(entry.OpMove, e, []byte(text))
		})
	}
	if got := readFile(t, filepath.Join(to.Dir(), "gotchas/gotcha-00000001.md")); got != text {
		t.Errorf("file\n%s\nwant\n%s", got, text)
	}
	p := past(t, to)
	line, brought := p.Line("gotcha-00000001"), p.Brought("gotcha-00000001")
	if len(line) != 2 || len(brought) != 2 {
		t.Fatalf("line %+v, brought %+v", line, brought)
	}
	r, err := p.Read(line[0])
	if err != nil || !slices.Contains(r.Parents, brought[1].Key) {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err := p.Read(brought[0]); err != nil || !strings.Contains(string(r.Head), "8080") {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, ok := p.Believed("gotcha-00000001", brought[1].Recorded); ok {
		t.Error("it was believed here before it came")
	}
	if done := settle(t, to, true); len(done.Adopted) > 0 {
		t.Errorf("adopted %v", done.Adopted)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if got := past(t, open(t, to.Dir(), store.Options{})).Beside("gotcha-00000001"); len(got) > 0 {
		t.Errorf("beside the line: %+v", got)
	}
}
