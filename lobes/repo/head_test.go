package repo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/lobes/repo"
)

// handMade lays a repository without git: HEAD and whatever else is given.
func handMade(t testing.TB, files map[string]string) repo.Repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t: t, dir: dir, home: filepath.Join(dir, "home")}
	s.mkdir("p/.git/objects")
	s.mkdir("p/.git/refs/heads")
	s.write("p/.git/HEAD", "ref: refs/heads/main\n")
	for name, text := range files {
		s.write("p/.git/"+name, text)
	}
	return s.discover("p")
}

func TestBranchForms(t *testing.T) {
	id := strings.Repeat("ab", 20)
	long := strings.Repeat("cd", 32)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  repo.Branch
		fails bool
	}{
		{"loose", map[string]string{"refs/heads/main": id + "\n"}, repo.Branch{Name: "main", Commit: id}, false},
		{"no line end", map[string]string{"HEAD": "ref: refs/heads/main", "refs/heads/main": id}, repo.Branch{Name: "main", Commit: id}, false},
		{"CRLF", map[string]string{"HEAD": "ref: refs/heads/main\r\n", "refs/heads/main": id + "\r\n"}, repo.Branch{Name: "main", Commit: id}, false},
		{"sha256", map[string]string{"refs/heads/main": long}, repo.Branch{Name: "main", Commit: long}, false},
		{"unborn", nil, repo.Branch{Name: "main", Unborn: true}, false},
		{"detached", map[string]string{"HEAD": id + "\n"}, repo.Branch{Detached: true, Commit: id}, false},
		{"packed", map[string]string{"packed-refs": "# pack-refs with: peeled fully-peeled sorted \n" + long + " refs/heads/other\n^" + id + "\n" + id + " refs/heads/main\n"},
			repo.Branch{Name: "main", Commit: id}, false},
		{"loose before packed", map[string]string{"refs/heads/main": id, "packed-refs": long + " refs/heads/main\n"}, repo.Branch{Name: "main", Commit: id}, false},
		{"a very long packed line", map[string]string{"packed-refs": strings.Repeat("x", 100_000) + "\n" + id + " refs/heads/main"}, repo.Branch{Name: "main", Commit: id}, false},
		{"symbolic branch", map[string]string{"refs/heads/main": "ref: refs/heads/real\n", "refs/heads/real": id}, repo.Branch{Name: "main", Commit: id}, false},
		{"a chain without end", map[string]string{"refs/heads/main": "ref: refs/heads/main\n"}, repo.Branch{}, true},
		{"a damaged reference", map[string]string{"refs/heads/main": "secret\n"}, repo.Branch{}, true},
		{"below another branch", map[string]string{"HEAD": "ref: refs/heads/a/b\n", "refs/heads/a": id}, repo.Branch{Name: "a/b", Unborn: true}, false},
		{"a branch of another kind", map[string]string{"HEAD": "ref: refs/remotes/x/y\n"}, repo.Branch{Name: "refs/remotes/x/y", Unborn: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := handMade(t, c.files).Branch()
			if (err != nil) != c.fails || b != c.want {
				t.Errorf("got %+v, %v; want %+v", b, err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows what the file holds: %v", err)
			}
		})
	}
}

// A reference must not lead out of the folder of references.
func TestHeadCannotLeaveTheRepository(t *testing.T) {
	for _, head := range []string{"ref: refs/heads/../../../secret", "ref: /etc/passwd", "ref: refs/", "ref: refs/heads/.hidden", "ref: refs/heads/a\x00b", "ref: refs/heads/a.lock", "zzz", ""} {
		s := newSandbox(t)
		s.mkdir("p/.git/objects")
		s.mkdir("p/.git/refs")
		s.write("p/.git/HEAD", head)
		if r, err := repo.Discover(s.path("p"), s.options()); !errors.Is(err, repo.ErrNoRepository) {
			t.Errorf("HEAD %q: %+v, %v", head, r, err)
		}
	}
}

