package models

import "golang.org/x/sys/unix"

// MachineMemory is how many bytes of memory this machine has, 0 when it cannot
// be told.
func MachineMemory() int64 {
	var s unix.Sysinfo_t
	if err := unix.Sysinfo(&s); err != nil {
		return 0
	}
	return int64(s.Totalram) * int64(s.Unit)
}
