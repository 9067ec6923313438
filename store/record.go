package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// recordsDir holds what happened to entries and is no state of one.
const recordsDir = ".records"

// MaxRecords is the size in bytes of all records of a folder.
const MaxRecords = 64 << 20

// recount is how many records are written before the folder is measured anew:
// other processes write some, too.
const recount = 256

// RecordsFullError says that a folder has no room for another record.
type RecordsFullError struct {
	Dir   string
	Bytes int64
}

func (e *RecordsFullError) Error() string {
	return fmt.Sprintf("the records in %s have %d bytes, and at most %d are kept", e.Dir, e.Bytes, MaxRecords)
}

// RecordFilter says which records are asked for. What is left out is not asked.
type RecordFilter struct {
	Kinds   []string
	Entry   string // that names this entry
	Session string
	Actor   string
	Since   time.Time // not before it
	Until   time.Time // not after it
}

func (f RecordFilter) takes(r *entry.Record) bool {
	return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, r.Kind)) && (f.Entry == "" || slices.Contains(r.Entries, f.Entry)) &&
		(f.Session == "" || r.Session == f.Session) && (f.Actor == "" || r.Actor == f.Actor) &&
		!r.Recorded.Before(f.Since) && (f.Until.IsZero() || !r.Recorded.After(f.Until))
}

// recordMemo keeps what was read of records: their files never change.
type recordMemo struct {
	mu     sync.Mutex
	known  map[string]entry.Record // by name below recordsDir
	bytes  int64                   // of all, as last measured
	writes int                     // since then; 0: they were not measured
}

// Record writes down a record, with the time, the actor, the session and the
// role of the call where it states none. It returns when it is on the disk. A
// record of an entry that was erased is an [UnknownIDError].
func (s *Store) Record(ctx context.Context, by By, r entry.Record) error {
	_, err := s.Write(ctx, by, func(tx *Tx) error { return tx.Record(r) })
	return err
}

// Record plans a record: it is written before anything else of the plan is
// committed, and if there is any, its field "change" joins it to that.
func (tx *Tx) Record(r entry.Record) error {
	if r.Recorded.IsZero() {
		r.Recorded = tx.s.opts.Now().UTC()
	}
	if _, err := r.Format(); err != nil {
		return err
	}
	tx.records = append(tx.records, r)
	return nil
}

// Records gives the records that a filter asks for, the oldest first. A file
// that is damaged is left out: [Store.Problems] names it.
func (s *Store) Records(ctx context.Context, f RecordFilter) ([]entry.Record, error) {
	root, err := s.root()
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close() // a folder handle: nothing to lose
	all, err := s.records.read(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("read records of %s: %w", s.dir, err)
	}
	var found []entry.Record
	for _, r := range all {
		if f.takes(&r) {
			found = append(found, r)
		}
	}
	return found, nil
}

// read gives all records that were not erased, the oldest first.
func (m *recordMemo) read(ctx context.Context, root *os.Root) ([]entry.Record, error) {
	names, err := recordNames(root)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := make(map[string]entry.Record, len(names))
	all := make([]entry.Record, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, ok := m.known[name]
		if !ok {
			if r, err = readRecord(root, name); err != nil {
				continue
			}
		}
		now[name] = r
		all = append(all, r)
	}
	m.known = now
	gone := erasedTimes(all)
	return slices.DeleteFunc(all, func(r entry.Record) bool { return gone.has(r) }), nil
}

