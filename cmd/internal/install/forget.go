package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Forget removes what the installer keeps for itself in the memory's home once
// everything was taken back: the record, the lock, the copied program, and each
// copy of a file that is what it was. It names what stays: copies of files that
// somebody changed since. Memories are not touched.
func Forget(o Options) (kept []string, err error) {
	o, err = o.with()
	if err != nil {
		return nil, err
	}
	kept, err = dropBackups(o)
	for _, name := range []string{recordPath(o), lockPath(o), CopyPath(o.MemoryHome, o.OS), CopyPath(o.MemoryHome, o.OS) + ".old"} {
		if gone := os.Remove(name); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	removeFolders([]string{o.MemoryHome, filepath.Dir(CopyPath(o.MemoryHome, o.OS)), backupFolder(o)})
	return kept, err
}

// CopyPath is where a copy of the program lies that stays when the one that
// made it goes.
func CopyPath(memoryHome, system string) string {
	name := program
	if system == "windows" {
		name += ".exe"
	}
	return filepath.Join(memoryHome, "bin", name)
}

// dropBackups removes the copies that equal their files.
func dropBackups(o Options) (kept []string, err error) {
	r, err := readRecord(o)
	if err != nil {
		return nil, err
	}
	alike := map[string]bool{}
	for _, path := range r.Files {
		now, err := readFile(path)
		if err != nil {
			continue
		}
		for _, c := range copiesOf(o, path) {
			text, err := readFile(c)
			alike[c] = err == nil && now != nil && bytes.Equal(text, now)
		}
	}
	all, err := os.ReadDir(backupFolder(o))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, found := range all {
		c := filepath.Join(backupFolder(o), found.Name())
		if !alike[c] {
			kept = append(kept, c)
			continue
		}
		if err := os.Remove(c); err != nil {
			return kept, err
		}
	}
	return kept, nil
}
