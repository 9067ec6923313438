package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Discover finds the repository that a folder (or the folder of a file)
// belongs to. Outside git the error matches [ErrNoRepository]; every other
// error means that there is one and why it is not used, so a caller must not
// take the folder for one outside git.
func Discover(dir string, o Options) (Repo, error) {
	start, err := startDir(dir)
	if err != nil {
		return Repo{}, fmt.Errorf("look for a git repository from %q: %w", dir, err)
	}
	s := search{start: start, o: o, home: o.home()}
	r, err := s.find()
	if err != nil {
		return Repo{}, err
	}
	if err := s.admit(r); err != nil {
		return Repo{}, err
	}
	return r, nil
}

// Suitable refuses, with an [UnsuitableError], the folders that are never a
// project though they lie outside git: the home directory and the root of a
// file system.
func Suitable(dir string, o Options) error {
	real := resolved(dir)
	return suitable(real, real, o.home())
}

func suitable(root, start, home string) error {
	if filepath.Dir(root) == root {
		return &UnsuitableError{Root: root, Dir: start}
	}
	if home != "" && (root == home || sameDir(root, home)) {
		return &UnsuitableError{Root: root, Dir: start, Home: true}
	}
	return nil
}

func startDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", plain(err)
	}
	fi, err := os.Stat(real)
	if err != nil {
		return "", plain(err)
	}
	if !fi.IsDir() {
		real = filepath.Dir(real)
	}
	return real, nil
}

// A search is one walk from a folder upwards.
type search struct {
	start string
	o     Options
	home  string

	bare    *Repo  // the folder itself is a bare repository
	skipped string // a bare repository above the folder that nothing names
}

func (s *search) find() (Repo, error) {
	if dir := s.o.env("GIT_DIR"); dir != "" {
		return s.explicit(dir)
	}
	boundary := s.boundary()
	for at := s.start; ; at = filepath.Dir(at) {
		r, found, err := s.at(at)
		if err != nil {
			return Repo{}, err
		}
		if found && !s.homeAroundBare(r) {
			return r, nil
		}
		if filepath.Dir(at) == at || boundary(filepath.Dir(at)) {
			break
		}
	}
	if s.bare != nil {
		return *s.bare, nil
	}
	return Repo{}, &NoRepositoryError{Dir: s.start, Bare: s.skipped}
}

// homeAroundBare reports whether the walk began in a bare repository and has
// now met the home directory kept in git: that is no project, so the bare
// repository does not lie "inside another repository's tree".
func (s *search) homeAroundBare(r Repo) bool {
	return s.bare != nil && suitable(r.top(), s.start, s.home) != nil
}

// boundary tells which folders the walk must not enter: those at or above a
// ceiling, and those on another file system, as git has it.
func (s *search) boundary() func(string) bool {
	ceiling := s.ceiling()
	device, known := deviceOf(s.start)
	across := (gitConfig{{section: "git", key: "across", value: s.o.env("GIT_DISCOVERY_ACROSS_FILESYSTEM")}}).on("git", "across")
	return func(dir string) bool {
		if dir == ceiling {
			return true
		}
		if d, ok := deviceOf(dir); known && ok && d != device {
			return !across
		}
		return false
	}
}

// ceiling is the longest entry of GIT_CEILING_DIRECTORIES above the start.
func (s *search) ceiling() string {
	longest, follow := "", true
	for _, dir := range filepath.SplitList(s.o.env("GIT_CEILING_DIRECTORIES")) {
		if dir == "" { // what comes behind an empty entry is not resolved
			follow = false
			continue
		}
		if !filepath.IsAbs(dir) {
			continue
		}
		if dir = filepath.Clean(dir); follow {
			dir = resolved(dir)
		}
		if dir != s.start && PathWithin(dir, s.start) && len(dir) > len(longest) {
			longest = dir
		}
	}
	return longest
}

