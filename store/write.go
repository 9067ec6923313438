package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"memory-mcp/store/entry"
)

// By tells who writes.
type By struct {
	Actor, Session, Role string
	Reason               string // of every act that states none of its own
	Hint                 string
}

// Written is what one planned act came to.
type Written struct {
	ID       string
	Path     string // absolute; where the file lies, or lay
	Key      string // of the revision
	Revision string // the key's 16 hex digits
	Before   *Head  // nil when the entry is new
	Adopted  bool   // an edit from outside became a revision first
}

// A head that was changed from outside rests when it is this old; a write
// waits that long for it, at most restWait in all.
const (
	restAge  = 2 * time.Second
	restWait = 3 * time.Second
)

// Tx plans a write. Nothing happens before the function it was given to
// returns nil; it may be called again with another Tx.
type Tx struct {
	s      *Store
	root   *os.Root // nil while the store does not exist
	view   *View
	acts   []*act
	reason string
	taken  map[string]bool
	expect map[string]string
	join   map[string]bool

	brought map[string][]entry.Revision
	records []entry.Record
}

// act is one planned change.
type act struct {
	op     entry.Op
	id     string
	reason string
	put    *entry.Entry                           // the whole entry
	like   []byte                                 // a new file is written as this one, from elsewhere, was
	change func(entry.Entry) (entry.Entry, error) // or what makes it of the old one
	once   *once                                  // or a file as it once was
	over   bool                                   // which may take the place of the one that is there
	exact  *entry.Revision                        // the revision as it is, from elsewhere
	move   bool                                   // the file goes to the folder of its topic

	movedTo string // of a tombstone: the lobe that the entry went to
}

// once is a file as history has it.
type once struct {
	path  string
	bytes []byte
}

// View is the folder as it is now, under the lock.
func (tx *Tx) View() *View { return tx.view }

// NewID gives an id that was never issued in this store.
func (tx *Tx) NewID(topic string) (string, error) {
	for range 100 {
		id := entry.NewID(topic, tx.s.opts.Random)
		if _, ok := tx.view.ID(id); ok || tx.taken[id] {
			continue
		}
		if tx.root != nil {
			keys, err := keysOf(tx.root, id)
			if err != nil {
				return "", fmt.Errorf("issue id %q: %w", id, err)
			}
			if len(keys) > 0 {
				continue
			}
		}
		tx.taken[id] = true
		return id, nil
	}
	return "", fmt.Errorf("issue an id for topic %q: no free one found", topic)
}

// Put plans that the entry e.ID has exactly these fields. A file that is there
// keeps every line that need not change.
func (tx *Tx) Put(op entry.Op, e entry.Entry) error {
	if !entry.ValidID(e.ID) {
		return fmt.Errorf("put entry: the id %q is not allowed", e.ID)
	}
	tx.plan(&act{op: op, id: e.ID, put: &e})
	return nil
}

// PutFile plans a new entry whose file keeps every line of one from elsewhere
// that need not change.
func (tx *Tx) PutFile(op entry.Op, e entry.Entry, like []byte) error {
	if err := tx.Put(op, e); err != nil {
		return err
	}
	tx.acts[len(tx.acts)-1].like = like
	return nil
}

// Update plans a change to an entry as it will be found on disk, edits from
// outside included. The change may be called more than once.
func (tx *Tx) Update(op entry.Op, id string, change func(entry.Entry) (entry.Entry, error)) error {
	if err := tx.known(id); err != nil {
		return err
	}
	tx.plan(&act{op: op, id: id, change: change})
	return nil
}

// Expect makes the write fail with a [ConflictError] unless the newest state of
// the entry is this revision, given by its key or its 16 digits.
func (tx *Tx) Expect(id, revision string) { tx.expect[id] = hash16(revision) }

// Note gives the reason for the acts that are planned next.
func (tx *Tx) Note(reason string) { tx.reason = reason }

func (tx *Tx) plan(a *act) {
	a.reason = tx.reason
	tx.acts = append(tx.acts, a)
}

