//go:build !linux && !darwin

package models

// MachineMemory is how many bytes of memory this machine has; it is not told
// here.
func MachineMemory() int64 { return 0 }