// git older than 2.45 cannot read a reftable: then the answer is an error that
// says so, and discovery works all the same.
func TestReftable(t *testing.T) {
	s := newSandbox(t)
	if _, err := s.tryGit(".", nil, "init", "-q", "--ref-format=reftable", "p"); err != nil {
		s.mkdir("p/.git/objects")
		s.mkdir("p/.git/reftable")
		s.write("p/.git/refs/heads", "this repository uses the reftable format\n")
		s.write("p/.git/HEAD", "ref: refs/heads/.invalid\n")
		s.write("p/.git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefstorage = reftable\n")
		r := s.discover("p")
		if r.CommonDir != s.path("p/.git") || r.Root != s.path("p") {
			t.Errorf("got %+v", r)
		}
		if b, err := r.Branch(); err == nil || !strings.Contains(err.Error(), "reftable") {
			t.Errorf("got %+v, %v", b, err)
		}
		if _, err := r.Head(); err == nil {
			t.Error("Head answers")
		}
		return
	}
	r := s.discover("p")
	if b, err := r.Branch(); err != nil || b != (repo.Branch{Name: "main", Unborn: true}) {
		t.Errorf("unborn: got %+v, %v", b, err)
	}
	s.commit("p", "first")
	head := s.git("p", "rev-parse", "HEAD")
	if b, err := r.Branch(); err != nil || b != (repo.Branch{Name: "main", Commit: head}) {
		t.Errorf("got %+v, %v", b, err)
	}
}

func TestUser(t *testing.T) {
	s := newSandbox(t)
	t.Setenv("HOME", s.home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	s.project("p")
	s.project("work/q")
	s.write("home/.gitconfig", fmt.Sprintf("[user]\n\tname = Ada\n\temail = ada@example.org\n[includeIf \"gitdir:%s/\"]\n\tpath = work.inc\n", filepath.ToSlash(s.path("work"))))
	s.write("home/work.inc", "[user]\n\tname = \"Countess  of\\tLovelace\"\n")
	check := func(rel, want string) {
		t.Helper()
		if got := s.discover(rel).User(); got != want {
			t.Errorf("in %s: %q, want %q", rel, got, want)
		}
	}
	check("p", "Ada")
	check("work/q", "Countess of Lovelace")
	s.git("p", "config", "user.name", "Local")
	check("p", "Local")
	s.git("p", "config", "user.name", "ada@example.org")
	check("p", "")
	s.write("home/.gitconfig", "")
	check("work/q", "")
	// Another repository in the environment must not answer for this one.
	s.git("p", "config", "user.name", "Local")
	t.Setenv("GIT_DIR", s.path("work/q/.git"))
	check("p", "Local")

	t.Setenv("PATH", "")
	t.Setenv("GIT_DIR", "")
	s.write("home/.gitconfig", "[include]\n\tpath = ~/work.inc\n")
	check("work/q", "Countess of Lovelace")
	check("p", "Local")
}

func TestTracked(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		for _, format := range []string{"sha1", "sha256"} {
			s := newSandbox(t)
			s.project("p", "--object-format="+format)
			for i := range 30 {
				s.write(fmt.Sprintf("p/dir%d/überfile%02d.txt", i%3, i), "x")
			}
			s.git("p", "add", "-A")
			s.write("p/intent", "x")
			s.git("p", "add", "-N", "intent") // an extended flag
			s.git("p", "update-index", "--index-version="+version)
			want := s.git("p", "-c", "core.quotePath=false", "ls-files")
			got, err := s.discover("p").Tracked()
			if err != nil || strings.Join(got, "\n") != want {
				t.Errorf("version %s, %s: %v\ngot  %q\nwant %q", version, format, err, got, want)
			}
		}
	}
}

func TestTrackedOddIndexes(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	r := s.discover("p")
	s.git("p", "update-index", "--split-index")
	if files, err := r.Tracked(); err == nil {
		t.Errorf("a split index gives %q", files)
	}
	s.write("p/.git/index", "DIRC")
	if files, err := r.Tracked(); err == nil {
		t.Errorf("a torn index gives %q", files)
	}
	if err := os.Remove(s.path("p/.git/index")); err != nil {
		t.Fatal(err)
	}
	if files, err := r.Tracked(); err != nil || len(files) != 0 {
		t.Errorf("no index gives %q, %v", files, err)
	}
}
