//go:build !windows

package cli

import (
	"context"
	"os"
	"time"
)

// watchNumber returns when the process has another parent than at its start:
// who loses its parent is given to another one.
func watchNumber(ctx context.Context, parent int, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
