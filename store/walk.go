package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// walk is one pass over the folder.
type walk struct {
	s         *Store
	start     time.Time
	seen      []sighting // files to consider
	gone      []string   // known files that are not there
	watch     *watcher   // nil: nothing to watch with
	unwatched error      // why
	scanned   bool       // the first pass was done ahead
	strays    []string
	links     []string
	blind     map[string]error // folders that could not be listed
	passes    int              // this one's number
	lost      bool             // a folder vanished before it could be listed
	dirty     map[string]bool  // what events have named, in all passes
	all       bool             // one of the passes scanned: the rest do
}

// sighting is a file that was seen, and what the system says of it.
type sighting struct {
	path  string
	stamp stamp
}

func (s *Store) newWalk() *walk {
	return &walk{s: s, start: s.wall(), blind: map[string]error{}}
}

// scan goes through all folders, those of one depth side by side. What happens
// from now on is an event; where that fails each look scans.
func (w *walk) scan(ctx context.Context, root *os.Root) error {
	if w.s.opts.Watch {
		w.watch, w.unwatched = watchFolder(w.s.dir)
	}
	for level := []string{"."}; len(level) > 0; {
		w.watchAll(level)
		found := make([]listing, len(level))
		var group sync.WaitGroup
		workers := min(2*runtime.GOMAXPROCS(0), len(level))
		for worker := range workers {
			group.Go(func() {
				for i := worker; i < len(level) && ctx.Err() == nil; i += workers {
					found[i].read(root, level[i])
				}
			})
		}
		group.Wait()
		if err := ctx.Err(); err != nil {
			return err
		}
		var below []string
		for i := range found {
			if err := w.merge(level[i], &found[i]); err != nil {
				return err
			}
			below = append(below, found[i].below...)
		}
		level = below
	}
	return nil
}

// watchAll watches folders before they are listed: a change is in the list or
// an event.
func (w *walk) watchAll(dirs []string) {
	for _, dir := range dirs {
		if w.watch == nil {
			return
		}
		if err := w.watch.add(dir); err != nil {
			w.unwatched = err
			w.watch.close() // the queue is given up: nothing to lose
			w.watch = nil
		}
	}
}

// listing is what one folder holds.
type listing struct {
	seen                 []sighting
	below, strays, links []string
	err                  error
}

func (l *listing) read(root *os.Root, dir string) {
	f, err := root.Open(dir)
	if err != nil {
		l.err = err
		return
	}
	defer f.Close() // a folder handle: nothing to lose
	names, err := f.Readdirnames(-1)
	if err != nil {
		l.err = err
		return
	}
	visible := names[:0]
	for _, name := range names {
		if strings.HasPrefix(name, tempPrefix) {
			l.strays = append(l.strays, path.Join(dir, name))
		}
		if !strings.ContainsRune(".#~", rune(name[0])) {
			visible = append(visible, name)
		}
	}
	l.seen = make([]sighting, 0, len(visible))
	l.err = stampEach(f, visible, func(name string, st stamp) {
		p := path.Join(dir, name)
		switch {
		case st.kind == kindFolder:
			l.below = append(l.below, p)
		case st.kind == kindLink:
			l.links = append(l.links, p)
		case st.kind == kindFile && entry.IsEntryPath(p):
			l.seen = append(l.seen, sighting{p, st})
		}
	})
}

func (w *walk) merge(dir string, l *listing) error {
	if l.err != nil {
		return w.unlisted(dir, l.err)
	}
	w.seen = append(w.seen, l.seen...)
	w.strays, w.links = append(w.strays, l.strays...), append(w.links, l.links...)
	return nil
}

// unlisted forgives a folder that vanished, and remembers one that cannot be
// listed: what was known of it stays, and it is named as a problem. Only the
// store's own folder must be readable.
func (w *walk) unlisted(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		w.lost = true
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
	if len(w.gone) == 0 || len(w.gone) > 3 || w.passes > 1 {
		return nil
	}
	for range 3 {
		time.Sleep(5 * time.Millisecond)
		w.gone = slices.DeleteFunc(w.gone, func(p string) bool {
			st, ok := w.restamp(root, p)
			if ok && st.kind == kindFile {
				w.seen = append(w.seen, sighting{p, st})
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

// pass finds out which files to consider, and which are gone: from the events
// since the last look where they tell all, else by a scan.
func (w *walk) pass(ctx context.Context, root *os.Root) error {
	s := w.s
	if root == nil {
		s.unwatch()
	} else if !w.scanned && w.told(root) {
		return w.again(ctx, root)
	} else if err := w.rescan(ctx, root); err != nil {
		return err
	}
	s.passes++
	for _, c := range w.seen {
		if f := s.files[c.path]; f != nil {
			f.pass = s.passes
		}
	}
	for p, f := range s.files {
		if f.pass != s.passes && !w.hidden(p) {
			w.gone = append(w.gone, p)
		}
	}
	s.strays, s.links, s.blind = w.strays, w.links, w.blind
	if root == nil {
		return nil
	}
	return w.again(ctx, root)
}

// rescan scans, unless that was done ahead, and goes on to watch.
func (w *walk) rescan(ctx context.Context, root *os.Root) (err error) {
	w.s.unwatch()
	if !w.scanned {
		err = w.scan(ctx, root)
	}
	w.all, w.scanned = true, false
	w.s.watch, w.s.unwatched = w.watch, w.unwatched
	w.watch = nil
	return err
}

// told considers what events tell, unless only a scan can tell all.
func (w *walk) told(root *os.Root) bool {
	dirty, ok := w.s.events()
	if !ok || w.all {
		return false
	}
	maps.Copy(dirty, w.dirty)
	w.dirty = dirty
	return w.some(root, dirty)
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
			w.seen, w.gone = nil, nil
			return false
		case ok && st.kind == kindFile:
			w.seen = append(w.seen, sighting{p, st})
		case w.s.files[p] != nil:
			w.gone = append(w.gone, p)
		}
	}
	return true
}
