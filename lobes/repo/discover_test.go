package repo_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/lobes/repo"
)

// A kind is one way in which a repository can lie on disk: the folder to look
// from and what must be found there.
type kind struct {
	name   string
	build  func(s *sandbox)
	from   string
	env    []string
	common string // as git rev-parse has it unless foreign is set
	root   string
	bare   bool
	linked bool
	sub    string
	branch string
	slug   string
	// differs says why the answer is not git's own, where it is not.
	differs string
}

func kinds() []kind {
	all := append(simpleKinds(), worktreeKinds()...)
	all = append(all, submoduleKinds()...)
	all = append(all, separateKinds()...)
	return append(all, environmentKinds()...)
}

func plain(s *sandbox) { s.project("p") }

func linked(s *sandbox) {
	plain(s)
	s.git("p", "worktree", "add", "-q", "-b", "feat/one", "../w")
}

func super(s *sandbox) {
	s.project("lib")
	plain(s)
	s.git("p", "submodule", "--quiet", "add", s.path("lib"), "third/lib")
	s.git("p", "commit", "-qm", "sub")
}

func worktreeOfSuper(s *sandbox) {
	super(s)
	s.git("p", "worktree", "add", "-q", "../w")
	s.git("w", "submodule", "--quiet", "update", "--init")
}

func bareLayout(s *sandbox) {
	s.project("src")
	s.mkdir("p")
	s.git("p", "clone", "-q", "--bare", s.path("src"), ".bare")
	s.write("p/.git", "gitdir: ./.bare\n")
}

func bare(s *sandbox) {
	plain(s)
	s.git("p", "clone", "-q", "--bare", ".", s.path("b.git"))
}

func simpleKinds() []kind {
	return []kind{
		{name: "plain", build: plain, from: "p", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "subfolder", build: plain, from: "p/sub/deep", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "a file in it", build: plain, from: "p/sub/deep/x.txt", common: "p/.git", root: "p", branch: "main", slug: "main", differs: "git takes no file"},
		{name: "packed refs", build: func(s *sandbox) {
			plain(s)
			s.git("p", "branch", "-m", "topic/a b"[:7])
			s.git("p", "pack-refs", "--all")
		},
			from: "p", common: "p/.git", root: "p", branch: "topic/a", slug: "topic-a"},
		{name: "detached", build: func(s *sandbox) { plain(s); s.git("p", "checkout", "-q", "--detach") }, from: "p", common: "p/.git", root: "p", slug: "detached-"},
		{name: "unborn", build: func(s *sandbox) { s.mkdir("p"); s.git("p", "init", "-q") }, from: "p", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "sha256", build: func(s *sandbox) { s.project("p", "--object-format=sha256") }, from: "p/sub", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "sparse checkout", build: func(s *sandbox) { plain(s); s.git("p", "sparse-checkout", "set", "sub") }, from: "p/sub", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "reached through a link", build: func(s *sandbox) { plain(s); os.Symlink(s.path("p/sub"), s.path("l")) }, from: "l/deep", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "an empty .git below", build: func(s *sandbox) { plain(s); s.mkdir("p/sub/.git") }, from: "p/sub/deep", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "nested repository", build: func(s *sandbox) { plain(s); s.project("p/vendor/q") }, from: "p/vendor/q/sub", common: "p/vendor/q/.git", root: "p/vendor/q", branch: "main", slug: "main"},
		{name: "configured below", build: func(s *sandbox) { plain(s); s.git("p", "config", "core.worktree", "../sub") }, from: "p/sub/deep", common: "p/.git", root: "p/sub", branch: "main", slug: "main"},
		{name: "HEAD is a link", build: func(s *sandbox) {
			plain(s)
			os.Remove(s.path("p/.git/HEAD"))
			os.Symlink("refs/heads/main", s.path("p/.git/HEAD"))
		},
			from: "p", common: "p/.git", root: "p", branch: "main", slug: "main"},
	}
}

func worktreeKinds() []kind {
	return []kind{
		{name: "linked worktree", build: linked, from: "w/sub", common: "p/.git", root: "w", linked: true, branch: "feat/one", slug: "feat-one"},
		{name: "linked worktree, detached", build: func(s *sandbox) { linked(s); s.git("w", "checkout", "-q", "--detach") }, from: "w", common: "p/.git", root: "w", linked: true, slug: "detached-"},
		{name: "linked worktree with relative paths", build: func(s *sandbox) {
			linked(s)
			s.write("w/.git", "gitdir: ../p/.git/worktrees/w\n")
			s.write("p/.git/worktrees/w/gitdir", "../../../../w/.git\n")
			s.git("p", "config", "core.repositoryformatversion", "1")
			s.git("p", "config", "extensions.relativeWorktrees", "true")
		}, from: "w", common: "p/.git", root: "w", linked: true, branch: "feat/one", slug: "feat-one", differs: "git before 2.48 refuses the extension"},
		{name: "worktree inside the repository", build: func(s *sandbox) { plain(s); s.git("p", "worktree", "add", "-q", "-b", "x", ".worktrees/x") },
			from: "p/.worktrees/x/sub", common: "p/.git", root: "p/.worktrees/x", linked: true, branch: "x", slug: "x"},
	}
}

