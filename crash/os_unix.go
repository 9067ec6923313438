//go:build unix

package crash

import (
	"errors"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// syncFolder makes a rename in the folder survive a power cut.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeLock removes a lock file while it is held, so that nobody can take a
// lock that is about to vanish.
func removeLock(lock *flock.Flock) error {
	return errors.Join(remove(lock.Path()), lock.Close())
}

// sameBoot compares what [boot] returned in two processes.
func sameBoot(a, b string) bool {
	return a == b
}
