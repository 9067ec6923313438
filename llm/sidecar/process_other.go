//go:build unix && !linux

package sidecar

import "syscall"

// lockThread is for systems where a process dies with the thread that started it.
func lockThread() {}

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// memoryOf is not told here.
func memoryOf(int) (int64, bool) { return 0, false }
