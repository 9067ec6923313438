package repo

import (
	"os"
	"path/filepath"
	"time"
)

// gitFile reads a ".git" that is a file.
func (s *search) gitFile(dir, file string) (Repo, error) {
	target, err := gitFileTarget(file)
	if err != nil {
		return Repo{}, err
	}
	return s.pointedAt(dir, file, target)
}

// pointedAt opens the git directory that a ".git" file or link names, if that
// directory agrees. Anybody can write such a file and name the repository of
// somebody else in it.
func (s *search) pointedAt(dir, dotgit, target string) (Repo, error) {
	r, err := s.open(target)
	if err != nil {
		return Repo{}, err
	}
	if !s.agrees(dir, dotgit, r) && !s.trusts(dir) {
		return Repo{}, &GitFileError{Path: dotgit, Target: target,
			Reason: `leads to a repository that does not lead back; if it is yours, "git worktree repair", core.worktree there, or an entry in trustedRoots says so`}
	}
	if !r.Bare {
		r.Root = s.workTree(dir, r)
	}
	return r, nil
}

// agrees reports whether a git directory belongs to the working tree dir:
// because it says so itself, because it lies in that tree, or because its
// index was written for the very files that lie there.
func (s *search) agrees(dir, dotgit string, r Repo) bool {
	if r.Linked {
		back, err := pointer(filepath.Join(r.GitDir, "gitdir"), r.GitDir)
		if err == nil && filepath.Base(back) == ".git" && sameDir(filepath.Dir(back), dir) {
			return true
		}
		return indexMatches(r, dir)
	}
	cfg, err := loadConfig(r.refsDir(), r.GitDir)
	if err != nil {
		return false
	}
	if tree, ok := cfg.get("core", "worktree"); ok {
		return sameDir(against(r.GitDir, tree), dir) || indexMatches(r, dir)
	}
	ownName := filepath.Base(r.GitDir) == ".git" // the name says: of the folder around it
	if !ownName && PathWithin(dir, r.GitDir) {
		return true
	}
	if r.Bare {
		return s.named(r.GitDir)
	}
	return indexMatches(r, dir) || !ownName && bornTogether(dotgit, r.GitDir)
}

// born is how long "git init" may take from its first file to its last.
const born = 5 * time.Second

// bornTogether recognises what "git init --separate-git-dir" has just made,
// when no index can prove it yet: git writes the ".git" file first and its
// description a moment later, and the time at which a file appeared cannot be
// set by whoever unpacks an archive.
func bornTogether(dotgit, gitDir string) bool {
	file, err := os.Lstat(dotgit)
	if err != nil || !file.Mode().IsRegular() {
		return false
	}
	desc, err := os.Lstat(filepath.Join(gitDir, "description"))
	if err != nil {
		return false
	}
	after := desc.ModTime().Sub(changed(file))
	return after >= 0 && after <= born
}

// indexMatches reports whether the index of r was written for files in dir:
// whether one of its first entries has the length and the exact time of the
// file there. Names and contents of another tree may be known to a stranger,
// the times at which its files were written are not.
func indexMatches(r Repo, dir string) bool {
	matched := false
	tries := 0
	err := r.index(func(e indexEntry) bool {
		if tries++; tries > 500 {
			return false
		}
		if !e.regular() || e.nsec == 0 || !filepath.IsLocal(filepath.FromSlash(e.path)) {
			return true
		}
		fi, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.path)))
		matched = err == nil && fi.Mode().IsRegular() &&
			uint32(fi.Size()) == e.size && uint32(fi.ModTime().Unix()) == e.sec && uint32(fi.ModTime().Nanosecond()) == e.nsec
		return !matched
	})
	return err == nil && matched
}
