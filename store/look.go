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
	"strings"
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
	head  *Head     // nil: never had content, or too large
	since time.Time // when a look first found this content; on the store's clock
	empty time.Time // since when the file has been empty; zero when it is not
	large bool
	bad   error // it could not be read
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
	w := &walk{s: s, seen: map[string]stamp{}, start: s.wall(), blind: map[string]error{}}
	if root != nil {
		defer root.Close() // a folder handle: nothing to lose
	}
	if err := w.pass(ctx, root); err != nil {
		return nil, fmt.Errorf("look at store: %w", err)
	}
	fresh, err := w.read(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("look at store: %w", err)
	}
	s.take(w, fresh)
	return s.view, nil
}

// pass finds out which files to consider, and which are gone: from the events
// since the last look where they tell all, else by a scan.
func (w *walk) pass(ctx context.Context, root *os.Root) error {
	s := w.s
	if root == nil {
		s.unwatch()
	} else if dirty, ok := s.events(); ok && w.some(root, dirty) {
		return w.again(ctx, root)
	} else {
		s.rewatch()
		w.watch = s.watch
		if err := w.folder(ctx, root, "."); err != nil {
			s.unwatch()
			return err
		}
	}
	for p := range s.files {
		if _, ok := w.seen[p]; !ok && !w.hidden(p) {
			w.gone = append(w.gone, p)
		}
	}
	s.strays, s.links, s.blind = w.strays, w.links, w.blind
	if root == nil {
		return nil
	}
	return w.again(ctx, root)
}

// some considers the files that events have named, and those that events do
// not tell all about. It tells false when that is not enough: a file that has
// got a second name makes no event under its first.
func (w *walk) some(root *os.Root, dirty map[string]bool) bool {
	for p := range w.s.recheck {
		dirty[p] = true
	}
	for p := range dirty {
		st, ok := w.restamp(root, p)
		switch {
		case ok && st.links > 1 && !w.s.recheck[p]:
			clear(w.seen)
			w.gone = nil
			return false
		case ok && st.kind == kindFile:
			w.seen[p] = st
		case w.s.files[p] != nil:
			w.gone = append(w.gone, p)
		}
	}
	return true
}

// walk is one pass over the folder.
type walk struct {
	s      *Store
	start  time.Time
	seen   map[string]stamp // files to consider
	gone   []string         // known files that are not there
	watch  *watcher         // nil: nothing to watch with
	strays []string
	links  []string
	blind  map[string]error // folders that could not be listed
}

func (w *walk) folder(ctx context.Context, root *os.Root, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.watch != nil {
		if err := w.watch.add(dir); err != nil {
			w.s.unwatched = err
			w.s.unwatch()
			w.watch = nil
		}
	}
	f, err := root.Open(dir)
	if err != nil {
		return w.unlisted(dir, err)
	}
	defer f.Close() // a folder handle: nothing to lose
	names, err := f.Readdirnames(-1)
	if err != nil {
		return w.unlisted(dir, err)
	}
	var below []string
	for _, name := range names {
		p := path.Join(dir, name)
		if strings.HasPrefix(name, tempPrefix) {
			w.strays = append(w.strays, p)
		}
		if strings.ContainsRune(".#~", rune(name[0])) {
			continue
		}
		st, err := stampAt(f, name)
		switch {
		case err != nil: // it vanished between the two calls
		case st.kind == kindFolder:
			below = append(below, p)
		case st.kind == kindLink:
			w.links = append(w.links, p)
		case st.kind == kindFile && entry.IsEntryPath(p):
			w.seen[p] = st
		}
	}
	slices.Sort(below)
	for _, p := range below {
		if err := w.folder(ctx, root, p); err != nil {
			return err
		}
	}
	return nil
}

// unlisted forgives a folder that vanished, and remembers one that cannot be
// listed: what was known of it stays, and it is named as a problem. Only the
// store's own folder must be readable.
func (w *walk) unlisted(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if dir == "." {
		return err
	}
	w.blind[dir] = err
	return nil
}

// hidden tells whether a path lies in a folder that could not be listed.
func (w *walk) hidden(p string) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if _, ok := w.blind[dir]; ok {
			return true
		}
	}
	return false
}

// again gives a file that has just gone a moment to come back: many editors
// save by moving the file away and writing a new one. A deletion costs that
// moment once.
func (w *walk) again(ctx context.Context, root *os.Root) error {
	if len(w.gone) == 0 || len(w.gone) > 3 {
		return nil
	}
	for range 3 {
		time.Sleep(5 * time.Millisecond)
		w.gone = slices.DeleteFunc(w.gone, func(p string) bool {
			st, ok := w.restamp(root, p)
			if ok && st.kind == kindFile {
				w.seen[p] = st
			}
			return ok && st.kind == kindFile
		})
		if err := ctx.Err(); err != nil || len(w.gone) == 0 {
			return err
		}
	}
	return nil
}

