package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/gofrs/flock"
)

// A snapshot holds what a store and an index know of the files, so that the
// next process need not read files that have not changed. It is disposable: a
// missing, cut, damaged or foreign one is as good as none.
//
// snapshotFormat is raised when its layout changes.
//
//	1: stamps and entries, then the index
//	2: whether history has the entry
//	3: an index without entries that are in doubt; the keys that history had
//	4: the entries in the order of the index, each a part of its own that is
//	   read when somebody asks
const snapshotFormat = 4

// leastPacked is the number of bytes that a file takes at least.
const leastPacked = 100

const snapshotMagic = "memory-mcp snapshot\n"

// snapshotLeast is the number of files below which reading them is as quick.
const snapshotLeast = 200

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// snapshotName tells versions of the program apart by what they store, so
// that two of them do not take turns in writing.
func snapshotName(version string) string {
	return path.Join(stateDir, fmt.Sprintf("index.%d.%08x", snapshotFormat, crc32.Checksum([]byte(version), castagnoli)))
}

// LoadSnapshot takes over what another process knew, before the first look. That
// look begins with it, and may tell of the files as they are at this moment.
// The version names what the index depends on. The error says why there is
// none; the store then reads all files itself.
func (s *Store) LoadSnapshot(version string) (Snapshot, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if len(s.files) > 0 {
		return Snapshot{}, errors.New("load snapshot: the store has been looked at already")
	}
	s.scanAhead()
	version = s.snapshotVersion(version)
	b, err := s.readSnapshot(version)
	if err != nil {
		return Snapshot{}, fmt.Errorf("load snapshot: %w", err)
	}
	u, index, err := openSnapshot(b, version)
	if err != nil {
		return Snapshot{}, fmt.Errorf("load snapshot: %w", err)
	}
	l := s.unpackAll(u)
	if u.err != nil {
		return Snapshot{}, fmt.Errorf("load snapshot: %w", u.err)
	}
	s.files, s.view = l.files, l.draft.done()
	s.accord.take(l.known, l.gone)
	s.saved = s.view
	return Snapshot{Index: index, View: s.view, Refs: l.refs}, nil
}

// loaded is what a snapshot says of the files.
type loaded struct {
	files map[string]*file
	draft *draft
	refs  []*Ref
	known []agreed
	gone  map[string]uint64
}

func (s *Store) unpackAll(u *unpacker) loaded {
	n := u.uint()
	if n > uint64(len(u.s)/leastPacked) {
		u.fail()
		return loaded{}
	}
	l := loaded{
		files: make(map[string]*file, n), draft: newDraft(&View{}), refs: make([]*Ref, n), known: make([]agreed, 0, n),
		gone: map[string]uint64{},
	}
	files, refs, now := make([]file, n), make([]Ref, n), s.opts.Now()
	l.draft.expect(int(n))
	for i := range files {
		f, r := &files[i], &refs[i]
		r.warm, l.refs[i] = &s.warm, r
		keys, settled := u.file(f, r, now)
		at := unpacker{s: r.packed}
		p, id := at.str(), at.str()
		at.hash()
		size := at.int()
		if u.err != nil || at.err != nil || l.files[p] != nil {
			u.fail()
			return loaded{}
		}
		l.files[p] = f
		if settled {
			l.known = append(l.known, agreed{r, keys})
		}
		l.draft.load(p, id, r, size)
	}
	for n := u.uint(); n > 0 && u.err == nil; n-- {
		id := u.str()
		l.gone[id] = u.uint()
	}
	return l
}

// Replace says that the snapshot that was loaded is of no use: the next one is
// written whatever has changed.
func (s *Store) Replace() {
	s.looking.Lock()
	defer s.looking.Unlock()
	s.saved = nil
}

func (s *Store) readSnapshot(version string) ([]byte, error) {
	root, err := s.root()
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, fs.ErrNotExist
	}
	defer root.Close() // a folder handle: nothing to lose
	return root.ReadFile(snapshotName(version))
}

