//go:build unix

package repo_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"memory-mcp/lobes/repo"
)

// Opening a pipe that nobody writes to waits for ever.
func TestPipesAreNotOpened(t *testing.T) {
	for _, file := range []string{"p/.git/config", "p/.git/HEAD", "p/inner/.git"} {
		s := newSandbox(t)
		s.project("p")
		s.mkdir("p/inner")
		os.Remove(s.path(file))
		if err := syscall.Mkfifo(s.path(file), 0o600); err != nil {
			t.Skip(err)
		}
		_, err := repo.Discover(s.path("p/inner"), s.options())
		var broken *repo.GitFileError
		if !errors.As(err, &broken) && !errors.Is(err, repo.ErrNoRepository) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
