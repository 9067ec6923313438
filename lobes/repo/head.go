package repo

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A Branch says what is checked out.
type Branch struct {
	// Name is the branch without "refs/heads/"; empty when detached.
	Name string
	// Detached tells that a commit is checked out, not a branch.
	Detached bool
	// Unborn tells that the branch has no commit yet.
	Unborn bool
	// Commit is the id of the commit, in full; empty when unborn.
	Commit string
}

// Slug is the folder name for memories of this branch; see [BranchSlug].
func (b Branch) Slug() string {
	if b.Detached && len(b.Commit) >= 7 {
		return "detached-" + b.Commit[:7]
	}
	return BranchSlug(b.Name)
}

// reftableHead is what HEAD holds when the references are in a reftable,
// which only git itself reads.
const reftableHead = "refs/heads/.invalid"

// maxSymref bounds a chain of references, as git bounds it.
const maxSymref = 5

var (
	errHead   = errors.New("neither a reference nor a commit id")
	errUnborn = errors.New("no commit yet")
)

// Branch reads what is checked out in this working tree.
func (r Repo) Branch() (Branch, error) {
	h, err := readHead(r.GitDir)
	if err != nil {
		return Branch{}, fmt.Errorf("read the branch of %q: HEAD: %w", r.GitDir, err)
	}
	if h.ref == reftableHead {
		return r.askBranch()
	}
	if h.ref == "" {
		return Branch{Detached: true, Commit: h.commit}, nil
	}
	b := Branch{Name: strings.TrimPrefix(h.ref, "refs/heads/")}
	b.Commit, err = r.resolve(h.ref, maxSymref)
	if errors.Is(err, errUnborn) {
		b.Unborn = true
		return b, nil
	}
	if err != nil {
		return Branch{}, fmt.Errorf("read the branch %q of %q: %w", b.Name, r.GitDir, err)
	}
	return b, nil
}

// Head is the id of the commit that is checked out. On an unborn branch it is
// an error.
func (r Repo) Head() (string, error) {
	b, err := r.Branch()
	if err != nil {
		return "", err
	}
	if b.Unborn {
		return "", fmt.Errorf("read the commit of branch %q in %q: %w", b.Name, r.GitDir, errUnborn)
	}
	return b.Commit, nil
}

// A head is what HEAD, or a reference, holds: one of both.
type head struct{ ref, commit string }

// readHead reads HEAD; an old one may be a symbolic link to a reference.
func readHead(gitDir string) (head, error) {
	path := filepath.Join(gitDir, "HEAD")
	if target, err := os.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") {
		return parseHead([]byte("ref: " + target))
	}
	b, err := readSmall(path)
	if err != nil {
		return head{}, err
	}
	return parseHead(b)
}

// parseHead reads "ref: refs/…" or a commit id of 40 or 64 digits.
func parseHead(b []byte) (head, error) {
	if ref, ok := bytes.CutPrefix(b, []byte("ref:")); ok {
		name := string(bytes.TrimSpace(ref))
		if name != reftableHead && !validRef(name) {
			return head{}, errHead
		}
		return head{ref: name}, nil
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	id := string(bytes.TrimSpace(line))
	if !isID(id) {
		return head{}, errHead
	}
	return head{commit: id}, nil
}

func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	_, err := hex.DecodeString(s)
	return err == nil && strings.ToLower(s) == s
}

// validRef follows git check-ref-format as far as it keeps a name inside the
// folder of references.
func validRef(name string) bool {
	if !strings.HasPrefix(name, "refs/") || len(name) > 4096 || strings.Contains(name, "..") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(c rune) bool {
		return c < ' ' || c == 0x7f || strings.ContainsRune(`\:*?[~^`, c)
	})
}

// resolve follows a reference to its commit: a loose file first, then the
// packed ones.
func (r Repo) resolve(ref string, depth int) (string, error) {
	if depth == 0 {
		return "", errors.New("a chain of references that does not end")
	}
	b, err := readSmall(filepath.Join(r.refHome(ref), filepath.FromSlash(ref)))
	if err == nil {
		h, err := parseHead(b)
		if err != nil {
			return "", fmt.Errorf("reference %q: %w", ref, err)
		}
		if h.ref != "" {
			return r.resolve(h.ref, depth-1)
		}
		return h.commit, nil
	}
	// Not a regular file, or below one: branch "a/b" is there and "a" is asked
	// for, or the other way round.
	absent := errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) || errors.Is(err, syscall.ENOTDIR)
	if !absent {
		return "", fmt.Errorf("reference %q: %w", ref, err)
	}
	return r.packed(ref)
}

// refHome is where a reference lives: a few belong to one working tree.
func (r Repo) refHome(ref string) string {
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(ref, own) {
			return r.GitDir
		}
	}
	return r.refsDir()
}

func (r Repo) packed(ref string) (string, error) {
	path := filepath.Join(r.refsDir(), "packed-refs")
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errUnborn
	}
	if err == nil && !fi.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return "", fmt.Errorf("packed references: %w", plain(err))
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("packed references: %w", plain(err))
	}
	defer f.Close()
	return findPacked(bufio.NewReader(f), ref)
}

// findPacked looks a reference up in the form of packed-refs: lines of an id,
// a space and a name, with comments and peeled tags between them.
func findPacked(in *bufio.Reader, ref string) (string, error) {
	for {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		id, name, ok := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" "))
		if ok && !long && string(name) == ref && isID(string(id)) {
			return string(id), nil
		}
		for long {
			_, err = in.ReadSlice('\n')
			long = errors.Is(err, bufio.ErrBufferFull)
		}
		if err != nil {
			return "", errUnborn
		}
	}
}
