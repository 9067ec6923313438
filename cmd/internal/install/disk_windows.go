package install

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// keepOwner has nothing to do: a new file inherits from its folder.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// rename tries again for a second while another program has the file open.
func rename(from, to string) error {
	const sharingViolation, accessDenied = syscall.Errno(32), syscall.Errno(5)
	var err error
	for range 10 {
		err = os.Rename(from, to)
		if !errors.Is(err, sharingViolation) && !errors.Is(err, accessDenied) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// syncFolder has nothing to do: folders are not opened for it here.
func syncFolder(string) error { return nil }
