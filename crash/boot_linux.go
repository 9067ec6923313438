package crash

import (
	"os"
	"strings"
)

// boot names the running boot of the machine; it is empty where the system
// does not tell.
func boot() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
