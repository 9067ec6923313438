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
const snapshotFormat = 2

const snapshotMagic = "memory-mcp snapshot\n"

// snapshotLeast is the number of files below which reading them is as quick.
const snapshotLeast = 200

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// snapshotName tells versions of the program apart by what they store, so
// that two of them do not take turns in writing.
func snapshotName(version string) string {
	return path.Join(stateDir, fmt.Sprintf("index.%d.%08x", snapshotFormat, crc32.Checksum([]byte(version), castagnoli)))
}

// LoadSnapshot takes over what another process knew, before the first look.
// The version names what the index depends on. The error says why there is
// none; the store then reads all files itself.
func (s *Store) LoadSnapshot(version string) (Snapshot, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if len(s.files) > 0 {
		return Snapshot{}, errors.New("load snapshot: the store has been looked at already")
	}
	version = s.snapshotVersion(version)
	b, err := os.ReadFile(s.abs(snapshotName(version)))
	if err != nil {
		return Snapshot{}, fmt.Errorf("load snapshot: %w", err)
	}
	u, index, err := openSnapshot(b, version)
	if err != nil {
		return Snapshot{}, fmt.Errorf("load snapshot: %w", err)
	}
	doubt := u.strs()
	files, d, now := map[string]*file{}, newDraft(&View{}), s.opts.Now()
	for n := u.uint(); n > 0 && u.err == nil; n-- {
		p, f, settled := u.file(now)
		files[p] = f
		if settled {
			s.matched[p] = f.head.Hash
		}
		d.put(f.head)
	}
	if u.err != nil {
		return Snapshot{}, fmt.Errorf("load snapshot: %w", u.err)
	}
	s.files, s.view = files, d.done()
	s.saved = s.view
	return Snapshot{Index: index, View: s.view, Doubt: doubt}, nil
}

// Snapshot is what another process knew.
type Snapshot struct {
	Index []byte   // as it was saved
	View  *View    // that the index speaks of, but for Doubt
	Doubt []string // paths that the index may hold and the view does not: to be dropped from the index
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
// after enough has changed. It does nothing in a folder that was never written,
// and when another process is at it. It tells whether it wrote.
func (s *Store) SaveSnapshot(ctx context.Context, version string, view *View, final bool, index func(io.Writer) error) (bool, error) {
	version = s.snapshotVersion(version)
	b, ok, err := s.packSnapshot(version, view, final, index)
	if err != nil || !ok {
		return false, err
	}
	if _, err := os.Lstat(s.abs(lobeName)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := os.MkdirAll(s.abs(stateDir), s.dirMode()); err != nil {
		return false, fmt.Errorf("save snapshot: %w", err)
	}
	lock := flock.New(filepath.Join(s.abs(stateDir), "index.lock"), flock.SetPermissions(s.fileMode()))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return false, err
	}
	err = s.replaceSnapshot(snapshotName(version), b)
	if uerr := lock.Close(); err == nil {
		err = uerr
	}
	if err != nil {
		return false, fmt.Errorf("save snapshot: %w", err)
	}
	s.looking.Lock()
	s.saved = view
	s.looking.Unlock()
	return true, ctx.Err()
}

// worth tells whether a view differs enough from the one that was saved last.
func (s *Store) worth(view *View, final bool) bool {
	if view.Len() < snapshotLeast || view == s.saved {
		return false
	}
	d := view.Since(s.saved)
	changes := len(d.Changed) + len(d.Gone)
	if final {
		return changes*200 > view.Len() // reading the few that are left is as quick as writing all
	}
	return changes*20 > view.Len()
}

func (s *Store) packSnapshot(version string, view *View, final bool, index func(io.Writer) error) ([]byte, bool, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if view != s.view || !s.worth(view, final) {
		return nil, false, nil
	}
	var p packer
	p.b = append(p.b, snapshotMagic...)
	p.str(version)
	var blob appender
	if err := index(&blob); err != nil {
		return nil, false, fmt.Errorf("save snapshot: %w", err)
	}
	p.uint(uint64(len(blob)))
	p.b = append(p.b, blob...)
	var good, doubt []string
	for path, f := range s.files {
		if s.good(path, f) {
			good = append(good, path)
		} else {
			doubt = append(doubt, path)
		}
	}
	p.strs(doubt)
	p.uint(uint64(len(good)))
	for _, path := range good {
		p.file(path, s.files[path], s.matched[path] == s.files[path].head.Hash)
	}
	return binary.LittleEndian.AppendUint32(p.b, crc32.Checksum(p.b, castagnoli)), true, nil
}

// good tells whether a file's state can be handed on: what is in doubt is read
// again by whoever comes next.
func (s *Store) good(p string, f *file) bool {
	return f.head != nil && f.head.Broken == nil && !s.recheck[p] && f.stamp.size == f.head.Size
}

// replaceSnapshot writes a file of ours in one step. It is not synced: a cut
// one is as good as none.
func (s *Store) replaceSnapshot(name string, b []byte) error {
	temp, err := os.CreateTemp(s.abs(stateDir), tempPrefix)
	if err != nil {
		return err
	}
	_, err = temp.Write(b)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp.Name(), s.abs(name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return s.forgetSnapshots(name)
}

// forgetSnapshots removes what other versions left and nobody used for a month.
func (s *Store) forgetSnapshots(keep string) error {
	others, err := filepath.Glob(s.abs(path.Join(stateDir, "index.*.*")))
	if err != nil {
		return err
	}
	for _, name := range others {
		info, err := os.Stat(name)
		if err != nil || name == s.abs(keep) || s.wall().Sub(info.ModTime()) < 30*24*time.Hour {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// appender is a buffer that never fails.
type appender []byte

func (a *appender) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}
