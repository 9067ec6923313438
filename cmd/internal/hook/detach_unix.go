//go:build !windows

package hook

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// alone puts the program into a session of its own, and keeps the files that
// our host left open from it: a host waits for its pipes to be closed.
func alone(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return nil // a system that does not list them
	}
	names, err := dir.Readdirnames(-1)
	if err := dir.Close(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

func rootFolder() string { return "/" }