// at looks at one folder: for its ".git", then whether it is a git directory.
func (s *search) at(dir string) (Repo, bool, error) {
	dotgit := filepath.Join(dir, ".git")
	fi, err := os.Stat(dotgit)
	switch {
	case err == nil && fi.IsDir():
		r, found, err := s.directory(dir, dotgit)
		if found || err != nil {
			return r, found, err
		}
	case err == nil:
		r, err := s.gitFile(dir, dotgit)
		return r, err == nil, err
	case !errors.Is(err, fs.ErrNotExist):
		return Repo{}, false, &GitFileError{Path: dotgit, Reason: "cannot be looked at", Err: plain(err)}
	case isLink(dotgit):
		return Repo{}, false, &GitFileError{Path: dotgit, Reason: "is a link that leads nowhere"}
	}
	return s.inside(dir)
}

func isLink(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.Mode()&fs.ModeSymlink != 0
}

// directory reads a ".git" that is a folder, or a link to one. A folder that
// git would not take for a repository is passed by, as git passes it by.
func (s *search) directory(dir, dotgit string) (Repo, bool, error) {
	if !looksLikeGitDir(dotgit) {
		if err := readable(dotgit); err != nil {
			return Repo{}, false, &GitFileError{Path: dotgit, Reason: "cannot be read", Err: err}
		}
		return Repo{}, false, nil
	}
	if isLink(dotgit) {
		target, err := filepath.EvalSymlinks(dotgit)
		if err != nil {
			return Repo{}, false, &GitFileError{Path: dotgit, Reason: "is a link that leads nowhere", Err: plain(err)}
		}
		r, err := s.pointedAt(dir, dotgit, target)
		return r, err == nil, err
	}
	r, err := s.open(dotgit)
	if err != nil {
		return Repo{}, false, err
	}
	if !r.Bare {
		r.Root = s.workTree(dir, r)
	}
	return r, true, nil
}

// readable tells a folder that may not be read from one that holds nothing.
func readable(dir string) error {
	_, err := os.ReadDir(dir)
	if err == nil {
		_, err = readSmall(filepath.Join(dir, "HEAD"))
	}
	if errors.Is(err, fs.ErrPermission) {
		return plain(err)
	}
	return nil
}

// open reads what a git directory says of itself. Where its "commondir" leads
// is checked; who may use it is not yet.
func (s *search) open(gitDir string) (Repo, error) {
	common, linked, err := commonDir(gitDir)
	if err != nil {
		return Repo{}, err
	}
	if given := s.o.env("GIT_COMMON_DIR"); given != "" {
		common = resolved(against(s.start, given))
	}
	cfg, err := loadConfig(common, gitDir)
	if err != nil {
		return Repo{}, err
	}
	r := Repo{GitDir: gitDir, CommonDir: common, Linked: linked, refs: common}
	_, hasTree := cfg.get("core", "worktree")
	r.Bare = !linked && !hasTree && cfg.on("core", "bare")
	r.Submodule, r.CommonDir = submodule(common)
	return r, nil
}

// workTree is the top of the working tree whose ".git" lies in dir. The
// repository may move it deeper with core.worktree, never elsewhere: else a
// repository could show the files of another as its own.
func (s *search) workTree(dir string, r Repo) string {
	if tree := s.o.env("GIT_WORK_TREE"); tree != "" {
		return resolved(against(s.start, tree))
	}
	if tree := configuredTree(r); tree != "" && PathWithin(dir, tree) {
		return tree
	}
	return dir
}

// configuredTree is what core.worktree names, if that exists.
func configuredTree(r Repo) string {
	cfg, err := loadConfig(r.refsDir(), r.GitDir)
	if err != nil {
		return ""
	}
	tree, ok := cfg.get("core", "worktree")
	if !ok || tree == "" {
		return ""
	}
	real, err := filepath.EvalSymlinks(against(r.GitDir, tree))
	if err != nil {
		return ""
	}
	return real
}

