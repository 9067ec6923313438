package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// resident is the memory in bytes that a running process holds; 0 when the
// system does not tell.
func resident(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "\nVmRSS:")
	line, _, _ := strings.Cut(rest, "\n")
	kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(line), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}

// load is how many processes have wanted to run in the last minute.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	minute, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseFloat(minute, 64)
	if err != nil {
		return 0
	}
	return n
}
