package bootstrap_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"memory-mcp/lobes/bootstrap"
)

// BenchmarkPropose reads a tree of 50,000 files, with git's list of them and
// without.
func BenchmarkPropose(b *testing.B) {
	dir := tempDir(b)
	for i := range 50_000 {
		ext := []string{"go", "ts", "md", "py"}[i%4]
		write(b, filepath.Join(dir, fmt.Sprintf("part%02d/pkg%02d/file%05d.%s", i%40, i/40%25, i, ext)), "")
	}
	write(b, filepath.Join(dir, "go.mod"), "module example.org/big\n")
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			if _, err := bootstrap.Propose(context.Background(), dir, nil, bootstrap.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	git(b, dir, "2026-01-01T12:00:00Z", "init", "-q")
	git(b, dir, "2026-01-01T12:00:00Z", "add", "-A")
	git(b, dir, "2026-01-01T12:00:00Z", "commit", "-q", "-m", "everything")
	r := discover(b, dir)
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			if _, err := bootstrap.Propose(context.Background(), dir, r, bootstrap.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
