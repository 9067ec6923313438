package repo

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// looksLikeGitDir is git's own test: a HEAD that can be one, and folders for
// objects and references, in the directory or in the one it shares.
func looksLikeGitDir(dir string) bool {
	if _, err := readHead(dir); err != nil {
		return false
	}
	common := dir
	if shared, err := pointer(filepath.Join(dir, "commondir"), dir); err == nil {
		common = shared
	}
	return isDir(filepath.Join(common, "objects")) && isDir(filepath.Join(common, "refs"))
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// pointer reads a file that holds one path, relative to base.
func pointer(file, base string) (string, error) {
	b, err := readSmall(file)
	if err != nil {
		return "", err
	}
	path := strings.TrimRight(string(b), "\r\n")
	if path == "" || strings.ContainsAny(path, "\x00\n") {
		return "", errors.New("holds no path")
	}
	return against(base, path), nil
}

// parseGitFile reads the content of a ".git" file.
func parseGitFile(b []byte) (string, bool) {
	path, ok := bytes.CutPrefix(b, []byte("gitdir: "))
	if !ok {
		return "", false
	}
	path = bytes.TrimRight(path, "\r\n")
	return string(path), len(path) > 0 && len(path) <= 4096 && !bytes.ContainsAny(path, "\x00\n")
}

// gitFileTarget is the git directory that a ".git" file names, resolved.
func gitFileTarget(file string) (string, error) {
	b, err := readSmall(file)
	if err != nil {
		return "", &GitFileError{Path: file, Reason: "cannot be read", Err: err}
	}
	path, ok := parseGitFile(b)
	if !ok {
		return "", &GitFileError{Path: file, Reason: `does not hold "gitdir: " and a path`}
	}
	target, err := filepath.EvalSymlinks(against(filepath.Dir(file), path))
	if err != nil {
		return "", &GitFileError{Path: file, Target: path, Reason: `leads nowhere (moved? "git worktree repair" mends worktrees)`, Err: plain(err)}
	}
	if !looksLikeGitDir(target) {
		return "", &GitFileError{Path: file, Target: path, Reason: "leads to no git directory"}
	}
	return target, nil
}

// commonDir is the directory that gitDir shares with its other worktrees, and
// whether it does so. A "commondir" file is believed only where git writes
// one, in <common>/worktrees/<name>: nobody who cannot write in the common
// directory can put one there.
func commonDir(gitDir string) (dir string, linked bool, err error) {
	file := filepath.Join(gitDir, "commondir")
	shared, err := pointer(file, gitDir)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, false, nil
	}
	if err != nil {
		return "", false, &GitFileError{Path: file, Reason: "cannot be used", Err: err}
	}
	real, err := filepath.EvalSymlinks(shared)
	if err != nil {
		return "", false, &GitFileError{Path: file, Target: shared, Reason: "leads nowhere", Err: plain(err)}
	}
	if !sameDir(filepath.Dir(gitDir), filepath.Join(real, "worktrees")) {
		return "", false, &GitFileError{Path: file, Target: shared, Reason: "leads to a repository that this is no worktree of"}
	}
	return real, true, nil
}

// submodule is the name of the submodule that common belongs to, and the
// directory that its memory lives in. The git directory of a submodule in a
// linked worktree goes when the worktree goes; the one of the main working
// tree, if there is one, stays.
func submodule(common string) (name, identity string) {
	identity = common
	for dir := filepath.Dir(common); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if filepath.Base(dir) != "modules" || !looksLikeGitDir(filepath.Dir(dir)) {
			continue
		}
		super := filepath.Dir(dir)
		rel, err := filepath.Rel(dir, common)
		if err != nil {
			return name, identity
		}
		if name == "" {
			name = filepath.ToSlash(rel)
		}
		shared, linked, err := commonDir(super)
		if err != nil || !linked {
			continue
		}
		inner, err := filepath.Rel(super, common)
		if err != nil {
			return name, identity
		}
		if main := filepath.Join(shared, inner); looksLikeGitDir(main) {
			return name, main
		}
		return name, identity
	}
	return name, identity
}
