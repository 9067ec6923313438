package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockName = ".lock"
	lockWait = 5 * time.Second
	lockPoll = 5 * time.Millisecond

	lockFlags = os.O_CREATE | os.O_RDWR | noFollow
)

var (
	errNotFile  = errors.New("not a regular file")
	errLockWait = errors.New("the lock was waited for long enough")
)

// lock takes the folder's advisory lock and writes down who holds it. The
// file is never deleted; should somebody delete it all the same, the lock is
// taken again, on the file that the path names now.
func (s *Store) lock(ctx context.Context) (unlock func() error, err error) {
	name := filepath.Join(s.dir, lockName)
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock %s: %w", name, errNotFile)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errLockWait)
	defer cancel()
	for {
		l := flock.New(name, flock.SetFlag(lockFlags), flock.SetPermissions(0o600|s.opts.Shared&0o666))
		ok, err := l.TryLockContext(ctx, lockPoll)
		switch {
		case err != nil && errors.Is(context.Cause(ctx), errLockWait):
			return nil, &LockedError{Path: name, Holder: holder(name), Waited: lockWait}
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w", name, err)
		case ok && sameFile(l, name):
			s.signHolder(name)
			return l.Close, nil
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
	}
}

func sameFile(l *flock.Flock, name string) bool {
	mine, err := l.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, now)
}

// signHolder tells others who holds the lock. The text is only for an error
// message, so a system that refuses the write loses nothing.
func (s *Store) signHolder(name string) {
	text := fmt.Sprintf("process %d (%s)\n", os.Getpid(), filepath.Base(os.Args[0]))
	f, err := os.OpenFile(name, os.O_WRONLY|noFollow, 0)
	if err != nil {
		return
	}
	defer f.Close() // see above
	if s.opts.Shared != 0 {
		f.Chmod(s.fileMode()) // past the umask; who did not make the file may not, and need not
	}
	if n, err := f.WriteAt([]byte(text), 0); err == nil {
		f.Truncate(int64(n)) // see above
	}
}

func holder(name string) string {
	b, err := os.ReadFile(name)
	if err != nil || len(b) > 200 {
		return ""
	}
	return strings.TrimSpace(string(b))
}
