package cli

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// orphaned returns when the process that started this one is gone, or when ctx
// ends. The kernel tells through a descriptor of the parent; where it does
// not, the parent's number is looked at from time to time.
func orphaned(ctx context.Context, parent int, every time.Duration) {
	fd, err := unix.PidfdOpen(parent, 0)
	if err != nil {
		watchNumber(ctx, parent, every)
		return
	}
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	// The parent may have gone, and its number been given away, before the
	// descriptor was opened.
	for ctx.Err() == nil && os.Getppid() == parent {
		n, err := unix.Poll(poll, int(every.Milliseconds()))
		if err != nil && !errors.Is(err, unix.EINTR) {
			watchNumber(ctx, parent, every)
			break
		}
		if n > 0 {
			break
		}
	}
	// A descriptor that cannot be closed is lost, no more: the process ends.
	if err := unix.Close(fd); err != nil {
		return
	}
}
