//go:build !linux

package bench

// resident is the memory in bytes that a running process holds; 0 when the
// system does not tell.
func resident(int) int64 { return 0 }

// load is how many processes have wanted to run in the last minute; 0 when
// the system does not tell.
func load() float64 { return 0 }
