package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

func feedback(id, note string) entry.Record {
	return entry.Record{Kind: entry.RecordFeedback, Entries: []string{id}, Fields: map[string]string{"verdict": "wrong"}, Text: note}
}

func record(t testing.TB, s *store.Store, r entry.Record) {
	t.Helper()
	if err := s.Record(bg, me, r); err != nil {
		t.Fatal(err)
	}
}

func records(t testing.TB, s *store.Store, f store.RecordFilter) []entry.Record {
	t.Helper()
	all, err := s.Records(bg, f)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// recordFiles lists the files of records by their names.
func recordFiles(t testing.TB, s *store.Store) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.Dir(), ".records/*/*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		names[i] = filepath.Base(name)
	}
	return names
}

func TestRecordsAreKept(t *testing.T) {
	now := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	s := open(t, lobe(t), store.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	if all := records(t, s, store.RecordFilter{}); len(all) != 0 {
		t.Fatalf("an empty folder has %+v", all)
	}
	if _, err := os.Stat(s.Dir()); err == nil {
		t.Fatal("reading made the folder")
	}
	record(t, s, feedback("gotcha-1", "One."))
	record(t, s, entry.Record{Kind: entry.RecordPaused, Actor: "a person", Session: "s9"})
	record(t, s, entry.Record{Kind: "blend", Entries: []string{"gotcha-1", "gotcha-2"}})
	again := open(t, s.Dir(), store.Options{})
	for _, o := range []*store.Store{s, again} {
		all := records(t, o, store.RecordFilter{})
		if len(all) != 3 || all[0].Text != "One." || all[0].Actor != me.Actor || all[0].Session != me.Session || all[0].Role != me.Role ||
			all[1].Actor != "a person" || all[2].Kind != "blend" || !all[0].Recorded.Before(all[1].Recorded) {
			t.Fatalf("%+v", all)
		}
		for want, f := range map[string]store.RecordFilter{
			"0": {Kinds: []string{entry.RecordFeedback}}, "0 2": {Entry: "gotcha-1"}, "1": {Session: "s9"}, "1 ": {Actor: "a person"},
			"1 2": {Since: all[1].Recorded}, "0 1": {Until: all[1].Recorded}, "": {Kinds: []string{"paused"}, Entry: "gotcha-1"},
		} {
			var got []string
			for _, r := range records(t, o, f) {
				got = append(got, fmt.Sprint(slices.IndexFunc(all, func(x entry.Record) bool { return x.Key() == r.Key() })))
			}
			if strings.Join(got, " ") != strings.TrimSpace(want) {
				t.Errorf("%+v gives %v, want %s", f, got, want)
			}
		}
	}
	if u, err := s.Usage(); err != nil || u.RecordFiles != 3 || u.RecordBytes == 0 || u.HistoryFiles != 0 {
		t.Errorf("%+v, %v", u, err)
	}
}

// A record that belongs to a write says to which, and a write that fails leaves none.
func TestARecordOfAWrite(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	write := func(op entry.Op, e entry.Entry, r entry.Record, fail error) error {
		_, err := s.Write(bg, me, func(tx *store.Tx) error {
			return errors.Join(tx.Record(r), tx.Put(op, e), fail)
		})
		return err
	}
	if err := write(entry.OpCreate, note("gotcha-1", "A", "a"), feedback("gotcha-1", ""), nil); err != nil {
		t.Fatal(err)
	}
	last, _, err := s.Newest("gotcha-1")
	if all := records(t, s, store.RecordFilter{}); err != nil || len(all) != 1 || all[0].Fields["change"] != last.Change || all[0].Fields["verdict"] != "wrong" {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := write(entry.OpCreate, note("gotcha-2", "A", "a"), feedback("gotcha-2", ""), os.ErrInvalid); !errors.Is(err, os.ErrInvalid) {
		t.Fatal(err)
	}
	if err := write("undone", note("gotcha-2", "A", "a"), feedback("gotcha-2", ""), nil); err == nil {
		t.Fatal("an op that is none was written")
	}
	if names := recordFiles(t, s); len(names) != 1 {
		t.Errorf("left %v", names)
	}
}

func TestErasingReachesRecords(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	for _, id := range []string{"gotcha-1", "gotcha-2"} {
		put(t, s, entry.OpCreate, note(id, id, "Text of "+id))
	}
	record(t, s, feedback("gotcha-1", "zanzibar"))
	record(t, s, entry.Record{Kind: entry.RecordDeclined, Entries: []string{"gotcha-1", "gotcha-2"}, Fields: map[string]string{"states": "zanzibar"}})
	record(t, s, entry.Record{Kind: entry.RecordFailed, Text: "It was like gotcha-1: zanzibar"})
	record(t, s, feedback("gotcha-2", "kept"))
	before := copyOf(t, s)
	half := filepath.Join(s.Dir(), ".records", entry.RecordMonth(time.Now()), ".cut.md.tmp")
	if err := os.WriteFile(half, []byte("memory-mcp record 1\nentries: gotcha-1\nzanz"), 0o600); err != nil {
		t.Fatal(err)
	}
	erase(t, s, "gotcha-1")
	check := func(s *store.Store) {
		t.Helper()
		if found := append(grep(t, filepath.Join(s.Dir(), ".records"), "zanz"), grep(t, filepath.Join(s.Dir(), ".records"), "gotcha-1")...); len(found) > 0 {
			t.Errorf("left in %v", found)
		}
		all := records(t, s, store.RecordFilter{})
		if len(all) != 2 || !slices.Equal(all[0].Entries, []string{"gotcha-2"}) || all[0].Kind != entry.RecordDeclined || all[1].Text != "kept" {
			t.Errorf("%+v", all)
		}
	}
	check(s)
	_, err := s.Write(bg, me, func(tx *store.Tx) error {
		return errors.Join(tx.Record(feedback("gotcha-2", "first")), tx.Record(feedback("gotcha-1", "again")))
	})
	if unknown := new(store.UnknownIDError); !errors.As(err, &unknown) || !unknown.Erased || len(recordFiles(t, s)) != 2 {
		t.Errorf("an erased entry is recorded again: %v, %v", err, recordFiles(t, s))
	}
	// A copy from before brings nothing back, and learns of the erasing.
	merge(t, s, before)
	check(s)
	merge(t, before, s)
	check(before)
}

func TestMergingRecordsIsUnion(t *testing.T) {
	a, b := diverged(t)
	record(t, a, feedback(shared, "From a."))
	record(t, b, feedback(shared, "From b."))
	record(t, b, feedback("gotcha-0000000b", "From b, too."))
	if m := merge(t, a, b); m.Records != 2 {
		t.Errorf("%+v", m)
	}
	if m := merge(t, b, a); m.Records != 1 {
		t.Errorf("%+v", m)
	}
	if m := merge(t, a, b); m.Records != 0 {
		t.Errorf("%+v", m)
	}
	if x, y := recordFiles(t, a), recordFiles(t, b); !slices.Equal(x, y) || len(x) != 3 {
		t.Errorf("%v and %v", x, y)
	}
}

// What is erased of the records does not come back from a copy, and goes there.
func TestRecordsAreErased(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	record(t, s, feedback("gotcha-1", "zanzibar"))
	record(t, s, feedback("gotcha-1", "kept"))
	other := copyOf(t, s)
	keys := []string{records(t, s, store.RecordFilter{})[0].Key(), "20261130T021500.123456789Z-0011223344556677"}
	for range 2 {
		n, err := s.EraseRecords(bg, me, keys...)
		if err != nil || n > 1 {
			t.Fatal(n, err)
		}
	}
	merge(t, s, other)
	merge(t, other, s)
	for _, one := range []*store.Store{s, other} {
		all := records(t, one, store.RecordFilter{Kinds: []string{entry.RecordFeedback}})
		if len(all) != 1 || all[0].Text != "kept" || len(grep(t, one.Dir(), "zanzibar")) != 0 || len(recordFiles(t, one)) != 2 {
			t.Errorf("%+v, %v", all, recordFiles(t, one))
		}
	}
}

// An erasing of records that was killed behind its first step hides them, and is completed by the next.
func TestRecordsThatWereToBeErased(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	record(t, s, feedback("gotcha-1", "zanzibar"))
	record(t, s, feedback("gotcha-1", "pemba"))
	all := records(t, s, store.RecordFilter{})
	record(t, s, entry.Record{Kind: entry.RecordErased, Fields: map[string]string{"records": entry.KeyTime(all[0].Recorded)}})
	if left := records(t, s, store.RecordFilter{Kinds: []string{entry.RecordFeedback}}); len(left) != 1 || left[0].Text != "pemba" {
		t.Errorf("%+v", left)
	}
	if _, err := s.EraseRecords(bg, me, all[1].Key()); err != nil {
		t.Fatal(err)
	}
	if names := recordFiles(t, s); len(names) != 2 || len(grep(t, s.Dir(), "zanzibar")) > 0 {
		t.Errorf("left %v", names)
	}
}

func TestDamagedRecordsAreNamed(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	record(t, s, feedback("gotcha-1", "One."))
	record(t, s, feedback("gotcha-1", "Two."))
	name := filepath.Join(s.Dir(), ".records", entry.RecordMonth(time.Now()), recordFiles(t, s)[0])
	if err := os.WriteFile(name, []byte(strings.Replace(readFile(t, name), "One", "Own", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, s.Dir(), store.Options{})
	problems, err := again.Problems(bg)
	if err != nil || len(problems) != 1 || problems[0].File != name {
		t.Errorf("%+v, %v", problems, err)
	}
	if all := records(t, again, store.RecordFilter{}); len(all) != 1 || all[0].Text != "Two." {
		t.Errorf("%+v", all)
	}
}

func TestAFullFolderOfRecords(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	record(t, s, feedback("gotcha-1", "One."))
	big := filepath.Join(s.Dir(), ".records", "2020-01")
	if err := errors.Join(os.Mkdir(big, 0o700), os.WriteFile(filepath.Join(big, "x.md"), nil, 0o600), os.Truncate(filepath.Join(big, "x.md"), store.MaxRecords)); err != nil {
		t.Fatal(err)
	}
	again := open(t, s.Dir(), store.Options{})
	var full *store.RecordsFullError
	if err := again.Record(bg, me, feedback("gotcha-1", "Two.")); !errors.As(err, &full) || full.Bytes < store.MaxRecords {
		t.Fatal(err)
	}
	if err := os.RemoveAll(big); err != nil {
		t.Fatal(err)
	}
	record(t, again, feedback("gotcha-1", "Two."))
}

// recordForever writes records and says each acknowledged one.
func recordForever(dir string) error {
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	for i := range math.MaxInt {
		text := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if err := s.Record(bg, me, feedback("gotcha-1", text)); err != nil {
			return err
		}
		fmt.Println(text)
	}
	return nil
}

func TestAcknowledgedRecordsSurviveAKill(t *testing.T) {
	dir := lobe(t)
	said := map[string]bool{}
	for round := range 10 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "STORE_TEST_RECORDER="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			said[lines.Text()] = true
			if n == round { // not by the clock: a slow machine would be killed before it began
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := child.Wait(); err == nil {
			t.Fatal("the recorder ended by itself")
		}
	}
	s := open(t, dir, store.Options{})
	if problems, err := s.Problems(bg); err != nil || len(problems) > 0 {
		t.Fatalf("%+v, %v", problems, err)
	}
	for _, r := range records(t, s, store.RecordFilter{}) {
		delete(said, r.Text)
	}
	if len(said) > 0 {
		t.Errorf("lost %v", said)
	}
}
