//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the mode and the group of the one it replaces.
// A group that this user may not give is not given.
func keepOwner(f *os.File, like stamp) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && like.gid != int(st.Gid) {
		if err := f.Chown(-1, like.gid); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return f.Chmod(like.mode)
}

// sharing is for systems that refuse to rename an open file; this is none.
func sharing(error) bool { return false }
