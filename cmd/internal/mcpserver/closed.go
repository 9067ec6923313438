package mcpserver

import (
	"errors"
	"os"
	"syscall"
)

// isClosed tells whether an error says that the other end of a pipe is gone.
func isClosed(err error) bool {
	return errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE)
}