func submoduleKinds() []kind {
	return []kind{
		{name: "submodule", build: super, from: "p/third/lib/sub", common: "p/.git/modules/third/lib", root: "p/third/lib", sub: "third/lib", branch: "main", slug: "main"},
		{name: "superproject of a submodule", build: super, from: "p/third", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "submodule in a linked worktree", build: worktreeOfSuper, from: "w/third/lib", common: "p/.git/modules/third/lib", root: "w/third/lib", sub: "third/lib", slug: "detached-", differs: "the memory of all worktrees is one"},
		{name: "submodule only in a linked worktree", build: func(s *sandbox) {
			worktreeOfSuper(s)
			s.git("p", "submodule", "--quiet", "deinit", "-f", "--all")
			os.RemoveAll(s.path("p/.git/modules"))
		},
			from: "w/third/lib", common: "p/.git/worktrees/w/modules/third/lib", root: "w/third/lib", sub: "third/lib", slug: "detached-"},
		{name: "submodule with sparse checkout", build: func(s *sandbox) { super(s); s.git("p/third/lib", "sparse-checkout", "set", "sub") },
			from: "p/third/lib", common: "p/.git/modules/third/lib", root: "p/third/lib", sub: "third/lib", branch: "main", slug: "main"},
		{name: "worktree of a submodule", build: func(s *sandbox) { super(s); s.git("p/third/lib", "worktree", "add", "-q", "-b", "y", s.path("y")) },
			from: "y", common: "p/.git/modules/third/lib", root: "y", linked: true, sub: "third/lib", branch: "y", slug: "y"},
	}
}

func separateKinds() []kind {
	return []kind{
		{name: "separate git directory, just made", build: func(s *sandbox) { s.mkdir("p"); s.git("p", "init", "-q", "--separate-git-dir", s.path("elsewhere")) },
			from: "p", common: "elsewhere", root: "p", branch: "main", slug: "main"},
		{name: "separate git directory", build: func(s *sandbox) {
			s.project("p", "--separate-git-dir", s.path("elsewhere"))
			os.Remove(s.path("elsewhere/description"))
		},
			from: "p/sub", common: "elsewhere", root: "p", branch: "main", slug: "main"},
		{name: "git directory moved out", build: func(s *sandbox) { plain(s); s.git("p", "init", "-q", "--separate-git-dir", s.path("elsewhere")) },
			from: "p", common: "elsewhere", root: "p", branch: "main", slug: "main"},
		{name: "separate git directory, sha256 and index v4", build: func(s *sandbox) {
			s.project("p", "--object-format=sha256", "--separate-git-dir", s.path("elsewhere"))
			s.git("p", "update-index", "--index-version=4")
			os.Remove(s.path("elsewhere/description"))
		}, from: "p", common: "elsewhere", root: "p", branch: "main", slug: "main"},
		{name: ".git is a link, proved by its index", build: func(s *sandbox) {
			plain(s)
			os.Rename(s.path("p/.git"), s.path("store"))
			os.Symlink(s.path("store"), s.path("p/.git"))
		}, from: "p", common: "store", root: "p", branch: "main", slug: "main"},
	}
}

func environmentKinds() []kind {
	return []kind{
		{name: ".bare layout, its top", build: bareLayout, from: "p", common: "p/.bare", bare: true, branch: "main", slug: "main"},
		{name: ".bare layout, a worktree", build: func(s *sandbox) {
			bareLayout(s)
			s.git("p", "worktree", "add", "-q", "-b", "dev", "dev")
		}, from: "p/dev/sub", common: "p/.bare", root: "p/dev", linked: true, branch: "dev", slug: "dev"},
		{name: "bare, the folder itself", build: bare, from: "b.git", common: "b.git", bare: true, branch: "main", slug: "main"},
		{name: "bare, by GIT_DIR", build: bare,
			from: "p", env: []string{"GIT_DIR=../b.git"}, common: "b.git", bare: true, branch: "main", slug: "main"},
		{name: "inside .git", build: plain, from: "p/.git/objects", common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "inside the git directory of a worktree", build: linked, from: "p/.git/worktrees/w", common: "p/.git", root: "w", linked: true, branch: "feat/one", slug: "feat-one"},
		{name: "inside the git directory of a submodule", build: super, from: "p/.git/modules/third/lib/refs", common: "p/.git/modules/third/lib", root: "p/third/lib", sub: "third/lib", branch: "main", slug: "main"},
		{name: "GIT_DIR", build: plain, from: "home", env: []string{"GIT_DIR={}/p/.git", "GIT_WORK_TREE={}/p"}, common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "GIT_DIR, relative", build: plain, from: "p/sub", env: []string{"GIT_DIR=../.git"}, common: "p/.git", root: "p", branch: "main", slug: "main"},
		{name: "GIT_DIR is a .git file", build: linked, from: "w", env: []string{"GIT_DIR=.git"}, common: "p/.git", root: "w", linked: true, branch: "feat/one", slug: "feat-one"},
		{name: "GIT_DIR and GIT_COMMON_DIR", build: linked, from: "w", env: []string{"GIT_DIR={}/p/.git/worktrees/w", "GIT_COMMON_DIR={}/p/.git"}, common: "p/.git", root: "w", linked: true, branch: "feat/one", slug: "feat-one"},
	}
}