// Snapshot is what another process knew.
type Snapshot struct {
	Index []byte // as it was saved
	View  *View  // that the index speaks of
	Refs  []*Ref // of its files, in the order in which the index was saved
}

// snapshotVersion adds what the entries themselves depend on.
func (s *Store) snapshotVersion(version string) string {
	return version + " plain=" + string(s.opts.Plain)
}

// openSnapshot checks a snapshot as a whole and finds its two parts.
func openSnapshot(b []byte, version string) (*unpacker, []byte, error) {
	const tail = 4
	if len(b) < len(snapshotMagic)+tail || string(b[:len(snapshotMagic)]) != snapshotMagic {
		return nil, nil, errPacked
	}
	body := b[:len(b)-tail]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(body):]) {
		return nil, nil, errors.New("its checksum does not agree")
	}
	u := &unpacker{s: unsafe.String(unsafe.SliceData(body), len(body))[len(snapshotMagic):]} // never written again
	if u.str() != version {
		return nil, nil, errors.New("another version of the program wrote it")
	}
	size := u.uint()
	if u.err != nil || size > uint64(len(u.s)) {
		return nil, nil, errPacked
	}
	index := body[len(body)-len(u.s):][:size:size]
	u.s = u.s[size:]
	return u, index, nil
}

// SaveSnapshot writes what the store knows of a view, and the index that
// speaks of the same view, for the next process. Unless final, it does so only
// after enough has changed. What is in doubt is to be left out of the index,
// and is read again by whoever takes over; the index returns the paths of the
// rest in its order, or nil where that does not matter. It does nothing in a folder that was never written, and when another process is at it. It tells whether it wrote.
func (s *Store) SaveSnapshot(ctx context.Context, version string, view *View, final bool, index func(w io.Writer, without ...string) ([]string, error)) (bool, error) {
	version = s.snapshotVersion(version)
	b, ok, err := s.packSnapshot(version, view, final, index)
	if err != nil || !ok {
		return false, err
	}
	root, err := s.root()
	if err != nil || root == nil {
		return false, err
	}
	defer root.Close() // a folder handle: nothing to lose
	if _, err := root.Lstat(lobeName); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if ok, err := s.storeSnapshot(ctx, root, snapshotName(version), view, b); err != nil || !ok {
		return false, err
	}
	s.accord.saved()
	s.looking.Lock()
	s.saved = view
	s.looking.Unlock()
	return true, ctx.Err()
}

// snapshotLock is held by whoever writes a snapshot, or erases one.
const snapshotLock = "index.lock"

// storeSnapshot puts a snapshot in place, unless another process is at it, or
// the folder has changed since: what has been erased must not come back.
func (s *Store) storeSnapshot(ctx context.Context, root *os.Root, name string, view *View, b []byte) (done bool, err error) {
	w := &writer{s: s, root: root}
	if err := w.makeDir(stateDir); err != nil {
		return false, fmt.Errorf("save snapshot: %w", err)
	}
	lock := flock.New(filepath.Join(s.abs(stateDir), snapshotLock), flock.SetFlag(lockFlags), flock.SetPermissions(s.fileMode()))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return false, err
	}
	now, err := s.Look(ctx)
	if err == nil && now == view {
		err = w.replaceSnapshot(name, b)
		done = err == nil
	}
	if err = errors.Join(err, lock.Close()); err != nil {
		return false, fmt.Errorf("save snapshot: %w", err)
	}
	return done, nil
}

// worth tells whether a view differs enough from the one that was saved last.
func (s *Store) worth(view *View, final bool) bool {
	if view.Len() < snapshotLeast {
		return false
	}
	d := view.Since(s.saved)
	changes := len(d.Changed) + len(d.Gone) + s.accord.learned()
	if final {
		return changes*200 > view.Len() // reading the few that are left is as quick as writing all
	}
	return changes*20 > view.Len()
}

