package store

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"memory-mcp/store/entry"
)

// timesField is the field of a record of erased records: their times, as keys
// begin, each after a blank.
const timesField = "records"

// mostTimes is how many erased records one record names.
const mostTimes = 1000

// A timeSet holds the times of records that were erased, as keys begin.
type timeSet map[string]bool

func erasedTimes(all []entry.Record) timeSet {
	gone := timeSet{}
	for _, r := range all {
		if r.Kind == entry.RecordErased {
			for at := range strings.FieldsSeq(r.Fields[timesField]) {
				gone[at] = true
			}
		}
	}
	return gone
}

func (t timeSet) has(r entry.Record) bool {
	return r.Kind != entry.RecordErased && t[entry.KeyTime(r.Recorded)]
}

// EraseRecords removes records for good, given by their keys: a record of their
// times stays, so that no copy of the folder brings them back. It tells how
// many went.
func (s *Store) EraseRecords(ctx context.Context, by By, keys ...string) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	n := 0
	err := s.locked(ctx, func(w *writer) (err error) {
		w.by = by
		n, err = w.eraseRecords(ctx, keys)
		return err
	})
	return n, err
}

func (w *writer) eraseRecords(ctx context.Context, keys []string) (int, error) {
	all, err := w.s.records.read(ctx, w.root)
	if err != nil {
		return 0, err
	}
	var times []string
	for _, r := range all {
		if r.Kind != entry.RecordErased && slices.Contains(keys, r.Key()) {
			times = append(times, entry.KeyTime(r.Recorded))
		}
	}
	for some := range slices.Chunk(times, mostTimes) {
		mark := entry.Record{
			Kind: entry.RecordErased, Recorded: w.s.opts.Now().UTC(), Actor: text(w.by.Actor),
			Fields: map[string]string{timesField: strings.Join(some, " ")},
		}
		one, err := w.layRecord(mark)
		if err == nil {
			err = w.putRecords([]lyingRecord{one})
		}
		if err != nil {
			return 0, fmt.Errorf("erase records: %w", err)
		}
	}
	_, err = w.dropErasedRecords()
	return len(times), err
}

// dropErasedRecords removes the files of records that were erased.
func (w *writer) dropErasedRecords() (int, error) {
	names, err := recordNames(w.root)
	if err != nil {
		return 0, err
	}
	gone := timeSet{}
	for _, name := range names {
		if r, err := readRecord(w.root, name); err == nil && r.Kind == entry.RecordErased {
			for at := range erasedTimes([]entry.Record{r}) {
				gone[at] = true
			}
		}
	}
	n := 0
	for _, name := range names {
		r, err := readRecord(w.root, name)
		if err != nil || !gone.has(r) {
			continue
		}
		if err := w.removeRecord(name); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (w *writer) removeRecord(name string) error {
	p := path.Join(recordsDir, name)
	if err := w.discard(p); err != nil {
		return err
	}
	return w.syncDir(path.Dir(p))
}

// maskRecords takes erased entries out of the records, temporaries too.
func (w *writer) maskRecords(marks []mark, done []Erased) error {
	for _, p := range w.below(recordsDir) {
		b, err := w.root.ReadFile(p)
		if err != nil {
			continue
		}
		hit := -1
		for i, m := range marks {
			if mentions(b, m.rev.ID) {
				hit = i
			}
		}
		if hit < 0 {
			continue
		}
		if r, err := entry.ParseRecord(b); err == nil {
			erased := func(id string) bool {
				return slices.ContainsFunc(marks, func(m mark) bool { return m.rev.ID == id })
			}
			if kept, ok := r.Without(erased); ok {
				if err := w.putRecord(kept); err != nil {
					return err
				}
			}
		}
		if err := w.removeRecord(strings.TrimPrefix(p, recordsDir+"/")); err != nil {
			return err
		}
		if hit < len(done) {
			done[hit].Files++
		}
	}
	return nil
}

func (w *writer) putRecord(r entry.Record) error {
	one, err := w.layRecord(r)
	if err != nil {
		return err
	}
	return w.putRecords([]lyingRecord{one})
}

// uniteRecords takes over the records of another folder, without what was
// erased here, and drops those here that were erased there.
func (s *Store) uniteRecords(ctx context.Context, other *Store, m *Merged) error {
	theirs, err := other.Records(ctx, RecordFilter{})
	if err != nil || len(theirs) == 0 {
		return err
	}
	added, err := s.TakeRecords(ctx, theirs...)
	m.Records += added
	return err
}

// TakeRecords writes down records from elsewhere as they are, unless they are
// here, or what they name was erased here. It tells how many are new.
func (s *Store) TakeRecords(ctx context.Context, theirs ...entry.Record) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	added := 0
	err := s.locked(ctx, func(w *writer) error {
		mine, err := s.records.read(ctx, w.root)
		if err != nil {
			return err
		}
		have, gone := map[string]bool{}, erasedTimes(mine)
		for _, r := range mine {
			have[r.Key()] = true
		}
		erasing := false
		for _, r := range theirs {
			if gone.has(r) || have[r.Key()] {
				continue
			}
			r, ok := w.withoutErased(r)
			if !ok || have[r.Key()] {
				continue
			}
			if err := w.putRecord(r); err != nil {
				return err
			}
			added++
			erasing = erasing || r.Kind == entry.RecordErased
		}
		if erasing {
			_, err = w.dropErasedRecords()
		}
		return err
	})
	if err != nil {
		return added, fmt.Errorf("take over records: %w", err)
	}
	return added, nil
}

// withoutErased is a record without what was erased here: entries, and a text
// that speaks of some.
func (w *writer) withoutErased(r entry.Record) (entry.Record, bool) {
	said := r.Session + " " + r.Text
	for _, value := range r.Fields {
		said += " " + value
	}
	speaks := false
	for word := range strings.FieldsFuncSeq(said, func(c rune) bool { return !inWord(c) && c != '.' }) {
		word = strings.TrimFunc(word, unicode.IsPunct)
		speaks = speaks || entry.ValidID(word) && w.erasedID(word)
	}
	if !speaks && !slices.ContainsFunc(r.Entries, w.erasedID) {
		return r, true
	}
	return r.Without(w.erasedID)
}
