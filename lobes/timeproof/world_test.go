package timeproof_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// A fault is a difference between the book and the lobes.
type fault string

func failf(format string, args ...any) { panic(fault(fmt.Sprintf(format, args...))) }

// base is when a world begins. It lies ahead of the machine's clock, so that
// the time of a change that the system stamps on a file is never the later one:
// only the time of writing counts, which a test can set.
var base = time.Date(2046, 3, 1, 9, 0, 0, 0, time.UTC)

const settleTime = 30 * time.Second

// names are the lobes: a project, another one, and the first one's copy.
func names() []string { return []string{"app", "lib", "far"} }

// A world is three folders, the lobes over them and the book of each.
type world struct {
	dir    string
	now    time.Time
	latest time.Time // the highest that the clock ever was
	set    *lobes.Set
	sets   []*lobes.Set // that were opened and not closed
	books  []*book
	n      int // texts so far
	calls  int // calls so far
	others int // what no call did, counted down
	copied bool
	seed   uint64
	full   bool // probe everything, not a part
	part   int
	done   map[string]int // steps that found something to do
}

func newWorld(dir string, seed uint64) *world {
	w := &world{dir: dir, now: base, latest: base, seed: seed, done: map[string]int{}}
	for range names() {
		w.books = append(w.books, newBook())
	}
	w.open()
	return w
}

func (w *world) clock() time.Time { return w.now }

func (w *world) folder(f int) string { return filepath.Join(w.dir, names()[f]) }

// rel is a path below a folder, as every copy of the folder has it.
func (w *world) rel(f int, path string) string {
	rel, err := filepath.Rel(w.folder(f), path)
	if err != nil {
		failf("%v", err)
	}
	return rel
}

func (w *world) target(f int) lobes.Target { return lobes.Target{Lobe: names()[f]} }

func (w *world) open() {
	var specs []lobes.Spec
	for f, name := range names() {
		specs = append(specs, lobes.Spec{Name: name, Dir: w.folder(f), Budget: -1})
	}
	w.set = lobes.NewSet(specs, lobes.Options{Now: w.clock, Settle: settleTime})
	w.sets = append(w.sets, w.set)
	w.look()
}

// look has each lobe compare its files with what it knows.
func (w *world) look() {
	for f := range names() {
		if _, err := w.set.Recall(context.Background(), w.target(f), lobes.Query{}); err != nil {
			failf("look at %s: %v", names()[f], err)
		}
	}
}

func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	if w.now.After(w.latest) {
		w.latest = w.now
	}
	w.redate()
}

// redate follows a clock that has been moved.
func (w *world) redate() {
	for _, b := range w.books {
		for _, e := range slices.Clone(b.events) {
			if e.pending {
				b.date(e, w.now)
			}
		}
	}
}

// play lets a step happen, in the lobes and in the book.
func (w *world) play(s step) {
	w.pass(time.Duration(s.Gap) * time.Millisecond)
	act, known := acts()[s.Do]
	if !known {
		failf("no step is called %q", s.Do)
	}
	s.Folder = s.Folder % len(w.books)
	w.calls++
	before := w.mark()
	act(w, s)
	if w.mark() != before {
		w.done[s.Do]++
	}
	for f := range w.books {
		w.reconcile(f, s.Do == "settle" || s.Do == "reopen")
	}
}

// mark changes when a step finds something to do.
func (w *world) mark() string {
	var b strings.Builder
	for _, book := range w.books {
		last := time.Time{}
		for _, e := range book.events {
			if e.at.After(last) {
				last = e.at
			}
		}
		fmt.Fprint(&b, len(book.events), len(book.files), len(book.erased), last, w.now, len(w.sets), " ")
	}
	return b.String()
}

// by is who acts in a step.
func (w *world) by(s step) lobes.By {
	return lobes.By{Actor: fmt.Sprint("agent ", 1+s.N%2), Session: session(s), Role: "assistant"}
}

func session(s step) string { return fmt.Sprint("s", s.N%3) }

// ownCall numbers what no step of a sequence did.
func (w *world) ownCall() int {
	w.others--
	return w.others
}

// event is one of this step's, at this time.
func (w *world) event(s step, id, op string, is *belief) *event {
	by := w.by(s)
	return &event{id: id, at: w.now, op: op, by: by.Actor, session: by.Session, change: w.calls, is: is}
}

// live are the entries of a folder that have a file, in the order of their
// first event.
func (w *world) live(f int) []string {
	b := w.books[f]
	return slices.DeleteFunc(b.ids(), func(id string) bool { return b.files[id] == nil })
}

// gone are those that have none and could come back.
func (w *world) gone(f int) []string {
	b := w.books[f]
	return slices.DeleteFunc(b.ids(), func(id string) bool { return b.files[id] != nil || b.erased[id] })
}

