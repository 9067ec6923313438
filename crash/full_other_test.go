//go:build !unix

package crash_test

import (
	"errors"

	"memory-mcp/crash"
)

func playOnFullDisk(*crash.Journal) error {
	return errors.New("the size of files cannot be limited here")
}