// known refuses an id that has no head, now or by an earlier act of this plan.
func (tx *Tx) known(id string) error {
	if _, ok := tx.view.ID(id); ok {
		return nil
	}
	for _, a := range tx.acts {
		if a.id == id && !a.gone() {
			return nil
		}
	}
	unknown := &UnknownIDError{ID: id, Dir: tx.s.dir}
	if tx.root != nil {
		keys, err := keysOf(tx.root, id)
		if err != nil {
			return fmt.Errorf("history of %q: %w", id, err)
		}
		l := lineOf(tx.s.readChain(tx.root, id, keys), nil, tx.s.opts.Now())
		p, err := tx.s.pastOf(tx.root, l)
		if err == nil {
			err = tx.s.broken(tx.view, p)
		}
		if err != nil {
			return err
		}
		unknown.Gone, unknown.Erased = p.Gone(), l.erased
	}
	return unknown
}

// broken gives an error when the file of an entry that has no head, though it
// was not deleted, is there and cannot be parsed.
func (s *Store) broken(v *View, p past) error {
	if p.none() || p.Gone() {
		return nil
	}
	if h, ok := v.Path(p.Path); ok && h.Broken != nil {
		return &BrokenError{ID: p.ID, Path: s.abs(h.Path), Cause: h.Broken}
	}
	return nil
}

func (a *act) gone() bool { return a.put == nil && a.change == nil && a.once == nil }

// Write takes the folder's lock, looks, and runs f, which plans. Everything
// that was planned is prepared, and only then committed: a full disk or a
// refused rewrite changes nothing. When Write returns nil, all of it is on
// disk. On an error after the first commit, what was written is returned too.
// Planning nothing creates nothing, not even the folder.
func (s *Store) Write(ctx context.Context, by By, f func(*Tx) error) ([]Written, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if idle, err := s.idle(f); err != nil || idle {
		return nil, err
	}
	start := s.wall()
	for again := 0; ; again++ {
		var done []Written
		err := s.locked(ctx, func(w *writer) error {
			w.by = by
			var err error
			done, err = w.attempt(ctx, f)
			return err
		})
		var resting *restingError
		switch {
		case errors.As(err, &resting):
			if s.wall().Sub(start) > restWait {
				return done, &BusyError{ID: resting.id, Path: s.abs(resting.path), Age: resting.age}
			}
			if err := sleep(ctx, 50*time.Millisecond); err != nil {
				return done, err
			}
		case errors.Is(err, errAgain) && again < 10:
		default:
			return done, err
		}
	}
}

// idle tells whether the store does not exist and f plans nothing.
func (s *Store) idle(f func(*Tx) error) (bool, error) {
	root, err := s.root()
	if err != nil {
		return false, fmt.Errorf("open store: %w", err)
	}
	if root != nil {
		return false, root.Close()
	}
	tx := s.newTx(nil, &View{})
	if err := f(tx); err != nil {
		return false, err
	}
	return len(tx.acts)+len(tx.records) == 0, nil
}

