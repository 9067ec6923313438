package sidecar

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// lockThread keeps the goroutine on its thread until both end.
func lockThread() { runtime.LockOSThread() }

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// memoryOf is the resident memory of a process in bytes.
func memoryOf(pid int) (int64, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, false
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(b), &size, &resident); err != nil {
		return 0, false
	}
	return resident * int64(os.Getpagesize()), true
}
