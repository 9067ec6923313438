//go:build !windows

package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// claim takes an output for the protocol alone: it gives a private duplicate,
// and points the descriptor itself to standard error, so that nothing else that
// prints can break a message.
func claim(out io.Writer, stderr io.Writer) (io.WriteCloser, error) {
	file, ok := out.(*os.File)
	if !ok {
		return nopCloser{out}, nil
	}
	private, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("duplicate standard output: %w", err)
	}
	if to, ok := stderr.(*os.File); ok {
		if err := redirect(int(to.Fd()), int(file.Fd())); err != nil {
			return nil, fmt.Errorf("point standard output to standard error: %w", err)
		}
	}
	return os.NewFile(uintptr(private), file.Name()), nil
}
