package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// Settled is what a pass over edits from outside came to.
type Settled struct {
	Adopted   []string // ids whose edit became a revision
	Retracted []string // ids whose absence became a tombstone
	Waiting   int      // edits and absences that have not rested long enough
	Vanished  []string // ids that went away in a mass: nothing was written for them
}

// Settle turns edits from outside that rest into revisions, and deletions from
// outside that rest into tombstones. A final pass, at an orderly exit, takes
// edits as they are. It takes the lock only when there is something to write,
// and leaves the rest to the next pass when ctx ends.
func (s *Store) Settle(ctx context.Context, by By, final bool) (Settled, error) {
	s.looking.Lock()
	s.unwatch() // this look scans: some ways to write make no event
	s.looking.Unlock()
	view, err := s.Look(ctx)
	if err != nil {
		return Settled{}, err
	}
	root, err := s.root()
	if err != nil || root == nil {
		return Settled{}, err
	}
	defer root.Close() // a folder handle: nothing to lose
	done, edited, err := s.edited(ctx, root, view, final)
	if err != nil {
		return done, err
	}
	absent, err := s.absentees(ctx, root, view)
	if err != nil && ctx.Err() == nil {
		return done, err
	}
	if massive(absent, view) {
		done.Vanished, absent = absent, nil
	}
	rested := s.restedAbsence(root, absent)
	done.Waiting += len(absent) - len(rested)
	todo := &settling{by: by, edited: edited, rested: rested, done: &done, twins: s.unnoted(root)}
	s.looking.Lock()
	late := s.unkept() || len(todo.twins) > 0
	s.looking.Unlock()
	if names, err := s.history(root); err == nil && len(begun(root, names)) > 0 {
		late, todo.unfinished = true, true
	}
	for err = nil; err == nil && (late || todo.left() > 0); late = false {
		if err = s.settleSome(ctx, todo); ctx.Err() != nil {
			break
		}
		if err == nil && todo.left() > 0 {
			err = sleep(ctx, settlePause)
		}
	}
	done.Waiting += todo.left()
	return done, err
}

// A pass holds the lock for settleSlice at a time, and leaves it to others for
// settlePause: thousands of files that were dropped keep no writer waiting.
const (
	settleSlice = 200 * time.Millisecond
	settlePause = 3 * lockPoll
)

// settling is what a pass has still to write.
type settling struct {
	by     By
	edited []*Head
	rested []string
	twins  []string // ids that other processes are to hear of
	done   *Settled

	unfinished bool // an erasure was begun by a process that is gone
}

func (t *settling) left() int { return len(t.edited) + len(t.rested) }

// settleSome writes down what one slice of time allows.
func (s *Store) settleSome(ctx context.Context, t *settling) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.recovered = s.recovered && !t.unfinished
	t.unfinished = false
	return s.locked(ctx, func(w *writer) (err error) {
		w.by = t.by
		if w.view, err = s.Look(ctx); err != nil {
			return err
		}
		slice, cancel := context.WithTimeout(ctx, settleSlice)
		defer cancel()
		for _, id := range t.twins {
			if err := w.rememberTwins(id); err != nil {
				return err
			}
		}
		t.twins = nil
		return errors.Join(w.keepLate(), w.adoptAll(slice, t), w.retractAll(slice, t))
	})
}

// edited finds the heads that differ from their history and rest.
func (s *Store) edited(ctx context.Context, root *os.Root, view *View, final bool) (Settled, []*Head, error) {
	var done Settled
	names, err := s.history(root)
	if err != nil {
		return done, nil, err
	}
	doubt := s.doubtful(view, names)
	workers := min(runtime.GOMAXPROCS(0), len(doubt))
	edited := make([][]*Head, workers)
	waiting := make([]int, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			sh := &shelf{root: root, keep: true}
			defer sh.close()
			for i := len(doubt) * worker / workers; i < len(doubt)*(worker+1)/workers; i++ { // next to each other in history
				if state := s.compare(ctx, sh, doubt[i], names); state == agreesNot && (final || s.restedSince(doubt[i].Path, s.opts.Now())) {
					edited[worker] = append(edited[worker], doubt[i])
				} else if state < agreesAll {
					waiting[worker]++
				}
			}
		})
	}
	group.Wait()
	for _, n := range waiting {
		done.Waiting += n
	}
	return done, slices.Concat(edited...), nil
}

