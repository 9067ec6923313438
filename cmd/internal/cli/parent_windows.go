package cli

import (
	"context"
	"time"

	"golang.org/x/sys/windows"
)

// orphaned returns when the process that started this one is gone, or when ctx
// ends. A parent that cannot be looked at, such as one with other rights, is
// not watched: the end of input tells then.
func orphaned(ctx context.Context, parent int, every time.Duration) {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(parent))
	if err != nil {
		<-ctx.Done()
		return
	}
	for ctx.Err() == nil {
		event, err := windows.WaitForSingleObject(h, uint32(every.Milliseconds()))
		if err != nil || event == windows.WAIT_OBJECT_0 {
			break
		}
	}
	// A handle that cannot be closed is lost, no more: the process ends.
	if err := windows.CloseHandle(h); err != nil {
		return
	}
}