func (w *walk) restamp(root *os.Root, p string) (stamp, bool) {
	dir, err := root.Open(path.Dir(p))
	if err != nil {
		return stamp{}, false
	}
	defer dir.Close() // a folder handle: nothing to lose
	st, err := stampAt(dir, path.Base(p))
	return st, err == nil
}

// content is what reading one file gave.
type content struct {
	path  string
	stamp stamp
	read  time.Time
	bytes []byte
	head  *Head
	gone  bool
	bad   error
}

// read reads, in parallel, the files that may have changed.
func (w *walk) read(ctx context.Context, root *os.Root) ([]content, error) {
	var todo []content
	for p, st := range w.seen {
		old := w.s.files[p]
		if old != nil && unchanged(old.stamp, st, old.read) && old.empty.IsZero() {
			continue
		}
		todo = append(todo, content{path: p, stamp: st})
	}
	var group sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), len(todo))
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(todo) && ctx.Err() == nil; i += workers {
				w.readOne(root, &todo[i])
			}
		})
	}
	group.Wait()
	return todo, ctx.Err()
}

func (w *walk) readOne(root *os.Root, c *content) {
	if c.stamp.size > maxHead {
		c.read = w.start
		return
	}
	b, st, read, err := readFile(root, c.path, w.s.wall)
	if errors.Is(err, fs.ErrNotExist) {
		c.gone = true
		return
	}
	if err != nil {
		c.bad, c.read = err, w.start
		return
	}
	c.bytes, c.stamp, c.read = b, st, read
	if isBlank(b) {
		return
	}
	if old := w.s.files[c.path]; old != nil && old.head != nil && old.head.Hash == entry.Sum(b) {
		c.head = old.head
		if c.head.touched().UnixNano() == max(st.mtime, st.ctime) {
			return
		}
	}
	c.head = w.s.parse(c.path, st, b)
}

// parse makes the head that a file's bytes are.
func (s *Store) parse(p string, st stamp, b []byte) *Head {
	h := &Head{
		Path: p, Hash: entry.Sum(b), Size: int64(len(b)),
		Modified: time.Unix(0, st.mtime).UTC(),
	}
	if st.ctime != 0 {
		h.Changed = time.Unix(0, st.ctime).UTC()
	}
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
	b, err := io.ReadAll(io.LimitReader(f, maxHead+1))
	if err != nil {
		return nil, before, read, err
	}
	after, err := stampOpen(f)
	if err == nil && (after != before || after.size != int64(len(b))) {
		err = errMoved
	}
	return b, after, read, err
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
	for _, c := range fresh {
		if c.gone {
			w.gone = append(w.gone, c.path)
			continue
		}
		changed = s.takeOne(d, c, now) || changed
	}
	var gone []string
	for _, p := range w.gone {
		f := s.files[p]
		delete(s.files, p)
		delete(s.matched, p)
		delete(s.recheck, p)
		if f != nil && f.head != nil {
			d.drop(p)
			changed = true
			gone = append(gone, f.head.Entry.ID)
		}
	}
	if changed {
		s.view = d.done()
	}
	s.noteMissing(gone, now)
}

// takeOne takes over one file that was read; it tells whether the view changes.
func (s *Store) takeOne(d *draft, c content, now time.Time) bool {
	old := s.files[c.path]
	f := &file{stamp: c.stamp, read: c.read, head: c.head, since: now, large: c.stamp.size > maxHead}
	s.files[c.path] = f
	if old != nil && old.head != nil && c.head != nil && old.head.Hash == c.head.Hash {
		f.since = old.since
	}
	f.bad = c.bad
	if c.bad != nil && old != nil {
		f.head, f.since = old.head, old.since // what it held when it could be read
	}
	if c.head == nil && !f.large && c.bad == nil { // empty: speak from what it held until it has stayed so
		f.empty = now
		if old != nil && !old.empty.IsZero() {
			f.empty = old.empty
		}
		if old != nil && now.Sub(f.empty) < emptyRest {
			f.head, f.since = old.head, old.since
		}
	}
	if f.bad != nil || !f.empty.IsZero() || f.stamp.links > 1 {
		s.recheck[c.path] = true
	} else {
		delete(s.recheck, c.path)
	}
	was := (*Head)(nil)
	if old != nil {
		was = old.head
	}
	switch {
	case f.head == was:
		return false
	case f.head == nil:
		d.drop(c.path)
	default:
		d.put(f.head)
	}
	return true
}