// doubtful are the heads of which it is not known that they are what history,
// as it is now, says.
func (s *Store) doubtful(view *View, names *names) []*Head {
	var some []*Head
	for _, l := range names {
		if l == nil {
			continue
		}
		known := s.accord.settled(l.groups, view.RefOf)
		for i, g := range l.groups {
			if r, there := view.RefOf(g.id); there && !known[i] && !r.broken() {
				some = append(some, r.Head())
			}
		}
	}
	for id, r := range view.heads() {
		if _, known := names.of(id); !known && !r.broken() && !s.accord.holds(r.Path(), r.hash()) {
			some = append(some, r.Head())
		}
	}
	return some
}

// agreement is what comparing a head with its history tells.
type agreement int

const (
	agreesUnknown agreement = iota // it could not be asked now
	agreesNot
	agreesAll
	agreesErased // its history was erased: it is never written down again
)

// compare tells whether a head is in its history.
func (s *Store) compare(ctx context.Context, sh *shelf, h *Head, names *names) agreement {
	if ctx.Err() != nil {
		return agreesUnknown
	}
	g, _ := names.of(h.Entry.ID)
	l := lineOf(s.readChainFrom(sh, h.Entry.ID, g.keys), h, s.opts.Now())
	if len(l.twins()) > 0 {
		s.noteTwins(h.Entry.ID)
	}
	if l.agrees() {
		s.accord.note(h.Path, h.Hash, l.plainSum(g))
		return agreesAll
	}
	if l.erased {
		return agreesErased
	}
	b, err := sh.root.ReadFile(h.Path)
	if err != nil || entry.Sum(b) != h.Hash {
		return agreesUnknown // it changes at this moment
	}
	return agreesNot
}

// restedSince tells whether two looks, far enough apart, saw the same content.
func (s *Store) restedSince(p string, now time.Time) bool {
	s.looking.Lock()
	defer s.looking.Unlock()
	f := s.files[p]
	if f != nil && now.Before(f.since) {
		f.since = now // the clock was set back: it counts anew
	}
	return f != nil && f.empty.IsZero() && now.Sub(f.since) >= s.opts.Settle
}

// topOf is the topic's folder of a path; of a file beside the folders, itself a
// part of none, it is the store's own.
func topOf(p string) string {
	if top, _, below := strings.Cut(p, "/"); below {
		return top
	}
	return "."
}

// adoptAll adopts the heads that are still as they were when they were chosen,
// several at a time: the syncs of many share one wait. It stops when ctx ends,
// and keeps what is left.
func (w *writer) adoptAll(ctx context.Context, t *settling) error {
	const workers = 16
	var group sync.WaitGroup
	errs := make([]error, workers)
	adopted, left := make([][]string, workers), make([][]*Head, workers)
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(t.edited); i += workers {
				if ctx.Err() != nil {
					left[worker] = append(left[worker], t.edited[i])
					continue
				}
				ok, err := w.adoptOne(t.edited[i])
				if ok {
					adopted[worker] = append(adopted[worker], t.edited[i].Entry.ID)
				} else if errs[worker] == nil { // one is enough to tell, and no reason to leave the others
					errs[worker] = err
				}
			}
		})
	}
	group.Wait()
	some, rest := slices.Concat(adopted...), slices.Concat(left...)
	t.done.Waiting += len(t.edited) - len(some) - len(rest)
	t.done.Adopted = append(t.done.Adopted, some...)
	slices.Sort(t.done.Adopted)
	t.edited = rest
	return errors.Join(errs...)
}

// adoptOne adopts a head, unless it has changed or somebody was faster.
func (w *writer) adoptOne(h *Head) (bool, error) {
	cur, err := w.read(h.Entry.ID)
	var resting *restingError
	if errors.As(err, &resting) || errors.Is(err, errAgain) || err == nil && (cur == nil || cur.head.Hash != h.Hash) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := w.recover(h.Entry.ID); err != nil {
		return false, err
	}
	keys, err := keysOf(w.root, h.Entry.ID)
	if err != nil {
		return false, err
	}
	p, l, err := w.s.under(w.root, cur.head, keys)
	if err != nil || l.agrees() || l.erased {
		return false, err
	}
	_, err = w.adopt(cur, p, l)
	return err == nil, err
}

// retractAll writes tombstones for heads that a person deleted. It stops when
// ctx ends, and keeps what is left.
func (w *writer) retractAll(ctx context.Context, t *settling) error {
	for len(t.rested) > 0 && ctx.Err() == nil {
		id := t.rested[0]
		t.rested = t.rested[1:]
		if err := w.retract(id, t.done); err != nil {
			return fmt.Errorf("retract %q: %w", id, err)
		}
	}
	return nil
}

