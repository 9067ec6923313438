package lobes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"memory-mcp/store/entry"
)

const (
	// workEvery is the time between two looks for new material.
	workEvery = 30 * time.Second
	// mostAttempts is how often a piece of material is begun.
	mostAttempts = 3
	inboxLock    = ".lock"
	lockPoll     = 100 * time.Millisecond
)

// again is how long the background waits before a piece is begun once more:
// what ails a server often passes within an hour.
func again(attempts int) time.Duration {
	if attempts <= 1 {
		return time.Minute
	}
	return time.Hour
}

// A Working says how to work off inboxes.
type Working struct {
	// Patient waits for another process that works at the same inbox, and
	// tries again at once what failed; else both are left for the next time.
	Patient bool
	// Retry takes up what was given up before.
	Retry bool
	// Done, if not nil, hears of each item that is settled.
	Done func(Settled)
}

// A Settled is one item that needs no more work.
type Settled struct {
	Lobe      string         `json:"lobe"`
	Item      string         `json:"item"`
	Stored    []Stored       `json:"stored"`
	Confirmed []Stored       `json:"confirmed"`
	Known     int            `json:"known"`   // another memory says it, or it came before
	Refused   int            `json:"refused"` // taken back, of the moment, or nothing but a secret
	Dropped   map[string]int `json:"dropped"` // candidates that the material did not bear out, by why
	// Failed says why it was given up; "" when it was not.
	Failed string `json:"failed"`
}

// Worked tells what [Set.Work] came to.
type Worked struct {
	Items  []Settled `json:"items"`
	Left   int       `json:"left"`   // items that still wait
	Failed int       `json:"failed"` // items that were given up, earlier ones included
	// Stopped says why the rest was left; "" when it was not.
	Stopped string `json:"stopped"`
	// Tidied is what was made of memories that were there.
	Tidied Tidied `json:"tidied"`
}

// Work finds the memories in the material that waits in the inboxes of the
// target's lobes, and stores them. Every item that is present at the start is
// settled when it returns, but for those that it leaves: a lobe that is full, a
// model that cannot be asked. Only one process works at an inbox.
func (s *Set) Work(ctx context.Context, t Target, w Working) (Worked, error) {
	done := Worked{Items: []Settled{}, Tidied: newTidied()}
	if err := s.writable("work"); err != nil {
		return done, err
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return done, err
	}
	if t.Lobe == "" && own > 0 {
		lobes = lobes[:own]
	}
	var errs []error
	for _, l := range lobes {
		before := done.Left
		err := s.workAt(ctx, l, w, &done)
		if err == nil && done.Left == before && done.Stopped == "" {
			err = s.tidyAll(ctx, l, &done.Tidied)
		}
		if errs = append(errs, err); ctx.Err() != nil {
			break
		}
	}
	if done.Left == 0 && ctx.Err() == nil {
		s.compareProjects(ctx)
	}
	return done, errors.Join(errs...)
}

// work settles what comes into the inboxes, until ctx ends.
func (s *Set) work(ctx context.Context) {
	tick := time.NewTicker(workEvery)
	defer tick.Stop()
	for {
		for _, l := range s.lobes {
			var done Worked
			if err := s.workAt(ctx, l, Working{}, &done); err != nil && ctx.Err() == nil {
				s.o.Logger.Warn("material waits in the inbox", "lobe", l.name, "cause", err)
			}
			if len(done.Items) > 0 {
				s.o.Logger.Info("material was looked through", "lobe", l.name, "items", len(done.Items), "left", done.Left)
			}
			if done.Left == 0 && l.used.Load() {
				s.tidyUp(ctx, l)
			}
		}
		s.compareProjects(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.came:
		}
	}
}

