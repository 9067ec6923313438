package bench

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// durably is the least that a file costs which a power cut leaves whole:
// create, sync, rename, sync the folder. Windows has no folder to sync.
func durably(dir, name string, text []byte) error {
	f, err := os.CreateTemp(dir, ".tmp-")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