func (s *Store) packSnapshot(version string, view *View, final bool, index func(w io.Writer, without ...string) ([]string, error)) ([]byte, bool, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if view != s.view || !s.worth(view, final) {
		return nil, false, nil
	}
	var p packer
	p.b = append(p.b, snapshotMagic...)
	p.str(version)
	var good, doubt []string
	for path, f := range s.files {
		if s.good(path, f) {
			good = append(good, path)
		} else {
			doubt = append(doubt, path)
		}
	}
	var blob appender
	order, err := index(&blob, doubt...)
	if err != nil {
		return nil, false, fmt.Errorf("save snapshot: %w", err)
	}
	if order != nil {
		good = order
	}
	p.uint(uint64(len(blob)))
	p.b = append(p.b, blob...)
	p.uint(uint64(len(good)))
	for _, path := range good {
		f := s.files[path]
		if f == nil || !s.good(path, f) {
			return nil, false, fmt.Errorf("save snapshot: the index speaks of %q, which is not there", path)
		}
		keys, settled := s.accord.of(path, f.ref)
		p.file(f, keys, settled)
	}
	s.accord.pack(&p)
	return binary.LittleEndian.AppendUint32(p.b, crc32.Checksum(p.b, castagnoli)), true, nil
}

// good tells whether a file's state can be handed on: what is in doubt is read
// again by whoever comes next.
func (s *Store) good(p string, f *file) bool {
	return f.ref != nil && !f.ref.broken() && !s.recheck[p] && f.stamp.size == f.ref.size()
}

func (w *writer) replaceSnapshot(name string, b []byte) error {
	if err := w.replaceState(name, b); err != nil {
		return err
	}
	return w.forgetSnapshots(path.Base(name))
}

// replaceState writes a file of the caches in one step. It is not synced: a cut
// one is as good as none.
func (w *writer) replaceState(name string, b []byte) error {
	rnd, err := w.s.random(8)
	if err != nil {
		return err
	}
	temp := path.Join(stateDir, tempPrefix+rnd)
	f, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, w.s.fileMode())
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = w.rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, w.discard(temp))
	}
	return nil
}

// forgetSnapshots removes what other versions left and nobody used for a
// month, and temporaries of a kill.
func (w *writer) forgetSnapshots(keep string) error {
	names, err := namesIn(w.root, stateDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		age := 30 * 24 * time.Hour
		if strings.HasPrefix(name, tempPrefix) {
			age = strayAge
		} else if name == keep || !isSnapshot(name) {
			continue
		}
		full := path.Join(stateDir, name)
		if info, err := w.root.Lstat(full); err != nil || w.s.wall().Sub(info.ModTime()) < age {
			continue
		}
		if err := w.discard(full); err != nil {
			return err
		}
	}
	return nil
}

// VectorsPrefix begins the names of files below the state folder that hold
// vectors of texts. Whoever keeps them reads them anew when they are gone.
const VectorsPrefix = "vectors."

// tellsTexts tells whether a cache says something of the entries' texts without
// naming the entries: it goes as a whole when one of them is erased.
func tellsTexts(name string) bool {
	return isSnapshot(name) || strings.HasPrefix(name, VectorsPrefix) && !strings.HasSuffix(name, ".lock")
}

// isSnapshot tells whether a file below the state folder has a name that
// [snapshotName] gives.
func isSnapshot(name string) bool {
	number, sum, ok := strings.Cut(strings.TrimPrefix(name, "index."), ".")
	_, notNumber := strconv.ParseUint(number, 10, 32)
	_, notSum := strconv.ParseUint(sum, 16, 32)
	return ok && strings.HasPrefix(name, "index.") && notNumber == nil && notSum == nil && len(sum) == 8
}

// appender is a buffer that never fails.
type appender []byte

func (a *appender) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}
