package repo_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/lobes/repo"
)

// An attack is a folder made by a stranger, "evil", that tries to be taken
// for the repository of somebody else, "victim".
type attack struct {
	name  string
	build func(s *sandbox)
	from  string
}

func victim(s *sandbox) {
	s.project("victim")
	s.write("victim/.git/memory/x.md", "secret")
}

func victimWithWorktree(s *sandbox) {
	victim(s)
	s.git("victim", "worktree", "add", "-q", "../wt")
}

func pointingAttacks() []attack {
	gitFile := func(s *sandbox, target string) { s.write("evil/.git", "gitdir: "+s.path(target)+"\n") }
	return []attack{
		{"file to a .git directory", func(s *sandbox) { victim(s); gitFile(s, "victim/.git") }, "evil"},
		{"the same, relative, from below", func(s *sandbox) { victim(s); s.mkdir("evil/a/b"); s.write("evil/.git", "gitdir: ../victim/.git") }, "evil/a/b"},
		{"the same files in it", func(s *sandbox) { victim(s); gitFile(s, "victim/.git"); s.write("evil/file.txt", "first\n") }, "evil"},
		{"file to a worktree's directory", func(s *sandbox) { victimWithWorktree(s); gitFile(s, "victim/.git/worktrees/wt") }, "evil"},
		{"file to a removed worktree's directory", func(s *sandbox) {
			victimWithWorktree(s)
			os.RemoveAll(s.path("wt"))
			gitFile(s, "victim/.git/worktrees/wt")
		}, "evil"},
		{"file to a submodule's directory", func(s *sandbox) {
			s.project("lib")
			victim(s)
			s.git("victim", "submodule", "--quiet", "add", s.path("lib"), "lib")
			gitFile(s, "victim/.git/modules/lib")
		}, "evil"},
		{"file to a bare repository", func(s *sandbox) {
			victim(s)
			s.git("victim", "clone", "-q", "--bare", ".", s.path("b.git"))
			gitFile(s, "b.git")
		}, "evil"},
		{"file to a separate git directory", func(s *sandbox) {
			s.project("victim", "--separate-git-dir", s.path("sep"))
			gitFile(s, "sep")
		}, "evil"},
		{"file to a separate git directory without commits", func(s *sandbox) {
			s.mkdir("victim")
			s.git("victim", "init", "-q", "--separate-git-dir", s.path("sep"))
			gitFile(s, "sep")
		}, "evil"},
	}
}

func inventedAttacks() []attack {
	return []attack{
		{"link to a .git directory", func(s *sandbox) {
			victim(s)
			s.mkdir("evil")
			os.Symlink(s.path("victim/.git"), s.path("evil/.git"))
		}, "evil"},
		{"commondir in a .git directory", func(s *sandbox) {
			victim(s)
			s.write("evil/.git/HEAD", "ref: refs/heads/main\n")
			s.write("evil/.git/commondir", s.path("victim/.git")+"\n")
		}, "evil"},
		{"a worktree of its own making", func(s *sandbox) {
			victim(s)
			s.write("evil/.git", "gitdir: fake/worktrees/w\n")
			s.write("evil/fake/worktrees/w/HEAD", "ref: refs/heads/main\n")
			s.write("evil/fake/worktrees/w/gitdir", s.path("evil/.git")+"\n")
			s.write("evil/fake/worktrees/w/commondir", s.path("victim/.git")+"\n")
		}, "evil"},
		{"a submodule of a worktree of its own making", func(s *sandbox) {
			s.project("lib")
			victim(s)
			s.git("victim", "submodule", "--quiet", "add", s.path("lib"), "lib")
			w := "evil/fake/worktrees/w/"
			s.write("evil/.git", "gitdir: fake/worktrees/w/modules/lib\n")
			s.write(w+"HEAD", "ref: refs/heads/main\n")
			s.write(w+"commondir", s.path("victim/.git")+"\n")
			s.mkdir(w + "modules/lib/objects")
			s.mkdir(w + "modules/lib/refs")
			s.write(w+"modules/lib/HEAD", "ref: refs/heads/main\n")
			s.write(w+"modules/lib/config", "[core]\n\tworktree = ../../../../..\n")
		}, "evil"},
		{"core.worktree in a real .git", func(s *sandbox) {
			victim(s)
			s.project("evil")
			s.git("evil", "config", "core.worktree", s.path("victim"))
		}, "evil"},
		{"a memory folder that is a link", func(s *sandbox) {
			victim(s)
			s.project("evil")
			os.Symlink(s.path("victim/.git/memory"), s.path("evil/.git/memory"))
		}, "evil"},
	}
}

