package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"memory-mcp/store/entry"
)

// watcher asks the kernel what has changed since the last look. An event is in
// its queue before the call that caused it returns, so what a drained queue does
// not name has not changed. Writes through a memory map, and those through a
// second name that a file was given outside the folder, make no event:
// [Store.Settle] finds them, which scans.
type watcher struct {
	fd   int
	dir  string
	dirs map[int]string // watch to folder, relative to dir
	root stamp          // of dir itself, when it was first watched
	buf  [64 << 10]byte
}

const watchMask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// watchFolder starts to watch, on a local file system whose events are known
// to be complete.
func watchFolder(dir string) (*watcher, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	switch uint32(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC, zfsMagic:
	default:
		return nil, fmt.Errorf("watch %s: the events of its file system (type %#x) are not known to be complete", dir, uint32(st.Type))
	}
	root, err := stampPath(dir)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	return &watcher{fd: fd, dir: dir, dirs: map[int]string{}, root: root}, nil
}

const zfsMagic = 0x2fc12fc1

func stampPath(p string) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Stat(p, &st); err != nil {
		return stamp{}, &os.PathError{Op: "stat", Path: p, Err: err}
	}
	return stampOf(&st), nil
}

// add watches one folder. A folder that has gone is no error: its parent says so.
func (w *watcher) add(rel string) error {
	wd, err := unix.InotifyAddWatch(w.fd, filepath.Join(w.dir, filepath.FromSlash(rel)), watchMask)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watch %s: %w", rel, err)
	}
	w.dirs[wd] = rel
	return nil
}

// dirty empties the queue. It gives the entry files that events name, or false
// when only a full scan can tell what has changed.
func (w *watcher) dirty() (map[string]bool, bool) {
	if now, err := stampPath(w.dir); err != nil || now.ino != w.root.ino || now.dev != w.root.dev || len(w.dirs) == 0 {
		return nil, false
	}
	files, all := map[string]bool{}, true
	for {
		n, err := unix.Read(w.fd, w.buf[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.EAGAIN) {
			return files, all
		}
		if err != nil || n <= 0 {
			return nil, false
		}
		all = w.take(w.buf[:n], files) && all
	}
}

// take reads one batch of events; it tells false when one of them is not about
// a file in a folder that is watched.
func (w *watcher) take(b []byte, files map[string]bool) bool {
	all := true
	for len(b) >= unix.SizeofInotifyEvent {
		wd := int(int32(binary.NativeEndian.Uint32(b))) // struct inotify_event: wd, mask, cookie, len, name
		mask := binary.NativeEndian.Uint32(b[4:])
		size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		name, _, _ := bytes.Cut(b[unix.SizeofInotifyEvent:size], []byte{0})
		b = b[size:]
		dir, known := w.dirs[wd]
		const folder = unix.IN_ISDIR | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_IGNORED | unix.IN_UNMOUNT | unix.IN_Q_OVERFLOW
		switch p := path.Join(dir, string(name)); {
		case mask&folder != 0 && !(mask&unix.IN_ISDIR != 0 && strings.HasPrefix(string(name), ".")):
			all = false
		case known && entry.IsEntryPath(p):
			files[p] = true
		}
		if mask&unix.IN_IGNORED != 0 {
			delete(w.dirs, wd)
		}
	}
	return all
}

// limitReached tells whether watching failed because the system allows no more.
func limitReached(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

func (w *watcher) close() error { return unix.Close(w.fd) }