func (s *Store) newTx(root *os.Root, v *View) *Tx {
	return &Tx{s: s, root: root, view: v, taken: map[string]bool{}, expect: map[string]string{}, join: map[string]bool{}, brought: map[string][]entry.Revision{}}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// restingError says that a head is being edited: the write is tried again.
type restingError struct {
	id, path string
	age      time.Duration
}

func (e *restingError) Error() string { return fmt.Sprintf("%s is being edited", e.path) }

// errAgain says that the folder changed under a write that had committed
// nothing yet.
var errAgain = errors.New("the folder changed during the write")

// writer holds the folder's lock.
type writer struct {
	s      *Store
	root   *os.Root
	by     By
	change string
	expect map[string]string
	join   map[string]bool
	view   *View

	brought map[string][]entry.Revision
	steps   map[string]*step // the last step prepared for an id
}

// locked runs f under the folder's lock, in a folder that exists and whose
// format this version may write.
func (s *Store) locked(ctx context.Context, f func(*writer) error) (err error) {
	_, missing := os.Lstat(s.dir)
	if err := os.MkdirAll(s.dir, s.dirMode()); err != nil {
		return fmt.Errorf("make store: %w", err)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	defer root.Close() // a folder handle: nothing to lose
	change, err := s.random(8)
	if err != nil {
		return err
	}
	w := &writer{s: s, root: root, change: change, steps: map[string]*step{}}
	if missing != nil && s.opts.Shared != 0 {
		if err := w.share("."); err != nil {
			return fmt.Errorf("make store: %w", err)
		}
	}
	if err := w.ready(ctx); err != nil {
		return err
	}
	return f(w)
}

// attempt looks, plans, prepares and commits once.
func (w *writer) attempt(ctx context.Context, f func(*Tx) error) ([]Written, error) {
	view, err := w.s.Look(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.keepLate(); err != nil {
		return nil, err
	}
	tx := w.s.newTx(w.root, view)
	if err := f(tx); err != nil {
		return nil, err
	}
	w.view, w.expect, w.join, w.brought = view, tx.expect, tx.join, tx.brought
	if err := w.bring(); err != nil {
		return nil, err
	}
	var steps []*step
	for _, a := range tx.acts {
		st, err := w.prepare(a)
		if err != nil {
			return nil, errors.Join(err, w.abandon(steps))
		}
		steps = append(steps, st)
		w.steps[a.id] = st
	}
	records, err := w.layRecords(tx)
	if err == nil {
		err = w.putRecords(records)
	}
	if err != nil {
		return nil, errors.Join(err, w.abandon(steps), w.abandonRecords(records))
	}
	return w.commitAll(ctx, steps)
}

// current is a head as it is on disk at this moment.
type current struct {
	head  *Head
	stamp stamp
	bytes []byte
}

// read reads the head of an id anew; nil when it has none.
func (w *writer) read(id string) (*current, error) {
	h, ok := w.view.ID(id)
	if !ok {
		return nil, nil
	}
	b, st, _, err := readFile(w.root, h.Path, w.s.wall)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errAgain
	}
	if err != nil {
		return nil, err
	}
	age := w.s.wall().Sub(time.Unix(0, max(st.mtime, st.ctime)))
	if isBlank(b) {
		return nil, &restingError{id, h.Path, age}
	}
	if entry.Sum(b) != h.Hash {
		h = w.s.parse(h.Path, st, b)
	}
	if h.Broken != nil {
		return nil, &BrokenError{ID: id, Path: w.s.abs(h.Path), Cause: h.Broken}
	}
	if h.Entry.ID != id {
		return nil, errAgain
	}
	return &current{head: h, stamp: st, bytes: b}, nil
}

// settled gives the newest revision of a head, after an edit from outside has
// become one.
func (w *writer) settled(id string, cur *current) (p past, adopted bool, err error) {
	if err := w.recover(id); err != nil {
		return past{}, false, err
	}
	keys, err := keysOf(w.root, id)
	if err != nil {
		return past{}, false, fmt.Errorf("history of %q: %w", id, err)
	}
	var l *line
	if cur != nil {
		p, l, err = w.s.under(w.root, cur.head, keys)
	} else {
		l = lineOf(w.s.readChain(w.root, id, keys), nil, w.s.opts.Now())
		p, err = w.s.pastOf(w.root, l)
	}
	switch {
	case err != nil:
		return p, false, err
	case l.erased:
		return p, false, &UnknownIDError{ID: id, Dir: w.s.dir, Gone: true, Erased: true}
	case cur == nil:
		return p, false, w.s.broken(w.view, p)
	case l.agrees():
		return p, false, nil
	}
	age := w.s.wall().Sub(time.Unix(0, max(cur.stamp.mtime, cur.stamp.ctime)))
	if !p.none() && age >= 0 && age < restAge {
		return p, false, &restingError{id, cur.head.Path, age}
	}
	p, err = w.adopt(cur, p, l)
	return p, true, err
}

// recorded is now, but at least 1 ms after the parent.
func (w *writer) recorded(parent past, at time.Time) time.Time {
	at = at.UTC()
	if parent.none() {
		return at
	}
	if next := parent.Recorded.Add(time.Millisecond); at.Before(next) {
		return next
	}
	return at
}

func parents(p past) []string {
	if p.none() {
		return nil
	}
	return []string{p.key}
}

// place is where a new entry's file goes.
func (w *writer) place(e entry.Entry) string {
	return path.Join(entry.Dir(e), entry.FileName(e, w.s.opts.Slug))
}

// utf8Path keeps a path to what an envelope may hold, whatever bytes the file
// system allows.
func utf8Path(p string) string { return strings.ToValidUTF8(p, "\uFFFD") }

// text keeps a reason to what one line of an envelope may hold.
func text(s string) string { return strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")) }
