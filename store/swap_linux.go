package store

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// swap exchanges two files in one step. It tells false where
// the file system cannot do that.
func swap(root *os.Root, a, b string) (bool, error) {
	return rename2(root, a, b, unix.RENAME_EXCHANGE)
}

// claim renames a file to a name that must be free. It tells false where the
// file system cannot promise that.
func claim(root *os.Root, from, to string) (bool, error) {
	return rename2(root, from, to, unix.RENAME_NOREPLACE)
}

func rename2(root *os.Root, from, to string, flags uint) (bool, error) {
	dir, err := root.Open(path.Dir(from))
	if err != nil {
		return false, err
	}
	defer dir.Close() // a folder handle: nothing to lose
	into, err := root.Open(path.Dir(to))
	if err != nil {
		return false, err
	}
	defer into.Close() // a folder handle: nothing to lose
	err = unix.Renameat2(int(dir.Fd()), path.Base(from), int(into.Fd()), path.Base(to), flags)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP):
		return false, nil
	default:
		return false, &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
}
