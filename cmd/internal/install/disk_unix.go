//go:build !windows

package install

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group of another.
func keepOwner(f *os.File, like fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	ours, ok := info.Sys().(*syscall.Stat_t)
	theirs, known := like.Sys().(*syscall.Stat_t)
	if !ok || !known || ours.Uid == theirs.Uid && ours.Gid == theirs.Gid {
		return nil
	}
	return f.Chown(int(theirs.Uid), int(theirs.Gid))
}

func rename(from, to string) error { return os.Rename(from, to) }

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
