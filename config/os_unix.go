//go:build unix

package config

import (
	"errors"
	"os"
	"syscall"
)

// isNotFolder is true for a path of which a part is a file.
func isNotFolder(err error) bool {
	return errors.Is(err, syscall.ENOTDIR)
}

// syncFolder makes a rename in the folder survive a power cut.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