// absent are those whose file a person took away a moment ago.
func (w *world) absent(f int) []string {
	return slices.DeleteFunc(w.gone(f), func(id string) bool { return w.books[f].last(id).is == nil })
}

func pick(ids []string, s step) (string, bool) {
	if len(ids) == 0 {
		return "", false
	}
	return ids[s.Pick%len(ids)], true
}

// wrote notes what a call has written: the file must say what was expected.
func (w *world) wrote(f int, e *event) {
	b := w.books[f]
	if p := b.pendingOf(e.id); p != nil {
		p.pending = false // what a person wrote is written down before our own
	}
	b.add(e)
	if e.is == nil {
		if old := b.files[e.id]; old != nil {
			w.mustBeGone(old.path)
		}
		delete(b.files, e.id)
		return
	}
	path := w.find(f, e.id)
	bytes := w.bytes(path)
	if e.bytes != "" && e.bytes != bytes {
		failf("%s of %s left\n%s\nwant\n%s", e.op, e.id, bytes, e.bytes)
	}
	id, is, err := read(bytes)
	if err != nil || id != e.id {
		failf("%s of %s left %q (%v)", e.op, e.id, bytes, err)
	}
	if is != *e.is {
		failf("%s of %s left %+v, want %+v", e.op, e.id, is, *e.is)
	}
	e.bytes, e.path = bytes, w.rel(f, path)
	b.files[e.id] = &file{is: is, bytes: bytes, path: path}
}

// find gives the one file of an id in a folder.
func (w *world) find(f int, id string) string {
	var found []string
	w.walk(f, func(path string) {
		if strings.HasSuffix(path, string(filepath.Separator)+id+".md") {
			found = append(found, path)
		}
	})
	if len(found) != 1 {
		failf("%s has %d files in %s: %q", id, len(found), names()[f], found)
	}
	return found[0]
}

// walk visits the entries' files.
func (w *world) walk(f int, visit func(path string)) {
	err := filepath.WalkDir(w.folder(f), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if os.IsNotExist(err) {
				return nil
			}
			return err
		case d.IsDir() && path != w.folder(f) && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && !strings.HasPrefix(d.Name(), "."):
			visit(path)
		}
		return nil
	})
	if err != nil {
		failf("walk %s: %v", names()[f], err)
	}
}

func (w *world) bytes(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		failf("read what was written: %v", err)
	}
	return string(b)
}

func (w *world) mustBeGone(path string) {
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		failf("%s is still there (%v)", path, err)
	}
}

// reconcile compares the history's files with the book: each event that counts
// has one file, and no file is of anything else. What the product was free to
// write down, or not yet, is learned here.
func (w *world) reconcile(f int, rested bool) {
	b := w.books[f]
	all, err := recordings(w.folder(f))
	if err != nil {
		failf("history of %s: %v", names()[f], err)
	}
	for _, e := range b.events {
		at := slices.IndexFunc(all, func(r recording) bool { return matches(r, e) })
		switch {
		case at >= 0:
			e.hash, e.pending = all[at].hash(), false
			e.op = all[at].op
			all = slices.Delete(all, at, at+1)
		case !e.pending:
			failf("%s: the history lacks the %s of %s at %s", names()[f], e.op, e.id, stamp(e.at))
		case rested:
			failf("%s: the edit of %s at %s is not written down", names()[f], e.id, stamp(e.at))
		}
	}
	for _, r := range all {
		switch {
		case r.op == "erase" && b.erased[r.id]:
			if at, known := b.erasedAt[r.id]; !known || at.Before(r.at) {
				b.erasedAt[r.id] = r.at
			}
		case r.op == "retract" && slices.Contains(w.absent(f), r.id) && !r.at.After(w.latest):
			b.events = append(b.events, &event{id: r.id, at: r.at, hash: r.hash(), op: r.op, by: "outside", change: w.ownCall()})
		default:
			failf("%s: the history has a %s of %s at %s that never happened", names()[f], r.op, r.id, stamp(r.at))
		}
	}
	if left := w.absent(f); rested && len(left) > 0 {
		failf("%s: the deletions of %q are not written down", names()[f], left)
	}
	for id := range b.erased {
		w.mustBeErased(f, id)
	}
}

func matches(r recording, e *event) bool {
	return r.id == e.id && r.at.Equal(e.at) && r.gone == (e.is == nil) && (r.gone || r.bytes == e.bytes)
}

func (w *world) mustBeErased(f int, id string) {
	w.walk(f, func(path string) {
		if strings.Contains(path, id) {
			failf("%s was erased, and %s is there", id, path)
		}
	})
}

func stamp(at time.Time) string { return "T+" + at.Sub(base).String() }

// quit ends every process of the world.
func (w *world) quit() error {
	var errs []error
	for _, set := range w.sets {
		errs = append(errs, set.Close(context.Background()))
	}
	return errors.Join(errs...)
}
