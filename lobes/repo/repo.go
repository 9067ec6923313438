// Package repo knows what git knows about a folder: which repository it
// belongs to, which branch is checked out, who works in it and what was
// committed.
//
// [Discover] finds the repository by reading the few files git itself reads,
// so it answers in microseconds and for every kind of repository: linked
// worktrees, submodules, separate git directories, bare repositories,
// reftable, SHA-256, sparse and relative worktrees. The identity of a
// repository is [Repo.CommonDir], which all its worktrees share.
//
// Discovery gives nothing away. A ".git" file is believed only if what it
// names points back at it, a "commondir" file only if it lies where git would
// have put it, a repository of another user only if it is trusted by name, and
// neither the home directory nor the root of the file system is ever a
// project. A refusal is an error with a type; see [NoRepositoryError],
// [NotOwnedError], [UnsuitableError] and [GitFileError].
//
// [Repo.History] serves commits and blobs through go-git; where that library
// cannot read a repository it answers a [HistoryError], and everything else
// goes on working. Nothing here ever writes.
package repo

import (
	"os"
	"path/filepath"
	"strings"
)

// Options say where discovery may look and what it may believe. The zero
// value ignores the environment, trusts nobody and takes the home directory
// from the operating system.
type Options struct {
	// Getenv reads the variables git knows (GIT_DIR, GIT_COMMON_DIR,
	// GIT_WORK_TREE, GIT_CEILING_DIRECTORIES, …) and SUDO_UID. They describe
	// the folder a process was started in: use [Options.Elsewhere] for others.
	Getenv func(string) string
	// Home is the person's home directory, which is never a project.
	Home string
	// Trusted are folders whose repositories are believed although another
	// user owns them or their ".git" file cannot be proved.
	Trusted []string
	// Named are the bare repositories that the configuration names.
	Named []string
}

// Elsewhere are the same options for a folder other than the one the process
// was started in: the variables that point at one repository are hidden.
func (o Options) Elsewhere() Options {
	getenv := o.Getenv
	if getenv == nil {
		return o
	}
	o.Getenv = func(name string) string {
		switch name {
		case "GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE":
			return ""
		}
		return getenv(name)
	}
	return o
}

func (o Options) env(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}

func (o Options) home() string {
	home := o.Home
	if home == "" {
		found, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		home = found
	}
	return resolved(home)
}

// A Repo is one working tree (or bare repository) and the directories git
// keeps for it. All paths are absolute, with symbolic links resolved.
type Repo struct {
	// Root is the top of this working tree; empty when the repository is bare.
	Root string
	// GitDir holds what belongs to this working tree alone: HEAD, the index.
	GitDir string
	// CommonDir is the identity of the repository: all worktrees share it.
	CommonDir string
	// Bare tells that there is no working tree.
	Bare bool
	// Linked tells that this is a linked worktree (git worktree add).
	Linked bool
	// Submodule is the submodule's name, empty for other repositories.
	Submodule string

	// refs is the common directory as git sees it. It differs from CommonDir
	// only for a submodule inside a linked worktree, whose refs and objects
	// are its own though its memory is shared.
	refs string
}

// Name is what a person would call the repository: the name of the folder
// that holds the git directory, the same for each of its worktrees.
func (r Repo) Name() string {
	if r.Submodule != "" {
		return filepath.Base(filepath.FromSlash(r.Submodule))
	}
	base := filepath.Base(r.CommonDir)
	if base == ".git" || base == ".bare" {
		return filepath.Base(filepath.Dir(r.CommonDir))
	}
	return strings.TrimPrefix(strings.TrimSuffix(base, ".git"), ".")
}

// MemoryDir is the folder "memory" of the common directory, where the
// repository's memory lives, whether or not it exists yet. A symbolic link
// there that leaves the common directory is refused: whoever wrote it may not
// be the one who owns what it points at.
func (r Repo) MemoryDir() (string, error) {
	dir := filepath.Join(r.CommonDir, "memory")
	target, err := filepath.EvalSymlinks(dir)
	if err != nil {
		if _, lerr := os.Lstat(dir); os.IsNotExist(lerr) {
			return dir, nil
		}
		return "", &GitFileError{Path: dir, Reason: "is a link that leads nowhere", Err: err}
	}
	if !PathWithin(r.CommonDir, target) {
		return "", &GitFileError{Path: dir, Target: target, Reason: "is a link that leaves the repository"}
	}
	return dir, nil
}

func (r Repo) refsDir() string {
	if r.refs != "" {
		return r.refs
	}
	return r.CommonDir
}