func TestDiscoverAgreesWithGit(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			k.build(s)
			var env []string
			for _, pair := range k.env {
				env = append(env, strings.ReplaceAll(pair, "{}", s.dir))
			}
			r := s.discover(k.from, env...)
			if r.CommonDir != s.path(k.common) {
				t.Errorf("common directory %q, want %q", r.CommonDir, s.path(k.common))
			}
			wantRoot := ""
			if k.root != "" {
				wantRoot = s.path(k.root)
			}
			if r.Root != wantRoot || r.Bare != k.bare || r.Linked != k.linked || r.Submodule != k.sub {
				t.Errorf("got %+v, want root %q bare %v linked %v submodule %q", r, wantRoot, k.bare, k.linked, k.sub)
			}
			checkBranch(t, r, k)
			if k.differs == "" {
				checkAgainstGit(t, s, r, k, env)
			}
			checkHistory(t, s, r, strings.Contains(k.name, "sha256"))
		})
	}
}

func checkBranch(t *testing.T, r repo.Repo, k kind) {
	t.Helper()
	b, err := r.Branch()
	if err != nil {
		t.Fatalf("Branch: %v", err)
	}
	if b.Name != k.branch || b.Detached != (k.branch == "") {
		t.Errorf("branch %+v, want %q", b, k.branch)
	}
	if slug := b.Slug(); slug != k.slug && !(b.Detached && slug == "detached-"+b.Commit[:7]) {
		t.Errorf("slug %q, want %q", slug, k.slug)
	}
}

func checkAgainstGit(t *testing.T, s *sandbox, r repo.Repo, k kind, env []string) {
	t.Helper()
	ask := func(args ...string) (string, error) { return s.tryGit(k.from, env, args...) }
	common, err := ask("rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		t.Fatalf("git rev-parse: %v: %s", err, common)
	}
	if real, err := filepath.EvalSymlinks(common); err != nil || real != r.CommonDir {
		t.Errorf("git says the common directory is %q (%v), Discover %q", real, err, r.CommonDir)
	}
	if top, err := ask("rev-parse", "--show-toplevel"); err == nil && top != r.Root && k.env == nil {
		t.Errorf("git says the top is %q, Discover %q", top, r.Root)
	}
	head, headErr := ask("rev-parse", "--verify", "-q", "HEAD")
	got, err := r.Head()
	if (headErr == nil) != (err == nil) || err == nil && got != head {
		t.Errorf("git says HEAD is %q (%v), Head %q (%v)", head, headErr, got, err)
	}
}

func TestOutsideGit(t *testing.T) {
	s := newSandbox(t)
	dir := s.mkdir("notes/today")
	_, err := repo.Discover(dir, s.options())
	var none *repo.NoRepositoryError
	if !errors.Is(err, repo.ErrNoRepository) || !errors.As(err, &none) || none.Dir != dir {
		t.Fatalf("got %v", err)
	}
}

func TestCeiling(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	for _, c := range []struct {
		ceiling string
		found   bool
	}{
		{s.path("p"), false},     // the ceiling itself is not looked at
		{s.dir, true},            // it lies above
		{s.path("p/sub"), false}, // a parent of where we are
		{s.path("p/sub/deep"), true},
		{s.path("other"), true},
		{"relative", true},
	} {
		env := "GIT_CEILING_DIRECTORIES=" + c.ceiling
		_, err := repo.Discover(s.path("p/sub/deep"), s.options(env))
		_, gitErr := s.tryGit("p/sub/deep", []string{env}, "rev-parse", "--git-dir")
		if (err == nil) != c.found || (gitErr == nil) != c.found {
			t.Errorf("ceiling %q: Discover %v, git %v, want found %v", c.ceiling, err, gitErr, c.found)
		}
	}
}

func TestElsewhereIgnoresGitDir(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	s.project("q")
	o := s.options("GIT_DIR="+s.path("p/.git"), "GIT_WORK_TREE="+s.path("p"), "GIT_COMMON_DIR="+s.path("p/.git"))
	r, err := repo.Discover(s.path("q"), o.Elsewhere())
	if err != nil || r.CommonDir != s.path("q/.git") {
		t.Fatalf("got %+v, %v", r, err)
	}
}

func TestNames(t *testing.T) {
	for common, want := range map[string]string{
		"/x/app/.git": "app", "/x/app/.bare": "app", "/srv/tool.git": "tool", "/srv/sep": "sep", "/home/a/.dotfiles": "dotfiles",
	} {
		if got := (repo.Repo{CommonDir: filepath.FromSlash(common)}).Name(); got != want {
			t.Errorf("name of %q is %q, want %q", common, got, want)
		}
	}
	if got := (repo.Repo{CommonDir: "/x/.git/modules/third/lib", Submodule: "third/lib"}).Name(); got != "lib" {
		t.Errorf("name of a submodule is %q", got)
	}
}
