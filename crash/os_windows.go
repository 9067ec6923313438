package crash

import (
	"errors"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/windows"
)

func diskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// syncFolder does nothing: folders cannot be synced here.
func syncFolder(string) error {
	return nil
}

// removeLock lets the file go first, because an open file cannot be removed.
func removeLock(lock *flock.Flock) error {
	return errors.Join(lock.Close(), remove(lock.Path()))
}

// boot is the second at which the machine was started, as far as the clocks
// agree.
func boot() string {
	return strconv.FormatInt(time.Now().Add(-windows.DurationSinceBoot()).Unix(), 10)
}

// sameBoot allows for the clock to have been set a little.
func sameBoot(a, b string) bool {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	const tolerance = 120
	return errX == nil && errY == nil && x-y < tolerance && y-x < tolerance
}
