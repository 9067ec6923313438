package repo_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/lobes/repo"
)

const homeConfig = "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[gc]\n\tauto = 0\n"

// A sandbox is a folder with a home and a git that knows nothing but it.
type sandbox struct {
	t    testing.TB
	dir  string // resolved
	home string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t: t, dir: dir, home: filepath.Join(dir, "home")}
	s.write("home/.gitconfig", homeConfig)
	return s
}

func (s *sandbox) path(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

func (s *sandbox) write(rel, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(rel)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(rel), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) mkdir(rel string) string {
	s.t.Helper()
	if err := os.MkdirAll(s.path(rel), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return s.path(rel)
}

func (s *sandbox) environ(extra ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}, extra...)
}

// tryGit runs git in a folder of the sandbox.
func (s *sandbox) tryGit(rel string, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = s.path(rel)
	cmd.Env = s.environ(env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s *sandbox) git(rel string, args ...string) string {
	s.t.Helper()
	out, err := s.tryGit(rel, nil, args...)
	if err != nil {
		s.t.Fatalf("git %s in %s: %v\n%s", strings.Join(args, " "), rel, err, out)
	}
	return out
}

// project makes a repository with one commit. The usual one is copied, times
// included, since starting git is most of what these tests cost.
func (s *sandbox) project(rel string, args ...string) {
	s.t.Helper()
	s.mkdir(rel)
	if len(args) == 0 {
		for _, f := range usualProject() {
			f.copyTo(s.t, filepath.Join(s.path(rel), f.name))
		}
		return
	}
	s.makeProject(rel, args...)
}

func (s *sandbox) makeProject(rel string, args ...string) {
	s.t.Helper()
	s.mkdir(rel)
	s.git(rel, append([]string{"init", "-q"}, args...)...)
	s.commit(rel, "first")
}

// A savedFile is a file or folder of the usual project.
type savedFile struct {
	name    string
	mode    os.FileMode
	changed time.Time
	content []byte
}

func (f savedFile) copyTo(t testing.TB, path string) {
	t.Helper()
	if f.mode.IsDir() {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	err := os.WriteFile(path, f.content, f.mode.Perm()|0o200)
	if err == nil {
		err = os.Chtimes(path, f.changed, f.changed)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var usualProject = sync.OnceValue(func() []savedFile {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	s := &sandbox{t: panicking{}, dir: dir, home: filepath.Join(dir, "home")}
	s.write("home/.gitconfig", homeConfig)
	s.makeProject("p")
	var out []savedFile
	err = filepath.WalkDir(s.path("p"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == s.path("p") || strings.HasSuffix(path, ".sample") {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.path("p"), path)
		if err != nil {
			return err
		}
		f := savedFile{name: rel, mode: fi.Mode(), changed: fi.ModTime()}
		if !e.IsDir() {
			f.content, err = os.ReadFile(path)
		}
		out = append(out, f)
		return err
	})
	if err != nil {
		panic(err)
	}
	return out
})

// A panicking stands for a test where there is none.
type panicking struct{ testing.TB }

func (panicking) Helper()                      {}
func (panicking) Fatal(args ...any)            { panic(fmt.Sprint(args...)) }
func (panicking) Fatalf(form string, a ...any) { panic(fmt.Sprintf(form, a...)) }

func (s *sandbox) commit(rel, subject string) {
	s.t.Helper()
	s.write(rel+"/file.txt", subject+"\n")
	s.write(rel+"/sub/deep/x.txt", subject+"\n")
	s.git(rel, "add", "-A")
	s.git(rel, "commit", "-q", "-m", subject)
}

func (s *sandbox) options(env ...string) repo.Options {
	vars := map[string]string{}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	return repo.Options{Home: s.home, Getenv: func(name string) string { return vars[name] }}
}

func (s *sandbox) discover(rel string, env ...string) repo.Repo {
	s.t.Helper()
	r, err := repo.Discover(s.path(rel), s.options(env...))
	if err != nil {
		s.t.Fatalf("Discover(%q): %v", rel, err)
	}
	return r
}
