package repo_test

import (
	"testing"

	"memory-mcp/lobes/repo"
)

// BenchmarkDiscover finds a repository from a subfolder of a worktree and
// reads what is checked out. The last case asks git for the same.
func BenchmarkDiscover(b *testing.B) {
	s := newSandbox(b)
	s.project("p")
	s.git("p", "worktree", "add", "-q", "../w")
	o := s.options()
	look := func(rel string, branch bool) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				r, err := repo.Discover(s.path(rel), o)
				if err == nil && branch {
					_, err = r.Branch()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("top", look("p", false))
	b.Run("subfolder", look("p/sub/deep", false))
	b.Run("worktree", look("w/sub/deep", false))
	b.Run("worktree and branch", look("w/sub/deep", true))
	b.Run("git rev-parse", func(b *testing.B) {
		for b.Loop() {
			s.git("w/sub/deep", "rev-parse", "--git-common-dir", "--abbrev-ref", "HEAD")
		}
	})
}
