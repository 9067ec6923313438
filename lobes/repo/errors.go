package repo

import (
	"errors"
	"fmt"
)

// ErrNoRepository is matched (errors.Is) by every error that says that a
// folder lies outside git.
var ErrNoRepository = errors.New("no git repository")

// NoRepositoryError says that neither a folder nor any folder above it belongs
// to a git repository.
type NoRepositoryError struct {
	Dir string
	// Bare is a bare repository that was passed by, since it is not named.
	Bare string
}

func (e *NoRepositoryError) Error() string {
	if e.Bare != "" {
		return fmt.Sprintf("look for a git repository from %q: the bare repository %q counts only when the configuration or GIT_DIR names it", e.Dir, e.Bare)
	}
	return fmt.Sprintf("look for a git repository from %q: none there or above", e.Dir)
}

// Is makes every NoRepositoryError match [ErrNoRepository].
func (e *NoRepositoryError) Is(target error) bool { return target == ErrNoRepository }

// NotOwnedError says that a repository belongs to another user and that no
// trusted root names it.
type NotOwnedError struct {
	Path  string // the git directory
	Owner string // who owns it, as the system names users
}

func (e *NotOwnedError) Error() string {
	return fmt.Sprintf("open the repository %q: it belongs to another user (%s) and no entry of trustedRoots names it", e.Path, e.Owner)
}

// UnsuitableError says that a folder can never be a project: the home
// directory or the root of a file system.
type UnsuitableError struct {
	Root string // the folder that would have become the project
	Dir  string // where the search started
	Home bool   // Root is the home directory, else the root of a file system
}

func (e *UnsuitableError) Error() string {
	what := "the root of a file system"
	if e.Home {
		what = "the home directory"
	}
	if e.Root == e.Dir {
		return fmt.Sprintf("use %q as a project: it is %s, which is never one", e.Root, what)
	}
	return fmt.Sprintf("use %q as a project: its repository is %s (%q), which is never one", e.Dir, what, e.Root)
}

// GitFileError says that one of git's own files cannot be read or cannot be
// believed. Its text never holds the file's content beyond the path it names.
type GitFileError struct {
	Path   string // the file, or the variable, that was read
	Target string // what it names, if it could be read
	Reason string // why it is refused
	Err    error  // the cause, if there is one
}

func (e *GitFileError) Error() string {
	s := fmt.Sprintf("read %q: it %s", e.Path, e.Reason)
	if e.Target != "" {
		s = fmt.Sprintf("read %q, which names %q: it %s", e.Path, e.Target, e.Reason)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *GitFileError) Unwrap() error { return e.Err }

// HistoryError says why the commits of a repository cannot be read. Nothing
// but history depends on them.
type HistoryError struct {
	GitDir string
	Reason string
	Err    error
}

func (e *HistoryError) Error() string {
	s := fmt.Sprintf("read the history of %q: %s", e.GitDir, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *HistoryError) Unwrap() error { return e.Err }
