package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"time"
)

// writeSynced makes a new file and does not return before its bytes are on the
// disk. On error nothing is left.
func (w *writer) writeSynced(name string, b []byte, like *stamp) error {
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, w.s.fileMode())
	if err != nil {
		return err
	}
	err = w.fill(f, b, like)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), w.discard(name))
	}
	return nil
}

func (w *writer) fill(f *os.File, b []byte, like *stamp) error {
	if like != nil {
		if err := keepOwner(f, *like); err != nil {
			return err
		}
	} else if w.s.opts.Shared != 0 {
		if err := f.Chmod(w.s.fileMode()); err != nil { // past the umask
			return err
		}
	}
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Sync()
}

// discard removes one of our temporaries; that it is gone already is fine.
func (w *writer) discard(name string) error {
	if err := w.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncDir makes the renames in a folder last. Windows has no such call, and
// its renames are in the journal.
func (w *writer) syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := w.root.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// makeDir makes a folder and those above it, and makes their names last.
func (w *writer) makeDir(dir string) error {
	if dir == "." {
		return nil
	}
	if info, err := w.root.Lstat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("make folder %s: what is there is %w", dir, errNotFolder) // a link, too: what it leads to is not looked at
	} else if err == nil {
		return nil
	}
	if err := w.makeDir(path.Dir(dir)); err != nil {
		return err
	}
	err := w.root.Mkdir(dir, w.s.dirMode())
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err == nil && w.s.opts.Shared != 0 {
		if err := w.share(dir); err != nil {
			return err
		}
	}
	return w.syncDir(path.Dir(dir))
}

// share gives a new folder the mode that was asked for, past the umask. That
// it hands its group on, where it does, stays.
func (w *writer) share(dir string) error {
	info, err := w.root.Lstat(dir)
	if err != nil {
		return err
	}
	return w.root.Chmod(dir, w.s.dirMode()|info.Mode()&fs.ModeSetgid)
}

func (s *Store) fileMode() fs.FileMode { return 0o600 | s.opts.Shared&0o666 }

func (s *Store) dirMode() fs.FileMode { return 0o700 | s.opts.Shared }

// random gives n random bytes as hex digits.
func (s *Store) random(n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.opts.Random, b); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// rename is Root.Rename, patient with a system that refuses it while another
// program has the file open.
func (w *writer) rename(from, to string) error {
	var err error
	for range 10 {
		if err = w.root.Rename(from, to); err == nil || !sharing(err) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}
