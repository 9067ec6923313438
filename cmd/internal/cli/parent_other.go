//go:build !windows && !linux

package cli

import (
	"context"
	"time"
)

// orphaned returns when the process that started this one is gone, or when ctx
// ends.
func orphaned(ctx context.Context, parent int, every time.Duration) {
	watchNumber(ctx, parent, every)
}
