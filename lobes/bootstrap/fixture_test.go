package bootstrap_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/lobes/bootstrap"
	"memory-mcp/lobes/repo"
)

// fixture writes the files of a txtar-like listing: "-- name --" lines, each
// followed by the file's content.
func fixture(t testing.TB, dir, listing string) {
	t.Helper()
	name := ""
	content := map[string]*strings.Builder{}
	for line := range strings.SplitAfterSeq(listing, "\n") {
		if n, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(strings.TrimSpace(n), " --") {
			name = strings.TrimSuffix(strings.TrimSpace(n), " --")
			content[name] = &strings.Builder{}
			continue
		}
		if name != "" {
			content[name].WriteString(line)
		}
	}
	if len(content) == 0 {
		t.Fatal("a fixture without files")
	}
	for name, text := range content {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text.String())
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// git runs git with a fixed person and time, so that ids are the same in every
// run.
func git(t testing.TB, dir, when string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org",
		"GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func discover(t testing.TB, dir string) *repo.Repo {
	t.Helper()
	r, err := repo.Discover(dir, repo.Options{Home: filepath.Join(dir, "nobody")})
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

func propose(t testing.TB, dir string, r *repo.Repo) []bootstrap.Proposal {
	t.Helper()
	ps, err := bootstrap.Propose(context.Background(), dir, r, bootstrap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ps
}
