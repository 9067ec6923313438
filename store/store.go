// Package store keeps one folder of entries: the files people read and edit,
// and every state that each of them ever had.
//
// [Open] creates nothing. [Store.Look] compares the folder with the last look
// and answers with a [View], an immutable snapshot; it reads again only what
// may have changed, and it never trusts a timer. [Store.Write] is the only way
// to change an entry: under the folder's lock, head first, then history, so
// that a kill at any instant loses nothing that was acknowledged. What a person
// or another program wrote is never overwritten: it becomes a revision first.
//
// The protocol is docs/format.md, sections 5 to 8. The package never goes
// outside its folder, and it never changes a file that it cannot parse.
package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// Options adjust a store. The zero value works.
type Options struct {
	Now    func() time.Time // the clock of recorded times; nil is time.Now
	Plain  entry.Trust      // trust of a file without a header; "" is agent-inferred
	Slug   bool             // new file names begin with the title
	Settle time.Duration    // between two looks that must agree; 0 is 30 s
	Person func() string    // who an edit from outside may be by: git's user.name; asked when one is written down
	Shared fs.FileMode      // permission bits that new files and folders get besides the owner's
	Random io.Reader        // for ids and temporary names; nil is crypto/rand
	Watch  bool             // ask the kernel what changed, where it tells completely: for a process that looks often
}

// Store is one folder of entries. It is safe for concurrent use.
type Store struct {
	dir  string
	opts Options
	wall func() time.Time // the clock that file times are compared with

	looking   sync.Mutex // guards files, looks and what follows
	files     map[string]*file
	view      *View
	warm      warm              // has a lock of its own
	ahead     *ahead            // a scan for the next look; nil: it makes its own
	saved     *View             // that the last snapshot speaks of
	passes    int               // scans so far
	strays    []string          // our own temporaries seen by the last look
	links     []string          // symbolic links seen by the last look
	blind     map[string]error  // folders that the last look could not list
	recheck   map[string]bool   // files that events do not tell all about: empty, unreadable, with several names
	watch     *watcher          // nil: each look scans
	unwatched error             // why it does
	missing   map[string]absent // ids whose head went away, and since when
	late      []*replaced
	found     []Conflict
	twinned   map[string]bool // ids that had twins
	over      map[string]Override

	listing     sync.Mutex // guards what follows
	listedNames names      // of history, as it was listed last
	memo        memo
	accord      accord

	records recordMemo

	writing   sync.Mutex // one writer of this process at a time
	recovered bool       // leftovers of a kill were settled; guarded by writing
}

// Open gives the store in dir, an absolute path that need not exist.
func Open(dir string, o Options) (*Store, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("open store %q: the path is not absolute", dir)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("open store %q: %w", dir, errNotFolder)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Settle == 0 {
		o.Settle = 30 * time.Second
	}
	if o.Person == nil {
		o.Person = func() string { return "" }
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return &Store{
		dir: filepath.Clean(dir), opts: o, wall: time.Now,
		files: map[string]*file{}, recheck: map[string]bool{}, view: &View{}, missing: map[string]absent{},
		over: map[string]Override{},
	}, nil
}

// Dir is the store's folder.
func (s *Store) Dir() string { return s.dir }

// View is what the last look saw; it is empty before the first.
func (s *Store) View() *View {
	s.looking.Lock()
	defer s.looking.Unlock()
	return s.view
}

// Close looks once more at files that were replaced while an editor may have
// had them open, and gives them up. It writes only what such an editor wrote.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.looking.Lock()
	s.lookAtReplaced(true)
	s.dropAhead()
	s.unwatch()
	open := s.unkept()
	s.looking.Unlock()
	if !open {
		return nil
	}
	return s.locked(context.Background(), func(w *writer) error { return w.keepLate() })
}

// root opens the folder anew, since a folder that was moved away and put back
// is another one. A nil root without an error is a folder that does not exist.
func (s *Store) root() (*os.Root, error) {
	root, err := os.OpenRoot(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return root, err
}

// abs turns a path of the store into one that a person can open.
func (s *Store) abs(path string) string {
	return filepath.Join(s.dir, filepath.FromSlash(path))
}
