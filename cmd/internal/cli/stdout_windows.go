package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// claim takes an output for the protocol alone: it gives a private duplicate,
// and points standard output to standard error, so that nothing else that
// prints can break a message.
func claim(out io.Writer, stderr io.Writer) (io.WriteCloser, error) {
	file, ok := out.(*os.File)
	if !ok {
		return nopCloser{out}, nil
	}
	self := windows.CurrentProcess()
	var private windows.Handle
	err := windows.DuplicateHandle(self, windows.Handle(file.Fd()), self, &private, 0, false, windows.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return nil, fmt.Errorf("duplicate standard output: %w", err)
	}
	if to, ok := stderr.(*os.File); ok {
		if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(to.Fd())); err != nil {
			return nil, fmt.Errorf("point standard output to standard error: %w", err)
		}
		os.Stdout = to
	}
	return os.NewFile(uintptr(private), file.Name()), nil
}
