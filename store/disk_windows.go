package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// keepOwner has nothing to keep: a file takes its permissions from its folder.
func keepOwner(*os.File, stamp) error { return nil }

// sharing tells whether a rename failed because another program has the file open.
func sharing(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
