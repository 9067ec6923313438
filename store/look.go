package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// maxHead is the size above which a file is not read as an entry.
const maxHead = 1 << 20

// tempPrefix begins the names of our own temporaries beside the heads.
const tempPrefix = ".tmp-"

// emptyRest is how long an empty file counts as an editor in mid-save.
const emptyRest = 30 * time.Second

// file is what the store knows of one path.
type file struct {
	stamp stamp
	read  time.Time // the moment just before it was read
	ref   *Ref      // to the head; nil: never had content, or too large
	since time.Time // when a look first found this content; on the store's clock
	empty time.Time // since when the file has been empty; zero when it is not
	large bool
	bad   error // it could not be read
	pass  int   // the last scan that saw it
}

// Look compares the folder with the last look and gives what is there now. It
// reads only files that may have changed. A folder that does not exist is an
// empty store. On error the old view stays.
func (s *Store) Look(ctx context.Context) (*View, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	return s.look(ctx)
}

// look is Look for a caller that holds s.looking.
func (s *Store) look(ctx context.Context) (*View, error) {
	s.lookAtReplaced(false)
	root, err := s.root()
	if err != nil {
		return nil, fmt.Errorf("look at store: %w", err)
	}
	w := s.begun(ctx)
	if root != nil {
		defer root.Close() // a folder handle: nothing to lose
	}
	fresh, err := w.whole(ctx, root)
	if err != nil {
		s.unwatch() // the events that were taken are lost: the next look scans
		return nil, fmt.Errorf("look at store: %w", err)
	}
	s.take(w, fresh)
	return s.view, nil
}

// mostPasses bounds how often one look goes through a folder in which files
// move all the time.
const mostPasses = 8

// whole finds out what may have changed, and reads it. A file that is moved
// while it is looked for may be missed in both places, so what is gone and found
// nowhere else must be so in two passes; or met in both, so those places are
// looked at once more. When the passes run out, what only the last one has
// missed counts as being where it was.
func (w *walk) whole(ctx context.Context, root *os.Root) ([]content, error) {
	var before []string
	for w.passes = 1; ; w.passes++ {
		if err := w.pass(ctx, root); err != nil {
			return nil, err
		}
		fresh, err := w.read(ctx, root)
		if err != nil {
			return nil, err
		}
		lost := w.unfound(fresh)
		last := w.passes == mostPasses
		if last {
			fresh = w.hold(fresh, lost, before)
		}
		agreed := len(lost) == 0 || w.passes > 1 && slices.Equal(lost, before)
		if last || agreed && !w.lost {
			if w.unmove(root, fresh) || last {
				return fresh, nil
			}
		}
		before = lost
		w.seen, w.gone, w.strays, w.links, w.lost, w.blind = nil, nil, nil, nil, false, map[string]error{}
	}
}

// content is what reading one file gave.
type content struct {
	path  string
	stamp stamp
	read  time.Time
	ref   *Ref
	gone  bool
	bad   error
}

// read reads, in parallel, the files that may have changed.
func (w *walk) read(ctx context.Context, root *os.Root) ([]content, error) {
	var todo []content
	for _, c := range w.seen {
		old := w.s.files[c.path]
		if old != nil && unchanged(old.stamp, c.stamp, old.read) && old.empty.IsZero() {
			continue
		}
		todo = append(todo, content{path: c.path, stamp: c.stamp})
	}
	var group sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), len(todo))
	for worker := range workers {
		group.Go(func() {
			f := folders{root: root}
			defer f.close()
			for i := worker; i < len(todo) && ctx.Err() == nil; i += workers {
				w.readOne(&f, &todo[i])
			}
		})
	}
	group.Wait()
	w.refill(root, todo)
	return todo, ctx.Err()
}

// refill gives files that have just been emptied a moment to be written: many
// programs save by emptying the file first. What it held before may have been
// saved after the last look, and is known to nobody.
func (w *walk) refill(root *os.Root, todo []content) {
	f := folders{root: root}
	defer f.close()
	for range 3 {
		var empty []*content
		for i := range todo {
			if w.emptied(&todo[i]) {
				empty = append(empty, &todo[i])
			}
		}
		if len(empty) == 0 || len(empty) > 3 {
			return
		}
		time.Sleep(2 * time.Millisecond)
		for _, c := range empty {
			*c = content{path: c.path, stamp: c.stamp}
			w.readOne(&f, c)
		}
	}
}

// emptied tells whether a file had content at the last look and has none now.
func (w *walk) emptied(c *content) bool {
	old := w.s.files[c.path]
	return old != nil && old.ref != nil && old.empty.IsZero() &&
		c.ref == nil && !c.gone && c.bad == nil && c.stamp.size <= maxHead
}

// folders keeps the folder open in which a file was read last: the next one
// mostly lies there, too.
type folders struct {
	root *os.Root
	dir  string
	last *os.Root
}

// of gives a folder, and the name in it, by which to open a file.
func (f *folders) of(p string) (*os.Root, string) {
	dir, name := path.Split(p)
	if f.last == nil || f.dir != dir {
		f.close()
		if dir == "" {
			return f.root, name
		}
		last, err := f.root.OpenRoot(dir)
		if err != nil {
			return f.root, p // which says why, if it matters
		}
		f.dir, f.last = dir, last
	}
	return f.last, name
}

func (f *folders) close() {
	if f.last != nil {
		f.last.Close() // a folder handle: nothing to lose
		f.last = nil
	}
}

