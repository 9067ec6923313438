//go:build unix

package imports_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"memory-mcp/cmd/internal/imports"
)

// A pipe that nobody writes to is refused; opening it would wait for ever.
func TestAPipeIsRefused(t *testing.T) {
	at := filepath.Join(t.TempDir(), "MEMORY_a.md")
	if err := unix.Mkfifo(at, 0o600); err != nil {
		t.Skip(err)
	}
	for _, kind := range imports.Kinds() {
		done := make(chan error, 1)
		go func() {
			_, err := imports.Read(kind, at)
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "no regular file") {
				t.Errorf("%s: %v", kind, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: still waits on the pipe", kind)
		}
	}
}
