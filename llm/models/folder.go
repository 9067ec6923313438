package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

func quote(s string) string { return strconv.Quote(s) }

// A Folder is where model files are kept. It need not exist.
type Folder struct{ Dir string } // absolute

// partial is the ending of a file that is not whole yet.
const partial = ".part"

// An Installed is a model of the catalogue and what is there of it.
type Installed struct {
	Model
	Path string // absolute; of the whole file, whether it is there or not
	Here int64  // bytes of the whole file; 0 when it is not there
	Part int64  // bytes of an interrupted fetch
}

// Path is where a model's file is, or would be.
func (f Folder) Path(m Model) string { return filepath.Join(f.Dir, m.File) }

// List tells for each model of the catalogue what is there of it.
func (f Folder) List() ([]Installed, error) {
	var all []Installed
	for _, m := range All() {
		i := Installed{Model: m, Path: f.Path(m)}
		var err error
		if i.Here, err = sizeOf(i.Path); err != nil {
			return nil, err
		}
		if i.Part, err = sizeOf(i.Path + partial); err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

// sizeOf is the size of a file; 0 when there is none.
func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is no file", path)
	}
	return info.Size(), nil
}

// Remove takes a model's file away, and what was left of a fetch. It tells how
// many bytes that freed.
func (f Folder) Remove(m Model) (int64, error) {
	var freed int64
	for _, path := range []string{f.Path(m), f.Path(m) + partial} {
		size, err := sizeOf(path)
		if err != nil {
			return freed, err
		}
		err = os.Remove(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return freed, err
		}
		freed += size
	}
	return freed, nil
}