// workAt works off the inbox of one lobe.
func (s *Set) workAt(ctx context.Context, l *Lobe, w Working, done *Worked) (err error) {
	if l.spec.Err != nil {
		return nil // it tells of that itself
	}
	box := l.inbox()
	if w.Retry {
		if err := box.retry(); err != nil {
			return err
		}
	}
	names, err := box.names()
	if err != nil || len(names) == 0 {
		return errors.Join(err, done.count(box))
	}
	defer func() { err = errors.Join(err, done.count(box)) }()
	if s.o.Extractor == nil && s.o.Transcriber == nil {
		done.Stopped = s.noModel()
		return nil
	}
	lock := flock.New(box.path(inboxLock), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	defer func() { err = errors.Join(err, lock.Close()) }()
	mine, err := lock.TryLock()
	if w.Patient && err == nil && !mine {
		mine, err = lock.TryLockContext(ctx, lockPoll)
	}
	if err != nil || !mine {
		return err
	}
	if err := errors.Join(box.sweep(s.o.Now()), box.failed().sweep(s.o.Now())); err != nil {
		return err
	}
	job := job{s: s, l: l, box: box, w: w}
	defer func() { done.Stopped = cmp.Or(done.Stopped, job.stopped) }()
	for _, name := range names {
		if done.Stopped, err = job.paused(ctx); err != nil || done.Stopped != "" {
			return err
		}
		settled, err := job.settle(ctx, name)
		var unasked *UnaskedError
		switch {
		case errors.Is(err, errGone):
		case errors.As(err, &unasked):
			done.Stopped = unasked.Error()
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("work off %s: %w", name, err)
		case settled != nil:
			done.Items = append(done.Items, *settled)
			if w.Done != nil {
				w.Done(*settled)
			}
		}
	}
	return nil
}

func (w *Worked) count(b inbox) error {
	left, err := b.names()
	failed, errFailed := b.failed().names()
	w.Left, w.Failed = w.Left+len(left), w.Failed+len(failed)
	return errors.Join(err, errFailed)
}

// retry puts what was given up back into the inbox.
func (b inbox) retry() error {
	names, err := b.failed().names()
	for _, name := range names {
		it, e := b.failed().read(name)
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		it.Attempts, it.NotBefore = 0, time.Time{}
		e = b.failed().write(name, it)
		if e == nil {
			e = b.failed().move(name, b)
		}
		err = errors.Join(err, e)
	}
	return err
}

// A job is the work at one inbox, whose lock it has.
type job struct {
	s   *Set
	l   *Lobe
	box inbox
	w   Working
	// stopped says why items were left that are not at fault; "" when none was.
	stopped string
}

// paused says that somebody has paused the work; "" while it goes on.
func (j *job) paused(ctx context.Context) (string, error) {
	r, err := j.l.look(ctx)
	if err != nil {
		return "", err
	}
	return r.pausedBy(ctx)
}

// settle works at one item until it needs no more work, or has to wait; then
// it gives nil.
func (j *job) settle(ctx context.Context, name string) (*Settled, error) {
	it, err := j.box.read(name)
	var bad *badItemError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // another process was faster
	case errors.As(err, &bad):
		return j.spoilt(name, bad)
	case err != nil:
		return nil, err
	}
	out := &Settled{Lobe: j.l.name, Item: name, Stored: []Stored{}, Confirmed: []Stored{}}
	if !j.w.Patient && j.s.o.Now().Before(it.NotBefore) {
		return nil, nil
	}
	if done, wait, err := j.hear(ctx, name, it, out); done != nil || wait || err != nil {
		return done, err
	}
	pieces := j.s.o.Extractor.Pieces(it.Text)
	for it.Done < len(pieces) {
		err := j.step(ctx, name, it, pieces[it.Done], out)
		if err == nil {
			continue
		}
		if wait, err := j.failed(ctx, name, it, err); wait || err != nil {
			return nil, err
		}
		if it.Attempts >= mostAttempts {
			return j.giveUp(ctx, name, it, out)
		}
	}
	if err := j.receive(ctx, it); err != nil {
		return nil, err
	}
	return out.tell(it), j.box.remove(name)
}

// giveUp puts an item aside, and writes down that it was.
func (j *job) giveUp(ctx context.Context, name string, it *item, out *Settled) (*Settled, error) {
	out.Failed = it.LastError
	if err := j.box.giveUp(name, it); err != nil {
		return nil, err
	}
	r, err := j.l.look(ctx)
	if err != nil {
		return nil, err
	}
	fields := it.fields()
	fields["attempts"], fields["reason"] = fmt.Sprint(it.Attempts), cutLine(it.LastError, mostReason)
	return out.tell(it), j.record(ctx, r, it, entry.Record{Kind: entry.RecordFailed, Entries: it.Entries, Fields: fields})
}

// mostReason is the length in characters of the reason in a record.
const mostReason = 300

func cutLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(len(runes), most)])
}

// step settles one piece of an item: what is found is written down before it
// is stored.
func (j *job) step(ctx context.Context, name string, it *item, piece string, out *Settled) error {
	if it.Attempts >= mostAttempts {
		return fmt.Errorf("it was interrupted %d times", it.Attempts)
	}
	it.Attempts++
	if err := j.box.save(name, it); err != nil {
		return err
	}
	if it.Found == nil {
		found, err := j.s.o.Extractor.Extract(ctx, piece, it.Role)
		if err != nil {
			return err
		}
		it.Found, it.Model = &found.Found, j.s.o.Extractor.Name()
		it.drop(found.Dropped)
		if err := j.box.save(name, it); err != nil {
			return err
		}
	}
	if err := j.s.keepFound(ctx, j.l, it, out); err != nil {
		return err
	}
	for _, x := range slices.Concat(out.Stored, out.Confirmed) {
		if !slices.Contains(it.Entries, x.ID) {
			it.Entries = append(it.Entries, x.ID)
		}
	}
	it.Done, it.Found, it.Attempts, it.LastError, it.NotBefore = it.Done+1, nil, 0, "", time.Time{}
	return j.box.save(name, it)
}

// failed writes down what went wrong with a piece, and tells whether the item
// has to wait. What says nothing about the item does not count against it.
func (j *job) failed(ctx context.Context, name string, it *item, cause error) (wait bool, err error) {
	if errors.Is(cause, errGone) {
		return true, cause
	}
	var unasked *UnaskedError
	var full *FullError
	innocent := errors.As(cause, &unasked) || errors.As(cause, &full) || ctx.Err() != nil
	if innocent && it.Attempts > 0 {
		it.Attempts--
	}
	if ctx.Err() != nil {
		return true, errors.Join(ctx.Err(), j.box.save(name, it))
	}
	it.LastError = cutLine(cause.Error(), mostReason)
	switch {
	case unasked != nil:
		return true, errors.Join(cause, j.box.save(name, it))
	case full != nil || !j.w.Patient && it.Attempts < mostAttempts:
		it.NotBefore = j.s.o.Now().Add(again(it.Attempts)).UTC()
		return true, j.box.save(name, it)
	}
	return false, nil
}

// spoilt puts aside a file that is no item.
func (j *job) spoilt(name string, bad *badItemError) (*Settled, error) {
	out := &Settled{Lobe: j.l.name, Item: name, Stored: []Stored{}, Confirmed: []Stored{}, Dropped: map[string]int{}, Failed: bad.Error()}
	return out, j.box.move(name, j.box.failed())
}

// tell adds what the item counted.
func (o *Settled) tell(it *item) *Settled {
	o.Known, o.Refused, o.Dropped = it.Known, it.Refused, it.Dropped
	if o.Dropped == nil {
		o.Dropped = map[string]int{}
	}
	return o
}
