package models

import "golang.org/x/sys/unix"

// MachineMemory is how many bytes of memory this machine has, 0 when it cannot
// be told.
func MachineMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