func TestStrangersGetNothing(t *testing.T) {
	for _, a := range append(pointingAttacks(), inventedAttacks()...) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			a.build(s)
			r, err := repo.Discover(s.path(a.from), s.options())
			if err != nil {
				var refused *repo.GitFileError
				if !errors.As(err, &refused) || errors.Is(err, repo.ErrNoRepository) {
					t.Errorf("refused with %T: %v", err, err)
				}
				return
			}
			evil := s.path("evil")
			memory, memErr := r.MemoryDir()
			if real, err := filepath.EvalSymlinks(memory); memErr == nil && err == nil {
				memory = real
			}
			if memErr == nil && !repo.PathWithin(evil, memory) || !repo.PathWithin(evil, r.CommonDir) ||
				!repo.PathWithin(evil, r.GitDir) || !repo.PathWithin(evil, r.Root) {
				t.Errorf("a stranger's folder became %+v with its memory in %q (%v)", r, memory, memErr)
			}
		})
	}
}

func TestTrustedRootsBelieve(t *testing.T) {
	s := newSandbox(t)
	s.project("victim")
	s.write("evil/.git", "gitdir: ../victim/.git\n")
	o := s.options()
	o.Trusted = []string{s.path("evil")}
	r, err := repo.Discover(s.path("evil"), o)
	if err != nil || r.CommonDir != s.path("victim/.git") {
		t.Fatalf("got %+v, %v", r, err)
	}
}

func TestMovedWorktreeIsKnownByItsIndex(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	s.git("p", "worktree", "add", "-q", "-b", "x", "../w")
	if err := os.Rename(s.path("w"), s.path("moved")); err != nil {
		t.Fatal(err)
	}
	if r := s.discover("moved/sub"); r.CommonDir != s.path("p/.git") || r.Root != s.path("moved") {
		t.Fatalf("got %+v", r)
	}
}

func TestMovedRepositoryIsAnErrorThatSaysSo(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	s.git("p", "worktree", "add", "-q", "../p/inner")
	if err := os.Rename(s.path("p/.git/worktrees"), s.path("gone")); err != nil {
		t.Fatal(err)
	}
	_, err := repo.Discover(s.path("p/inner"), s.options())
	var broken *repo.GitFileError
	if !errors.As(err, &broken) || broken.Path != s.path("p/inner/.git") || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "git worktree repair") {
		t.Errorf("no remedy in %q", err)
	}
}

func TestBrokenGitFiles(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "binary": "\x00\x01\xff", "no path": "gitdir: \n", "two lines": "gitdir: a\nb\n", "nul": "gitdir: a\x00b\n",
		"other text": "root:x:0:0:secret\n", "itself": "gitdir: .git\n", "nowhere": "gitdir: /does/not/exist\n",
		"a plain folder": "gitdir: .\n", "huge": "gitdir: " + strings.Repeat("a/", 600_000), "long": "gitdir: " + strings.Repeat("a", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			s.project("p")
			s.write("p/inner/.git", text)
			_, err := repo.Discover(s.path("p/inner"), s.options())
			var broken *repo.GitFileError
			if !errors.As(err, &broken) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "secret") || len(err.Error()) > 1000 {
				t.Errorf("the error shows what the file holds: %.300q", err.Error())
			}
		})
	}
}