// recordNames lists the records by their names below recordsDir, the oldest
// first.
func recordNames(root *os.Root) ([]string, error) {
	months, err := foldersIn(root, recordsDir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, month := range months {
		names, err := namesIn(root, path.Join(recordsDir, month))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if _, ok := entry.RecordKey(name); ok {
				all = append(all, path.Join(month, name))
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	return all, nil
}

// readRecord reads a record. The error says when its bytes are not those that
// its name promises.
func readRecord(root *os.Root, name string) (entry.Record, error) {
	b, err := root.ReadFile(path.Join(recordsDir, name))
	if err != nil {
		return entry.Record{}, err
	}
	r, err := entry.ParseRecord(b)
	if err != nil {
		return entry.Record{}, err
	}
	if should, err := r.Name(); err != nil || should != name {
		return entry.Record{}, fmt.Errorf("%w: its bytes are those of %s", entry.ErrMalformed, should)
	}
	return r, nil
}

// A lyingRecord is one that is prepared.
type lyingRecord struct{ half, name string }

// layRecords writes planned records under temporary names.
func (w *writer) layRecords(tx *Tx) ([]lyingRecord, error) {
	var all []lyingRecord
	for _, r := range tx.records {
		r.Actor, r.Session, r.Role = cmp.Or(r.Actor, text(w.by.Actor)), cmp.Or(r.Session, text(w.by.Session)), cmp.Or(r.Role, text(w.by.Role))
		if len(tx.acts) > 0 {
			fields := map[string]string{"change": w.change}
			for key, value := range r.Fields {
				fields[key] = value
			}
			r.Fields = fields
		}
		for _, id := range r.Entries {
			if w.erasedID(id) {
				return nil, errors.Join(&UnknownIDError{ID: id, Dir: w.s.dir, Gone: true, Erased: true}, w.abandonRecords(all))
			}
		}
		one, err := w.layRecord(r)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("write record %q: %w", r.Kind, err), w.abandonRecords(all))
		}
		all = append(all, one)
	}
	return all, nil
}

func (w *writer) layRecord(r entry.Record) (lyingRecord, error) {
	b, err := r.Format()
	if err != nil {
		return lyingRecord{}, err
	}
	if err := w.roomForRecord(int64(len(b))); err != nil {
		return lyingRecord{}, err
	}
	name, err := r.Name()
	if err != nil {
		return lyingRecord{}, err
	}
	one := lyingRecord{name: path.Join(recordsDir, name)}
	one.half = path.Join(path.Dir(one.name), "."+path.Base(one.name)+".tmp")
	err = w.makeDir(path.Dir(one.name))
	if err == nil {
		err = w.discard(one.half) // a kill may have left it, cut
	}
	if err == nil {
		err = w.writeSynced(one.half, b, nil)
	}
	return one, err
}

// roomForRecord refuses what is more than a folder keeps.
func (w *writer) roomForRecord(n int64) error {
	m := &w.s.records
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.writes%recount == 0 {
		var u Usage
		if err := u.countRecords(w.root); err != nil {
			return err
		}
		m.bytes = u.RecordBytes
	}
	if m.bytes+n > MaxRecords {
		m.writes = 0 // somebody may make room
		return &RecordsFullError{Dir: w.s.abs(recordsDir), Bytes: m.bytes}
	}
	m.writes++
	m.bytes += n
	return nil
}

func (w *writer) abandonRecords(all []lyingRecord) error {
	var errs []error
	for _, r := range all {
		errs = append(errs, w.discard(r.half))
	}
	return errors.Join(errs...)
}

// putRecords gives prepared records their names.
func (w *writer) putRecords(all []lyingRecord) error {
	for _, r := range all {
		err := w.rename(r.half, r.name)
		if err == nil {
			err = w.syncDir(path.Dir(r.name))
		}
		if err != nil {
			return fmt.Errorf("write record %s: %w", r.name, err)
		}
	}
	return nil
}

// erasedID tells whether an id was erased here.
func (w *writer) erasedID(id string) bool {
	keys, err := keysOf(w.root, id)
	return err == nil && len(keys) > 0 && w.s.readChain(w.root, id, keys).erased
}

// sweepRecords removes temporaries that no write will claim.
func (w *writer) sweepRecords() error {
	for _, p := range w.below(recordsDir) {
		if !strings.HasPrefix(path.Base(p), ".") {
			continue
		}
		if err := w.discardOld(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// countRecords counts the records of a folder.
func (u *Usage) countRecords(root *os.Root) error {
	months, err := foldersIn(root, recordsDir)
	if err != nil {
		return fmt.Errorf("list records: %w", err)
	}
	var records Usage
	for _, month := range months {
		if err := records.count(root, path.Join(recordsDir, month)); err != nil {
			return fmt.Errorf("list records: %w", err)
		}
	}
	u.RecordFiles, u.RecordBytes = records.HistoryFiles, records.HistoryBytes
	return nil
}

// recordProblems names records that cannot be used.
func (s *Store) recordProblems(ctx context.Context, root *os.Root) ([]Problem, error) {
	names, err := recordNames(root)
	if err != nil {
		return []Problem{s.unlistable(recordsDir, err)}, nil
	}
	var all []Problem
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		if _, err := readRecord(root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, Problem{File: s.abs(path.Join(recordsDir, name)), What: "a record that is not used: " + err.Error(), Remedy: damagedRemedy})
		}
	}
	return all, nil
}
