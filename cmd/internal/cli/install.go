package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// fleeting tells whether a program will be gone when a host wants to start it:
// it lies in a folder for temporary files or in the cache of the go command, as
// under "go run" and in tests.
func fleeting(path string, getenv func(string) string) bool {
	slashed := filepath.ToSlash(path)
	if strings.Contains(slashed, "/go-build") {
		return true
	}
	for _, dir := range []string{os.TempDir(), "/tmp", "/var/tmp", getenv("GOTMPDIR"), getenv("GOCACHE")} {
		if dir == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// copyTo copies the running program to a path that stays, whole or not at all.
// A copy that is in use keeps running;
func copyTo(from, path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("install the program: %w", err)
	}
	temporary, err := copyProgram(from, dir)
	if err != nil {
		return fmt.Errorf("install the program as %q: %w", path, err)
	}
	if err := swap(temporary, path); err != nil {
		return errors.Join(fmt.Errorf("install the program as %q: %w", path, err), os.Remove(temporary))
	}
	return nil
}

func copyProgram(from, dir string) (temporary string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.CreateTemp(dir, ".install-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o755), out.Sync(), out.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(out.Name()))
	}
	return out.Name(), nil
}

// swap puts a file in place of another. Windows does not replace a program
// that runs, but lets it be renamed.
func swap(temporary, path string) error {
	err := os.Rename(temporary, path)
	if err == nil || runtime.GOOS != "windows" {
		return err
	}
	old := path + ".old"
	if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(path, old); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