func TestBrokenRepositories(t *testing.T) {
	for name, build := range map[string]func(s *sandbox){
		"config": func(s *sandbox) { s.write("p/.git/config", "[core\nsecret = 1\n") },
		"dangling link": func(s *sandbox) {
			os.RemoveAll(s.path("p/.git"))
			os.Symlink("nowhere", s.path("p/.git"))
		},
		"link loop": func(s *sandbox) {
			os.RemoveAll(s.path("p/.git"))
			os.Symlink(".git", s.path("p/.git"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			s.project("p")
			build(s)
			_, err := repo.Discover(s.path("p/sub"), s.options())
			var broken *repo.GitFileError
			if !errors.As(err, &broken) || strings.Contains(err.Error(), "secret") {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestBareInsideATreeIsNotARepository(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	s.git("p", "clone", "-q", "--bare", ".", "vendor/inner.git")
	for _, from := range []string{"p/vendor/inner.git", "p/vendor/inner.git/refs"} {
		if r := s.discover(from); r.CommonDir != s.path("p/.git") || r.Bare {
			t.Errorf("from %s: got %+v", from, r)
		}
	}
}

func TestBareCountsWhenNamed(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	s.git("p", "clone", "-q", "--bare", ".", s.path("b.git"))
	_, err := repo.Discover(s.path("b.git/refs"), s.options())
	var none *repo.NoRepositoryError
	if !errors.As(err, &none) || none.Bare != s.path("b.git") {
		t.Fatalf("below a bare repository: %v", err)
	}
	o := s.options()
	o.Named = []string{s.path("b.git")}
	if r, err := repo.Discover(s.path("b.git/refs"), o); err != nil || r.CommonDir != s.path("b.git") || !r.Bare {
		t.Fatalf("named: got %+v, %v", r, err)
	}
}

func TestNeverHomeOrRoot(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("home/project/sub")
	s.git("home", "init", "-q")
	for _, from := range []string{"home", "home/project/sub"} {
		_, err := repo.Discover(s.path(from), s.options())
		var unsuitable *repo.UnsuitableError
		if !errors.As(err, &unsuitable) || !unsuitable.Home || unsuitable.Root != s.home {
			t.Errorf("from %s: %v", from, err)
		}
	}
	s.project("home/project")
	if r := s.discover("home/project"); r.Root != s.path("home/project") {
		t.Errorf("a repository below a home in git: %+v", r)
	}
	s.git("home/project", "clone", "-q", "--bare", ".", s.path("home/b.git"))
	if r := s.discover("home/b.git"); !r.Bare {
		t.Errorf("a bare repository below a home in git: %+v", r)
	}
	var unsuitable *repo.UnsuitableError
	if err := repo.Suitable(s.home, s.options()); !errors.As(err, &unsuitable) {
		t.Errorf("home: %v", err)
	}
	if err := repo.Suitable(string(filepath.Separator), s.options()); !errors.As(err, &unsuitable) || unsuitable.Home {
		t.Errorf("root: %v", err)
	}
	if err := repo.Suitable(s.path("home/project"), s.options()); err != nil {
		t.Errorf("a folder below home: %v", err)
	}
	env := []string{"GIT_DIR=" + s.path("home/project/.git"), "GIT_WORK_TREE=" + s.home}
	if _, err := repo.Discover(s.path("home"), s.options(env...)); !errors.As(err, &unsuitable) {
		t.Errorf("home as GIT_WORK_TREE: %v", err)
	}
}

func TestDeletedFolder(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	gone := s.mkdir("p/gone")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	_, err := repo.Discover(gone, s.options())
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, repo.ErrNoRepository) || !strings.Contains(err.Error(), gone) {
		t.Fatalf("got %v", err)
	}
}

func TestDeletedWorkingDirectory(t *testing.T) {
	s := newSandbox(t)
	t.Chdir(s.mkdir("cwd"))
	if err := os.Remove(s.path("cwd")); err != nil {
		t.Skip(err)
	}
	if _, err := repo.Discover(".", s.options()); err == nil || errors.Is(err, repo.ErrNoRepository) {
		t.Fatalf("got %v", err)
	}
}

func TestOwnership(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a repository away")
	}
	s := newSandbox(t)
	s.project("p")
	s.git("p", "worktree", "add", "-q", "../w")
	if err := os.Chown(s.path("p/.git"), 4242, 4242); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"p", "p/sub", "w"} {
		_, err := repo.Discover(s.path(from), s.options())
		var foreign *repo.NotOwnedError
		if !errors.As(err, &foreign) || foreign.Path != s.path("p/.git") || foreign.Owner == "" {
			t.Errorf("from %s: %v", from, err)
		}
	}
	if _, err := repo.Discover(s.path("p"), s.options("SUDO_UID=4242")); err != nil {
		t.Errorf("under sudo: %v", err)
	}
	o := s.options()
	o.Trusted = []string{s.path("p")}
	if _, err := repo.Discover(s.path("p"), o); err != nil {
		t.Errorf("trusted: %v", err)
	}
}

func TestUnreadableIsNotAbsent(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	s := newSandbox(t)
	s.project("p")
	s.project("p/inner")
	if err := os.Chmod(s.path("p/inner/.git"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(s.path("p/inner/.git"), 0o700) })
	if _, err := repo.Discover(s.path("p/inner"), s.options()); !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("got %v", err)
	}
}