// inside looks whether the folder itself is a git directory, as it is in a
// bare repository, or when the walk began somewhere below a ".git".
func (s *search) inside(dir string) (Repo, bool, error) {
	if !looksLikeGitDir(dir) {
		return Repo{}, false, nil
	}
	r, err := s.open(dir)
	if err != nil {
		return Repo{}, false, err
	}
	if owner := naturalTree(r); owner != "" {
		claimed, found, err := s.claim(owner, dir)
		if found || err != nil {
			return claimed, found, err
		}
	}
	r.Bare, r.Root = true, ""
	switch {
	case s.named(dir):
		return r, true, nil
	case dir == s.start:
		s.bare = &r
	default:
		s.skipped = dir
	}
	return Repo{}, false, nil
}

// claim asks the working tree that a git directory names whether it agrees.
func (s *search) claim(tree, gitDir string) (Repo, bool, error) {
	dotgit := filepath.Join(tree, ".git")
	fi, err := os.Stat(dotgit)
	if err != nil {
		return Repo{}, false, nil
	}
	var r Repo
	if fi.IsDir() {
		found := false
		if r, found, err = s.directory(tree, dotgit); !found {
			return Repo{}, false, err
		}
	} else if r, err = s.gitFile(tree, dotgit); err != nil {
		return Repo{}, false, err
	}
	return r, sameDir(r.GitDir, gitDir), nil
}

// naturalTree is the folder that a git directory says is its working tree.
func naturalTree(r Repo) string {
	if r.Linked {
		if back, err := pointer(filepath.Join(r.GitDir, "gitdir"), r.GitDir); err == nil {
			return filepath.Dir(back)
		}
		return ""
	}
	if tree := configuredTree(r); tree != "" {
		return tree
	}
	if filepath.Base(r.GitDir) == ".git" {
		return filepath.Dir(r.GitDir)
	}
	return ""
}

func (s *search) named(dir string) bool {
	for _, name := range s.o.Named {
		if sameDir(name, dir) {
			return true
		}
	}
	return false
}

// explicit serves GIT_DIR, which a person or git itself has set: it is
// believed, and GIT_WORK_TREE or core.worktree say where the tree is.
func (s *search) explicit(given string) (Repo, error) {
	gitDir := against(s.start, given)
	if fi, err := os.Stat(gitDir); err == nil && !fi.IsDir() {
		target, err := gitFileTarget(gitDir)
		if err != nil {
			return Repo{}, err
		}
		gitDir = target
	}
	gitDir = resolved(gitDir)
	if !looksLikeGitDir(gitDir) {
		return Repo{}, &GitFileError{Path: "GIT_DIR", Target: given, Reason: "is no git repository"}
	}
	r, err := s.open(gitDir)
	if err != nil {
		return Repo{}, err
	}
	tree := s.o.env("GIT_WORK_TREE")
	natural := naturalTree(r)
	switch {
	case tree != "":
		r.Root, r.Bare = resolved(against(s.start, tree)), false
	case r.Bare:
	case natural != "" && (configuredTree(r) != "" || PathWithin(natural, s.start)):
		r.Root = resolved(natural)
	default:
		r.Root = s.start
	}
	return r, nil
}

// admit refuses repositories that must not be used: those of other users and
// those whose folder is never a project.
func (s *search) admit(r Repo) error {
	if err := suitable(r.top(), s.start, s.home); err != nil {
		return err
	}
	if s.trusts(r.CommonDir) || r.Root != "" && s.trusts(r.Root) {
		return nil
	}
	for _, dir := range []string{r.CommonDir, r.GitDir, r.refsDir()} {
		owner, mine, err := ownerOf(dir, s.o)
		if err != nil {
			return fmt.Errorf("ask who owns the repository %q: %w", dir, err)
		}
		if !mine {
			return &NotOwnedError{Path: dir, Owner: owner}
		}
	}
	return nil
}

// top is the folder that would be the project.
func (r Repo) top() string {
	if r.Root != "" {
		return r.Root
	}
	if base := filepath.Base(r.CommonDir); strings.HasPrefix(base, ".") {
		return filepath.Dir(r.CommonDir)
	}
	return r.CommonDir
}

func (s *search) trusts(path string) bool {
	for _, root := range s.o.Trusted {
		if PathWithin(resolved(root), path) {
			return true
		}
	}
	return false
}