func (w *writer) retract(id string, done *Settled) error {
	if _, back := w.view.ID(id); back {
		return nil
	}
	if err := w.recover(id); err != nil {
		return err
	}
	p, err := newest(w.root, id)
	if err != nil || p.none() || p.Gone() {
		return err
	}
	if err := w.tombstone(p, "the file was deleted"); err != nil {
		return err
	}
	done.Retracted = append(done.Retracted, id)
	return nil
}

// tombstone writes that an entry without a head is gone.
func (w *writer) tombstone(p past, reason string) error {
	by := w.by
	if by.Actor == "" || reason != "" {
		by = By{Actor: actorOutside, Hint: w.s.opts.Person()}
	}
	st := &step{rev: entry.Revision{
		ID: p.ID, Parents: parents(p), Recorded: w.recorded(p, w.s.opts.Now()), Actor: text(by.Actor), Session: text(by.Session),
		Role: text(by.Role), Op: entry.OpRetract, Reason: text(reason), Change: w.change, Path: p.Path, Hint: text(by.Hint),
	}}
	if reason == "" {
		st.rev.Reason = text(by.Reason)
	}
	if err := w.writeHalf(st); err != nil {
		return errors.Join(err, w.abandon([]*step{st}))
	}
	return w.complete(st.half, p.ID, st.key)
}

// Vanished lists the ids whose heads went away in a mass. Nothing is written
// for them until [Store.RestoreVanished] or [Store.ForgetVanished] decides.
func (s *Store) Vanished(ctx context.Context) ([]string, error) {
	view, err := s.Look(ctx)
	if err != nil {
		return nil, err
	}
	root, err := s.root()
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close() // a folder handle: nothing to lose
	gone, err := s.absentees(ctx, root, view)
	if err != nil || !massive(gone, view) {
		return nil, err
	}
	return gone, nil
}

// RestoreVanished puts every vanished head back as history has it.
func (s *Store) RestoreVanished(ctx context.Context, by By) ([]Written, error) {
	gone, err := s.Vanished(ctx)
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	return s.Restore(ctx, by, gone...)
}

// ForgetVanished makes the absence of every vanished head a deletion.
func (s *Store) ForgetVanished(ctx context.Context, by By) ([]Written, error) {
	gone, err := s.Vanished(ctx)
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	var done []Written
	err = s.locked(ctx, func(w *writer) error {
		w.by = by
		for _, id := range gone {
			p, err := newest(w.root, id)
			if err != nil {
				return err
			}
			if p.none() || p.Gone() {
				continue
			}
			if err := w.tombstone(p, ""); err != nil {
				return fmt.Errorf("retract %q: %w", id, err)
			}
			done = append(done, Written{ID: id, Path: s.abs(p.Path)})
		}
		return nil
	})
	return done, err
}

// Restore puts back entries that were deleted, or whose heads vanished, with
// the bytes of their last state.
func (s *Store) Restore(ctx context.Context, by By, ids ...string) ([]Written, error) {
	return s.Write(ctx, by, func(tx *Tx) error {
		for _, id := range ids {
			if h, ok := tx.view.ID(id); ok {
				return &ExistsError{ID: id, Path: s.abs(h.Path)}
			}
			if tx.root == nil {
				return &UnknownIDError{ID: id, Dir: s.dir}
			}
			name, b, err := s.lastState(tx.root, id)
			if err != nil {
				return err
			}
			tx.plan(&act{op: entry.OpRestore, id: id, once: &once{name, b}})
		}
		return nil
	})
}

// lastState gives the bytes and the path of an entry before it went away.
func (s *Store) lastState(root *os.Root, id string) (string, []byte, error) {
	keys, err := keysOf(root, id)
	if err != nil {
		return "", nil, fmt.Errorf("history of %q: %w", id, err)
	}
	l := lineOf(s.readChain(root, id, keys), nil, s.opts.Now())
	if l.erased {
		return "", nil, &UnknownIDError{ID: id, Dir: s.dir, Gone: true, Erased: true}
	}
	was, ok := l.beforeGone()
	switch {
	case !ok:
		return "", nil, &UnknownIDError{ID: id, Dir: s.dir}
	case was.blank():
		return "", nil, &BlankError{ID: id, Recorded: was.at}
	}
	k, err := s.memo.read(one(root), id, was.key)
	if err != nil {
		return "", nil, fmt.Errorf("history of %q: %w", id, err)
	}
	return placeOf(k.Revision), k.Head, nil
}

// beforeGone finds the last state of the line that had a head: what was believed
// until it went.
func (l *line) beforeGone() (was fact, ok bool) {
	for _, f := range slices.Backward(l.facts[:l.in+1]) {
		if !f.gone || f.blank() {
			return f, true
		}
	}
	return fact{}, false
}
