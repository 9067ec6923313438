package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// errMoved says that a file is not what it was a moment ago.
var errMoved = errors.New("the file changed meanwhile")

// behindLinks is the file that a path means, so that a link of a dotfile
// manager stays one.
func behindLinks(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("follow the link: %w", err)
	}
	return real, nil
}

// readFile is nil for a file that is not there, and never for one that is.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	text, err := os.ReadFile(path)
	if text == nil && err == nil {
		text = []byte{}
	}
	return text, err
}

// swapFile replaces a file by a text if it still is what it was, or removes it
// for nil. Mode and owner stay.
func swapFile(path string, old, next []byte, mode fs.FileMode) error {
	if next == nil {
		if err := still(path, old); err != nil {
			return err
		}
		return os.Remove(path)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".memory-mcp-*")
	if err != nil {
		return err
	}
	err = fill(temporary, path, next, mode)
	if err == nil {
		err = still(path, old)
	}
	if err == nil {
		err = rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

func fill(temporary *os.File, path string, text []byte, mode fs.FileMode) error {
	_, err := temporary.Write(text)
	info, statErr := os.Stat(path)
	if statErr == nil {
		mode = info.Mode().Perm()
		err = errors.Join(err, keepOwner(temporary, info))
	}
	return errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
}

func still(path string, old []byte) error {
	now, err := readFile(path)
	if err == nil && !equal(now, old) {
		return errMoved
	}
	return err
}

// makeFolders makes a folder and those above it, and names those it made, the
// outermost first.
func makeFolders(dir string, mode fs.FileMode) (made []string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		_, err := os.Stat(at)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return nil, err
		}
		made = append(made, at)
	}
	slices.Reverse(made)
	for i, at := range made {
		if err := os.Mkdir(at, mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return made[:i], err
		}
	}
	return made, nil
}

// removeFolders removes those that are empty, the innermost first, and keeps
// the others in the list.
func removeFolders(made []string) (left []string) {
	for i := len(made) - 1; i >= 0; i-- {
		if err := os.Remove(made[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			left = append(left, made[i])
		}
	}
	slices.Reverse(left)
	return left
}