func (w *walk) readOne(f *folders, c *content) {
	if c.stamp.size > maxHead {
		c.read = w.start
		return
	}
	root, name := f.of(c.path)
	b, st, read, err := readFile(root, name, w.s.wall)
	if errors.Is(err, fs.ErrNotExist) {
		c.gone = true
		return
	}
	if err != nil {
		c.bad, c.read = err, w.start
		return
	}
	c.stamp, c.read = st, read
	if isBlank(b) {
		return
	}
	if old := w.s.files[c.path]; old != nil && old.ref != nil && old.ref.sum() == sumOfHash(entry.Sum(b)) {
		c.ref = old.ref
		if c.ref.Head().touched().UnixNano() == max(st.mtime, st.ctime) {
			return
		}
	}
	c.ref = w.s.warm.pack(w.s.parse(c.path, st, b))
}

// parse makes the head that a file's bytes are.
func (s *Store) parse(p string, st stamp, b []byte) *Head {
	h := &Head{Path: p, Hash: entry.Sum(b), Size: int64(len(b))}
	h.times(st)
	parsed, err := entry.ParseFile(p, h.Modified, b)
	h.Entry, h.Form = parsed.Entry, parsed.Form
	var broken *entry.SyntaxError
	if errors.As(err, &broken) {
		h.Broken = broken
	}
	if h.Form == entry.Plain && s.opts.Plain != "" && h.Broken == nil {
		h.Entry.Trust = s.opts.Plain
	}
	return h
}

// readFile reads a whole file as it was at one moment, as far as its stamp can
// tell: a file that changes while it is read is read again.
func readFile(root *os.Root, p string, wall func() time.Time) (b []byte, st stamp, read time.Time, err error) {
	for range 5 {
		b, st, read, err = readOnce(root, p, wall)
		if !errors.Is(err, errMoved) {
			return b, st, read, err
		}
		time.Sleep(time.Millisecond)
	}
	return b, st, read, nil // it changes all the time: what it held last will be read again at the next look
}

var errMoved = errors.New("changed while it was read")

func readOnce(root *os.Root, p string, wall func() time.Time) ([]byte, stamp, time.Time, error) {
	read := wall()
	f, err := root.OpenFile(p, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, stamp{}, read, err
	}
	defer f.Close() // only read
	before, err := stampOpen(f)
	if err != nil {
		return nil, stamp{}, read, err
	}
	if before.kind != kindFile {
		return nil, before, read, &fs.PathError{Op: "read", Path: p, Err: fs.ErrNotExist}
	}
	b, err := readAll(f, before.size)
	if err != nil {
		return nil, before, read, err
	}
	after, err := stampOpen(f)
	if err == nil && (after != before || after.size != int64(len(b))) {
		err = errMoved
	}
	return b, after, read, err
}

// readAll reads a file that is about so long, as far as it can be an entry.
func readAll(f *os.File, size int64) ([]byte, error) {
	b := make([]byte, 0, min(size, maxHead)+1)
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) || len(b) > maxHead || err == nil && int64(len(b)) == size && len(b) < cap(b) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, 512)
		}
	}
}

// isBlank tells whether bytes are what an editor leaves in the middle of a save.
func isBlank(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// take makes the new view out of what was seen and read.
func (s *Store) take(w *walk, fresh []content) {
	now := s.opts.Now()
	d := newDraft(s.view)
	changed := false
	var gone []*Head
	for _, c := range fresh {
		if c.gone {
			w.gone = append(w.gone, c.path)
		}
	}
	for _, c := range fresh {
		if c.gone {
			continue
		}
		was := s.files[c.path]
		changed = s.takeOne(w, d, c, now) || changed
		if now := s.files[c.path].ref; was != nil && was.ref != nil && now != was.ref && (now == nil || now.ID() != was.ref.ID()) {
			gone = append(gone, was.ref.Head())
		}
	}
	for _, p := range w.gone {
		f := s.files[p]
		delete(s.files, p)
		s.accord.drop(p)
		delete(s.recheck, p)
		if f != nil && f.ref != nil {
			d.drop(p)
			changed = true
			gone = append(gone, f.ref.Head())
		}
	}
	if changed {
		s.view = d.done()
	}
	s.noteMissing(gone, now)
}

// takeOne takes over one file that was read; it tells whether the view changes.
func (s *Store) takeOne(w *walk, d *draft, c content, now time.Time) bool {
	old := s.files[c.path]
	f := &file{pass: s.passes, stamp: c.stamp, read: c.read, ref: c.ref, since: now, large: c.stamp.size > maxHead}
	s.files[c.path] = f
	if old != nil && old.ref != nil && c.ref != nil && (old.ref == c.ref || old.ref.sum() == c.ref.sum()) {
		f.since = old.since
	}
	f.bad = c.bad
	if c.bad != nil && old != nil {
		f.ref, f.since = old.ref, old.since // what it held when it could be read
	}
	if c.ref == nil && !f.large && c.bad == nil { // empty: speak from what it held until it has stayed so
		f.empty = now
		if old != nil && !old.empty.IsZero() {
			f.empty = old.empty
		}
		if held := s.beforeItWas(w, old, c); held != nil && now.Sub(f.empty) < emptyRest {
			f.ref, f.since = held.ref, held.since
		}
	}
	if f.bad != nil || !f.empty.IsZero() || f.stamp.links > 1 {
		s.recheck[c.path] = true
	} else {
		delete(s.recheck, c.path)
	}
	was := (*Ref)(nil)
	if old != nil {
		was = old.ref
	}
	switch {
	case f.ref == was:
		return false
	case f.ref == nil:
		d.drop(c.path)
	default:
		d.put(f.ref)
	}
	return true
}
