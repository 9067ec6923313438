//go:build unix

package config_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"memory-mcp/config"
)

// TestAPipeInThePlaceOfTheFile is named, and nobody waits for what it says.
func TestAPipeInThePlaceOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), config.FileName)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 1)
	go func() {
		_, err := config.Load(config.Options{Path: path, Home: t.TempDir(), Cwd: t.TempDir(), Getenv: func(string) string { return "" }})
		told <- err
	}()
	select {
	case err := <-told:
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Fatalf("error %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it waits for the pipe to be written")
	}
}
