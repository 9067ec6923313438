package repo

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// A Commit is what history tells of one change. The author is a name, never an
// address.
type Commit struct {
	ID      string
	Subject string
	Author  string
	When    time.Time
	Parents int
}

// A History reads the commits and files that a repository holds. It is not
// safe for concurrent use; opening another one is cheap.
type History struct {
	gitDir string
	head   func() (string, error)
	store  *filesystem.Storage
}

// readable extensions change nothing about how commits, trees and blobs are
// kept, or are dealt with here: references are not read through go-git.
func knownExtension(name string) bool {
	switch name {
	case "noop", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees", "refstorage":
		return true
	}
	return false
}

// History opens the repository's objects. Where go-git cannot read them (a
// SHA-256 repository, an extension it does not know) the error is a
// [HistoryError] with the reason.
func (r Repo) History() (*History, error) {
	cfg, err := loadConfig(r.refsDir(), r.GitDir)
	if err != nil {
		return nil, &HistoryError{GitDir: r.GitDir, Reason: "its configuration cannot be read", Err: err}
	}
	for _, s := range cfg {
		if s.section != "extensions" || knownExtension(s.key) || s.key == "objectformat" && s.value == "sha1" {
			continue
		}
		return nil, &HistoryError{GitDir: r.GitDir, Reason: fmt.Sprintf("go-git does not know the extension %q (%q)", s.key, s.value)}
	}
	common := osfs.New(r.refsDir(), osfs.WithBoundOS())
	fs := dotgit.NewRepositoryFilesystem(osfs.New(r.GitDir, osfs.WithBoundOS()), common)
	store := filesystem.NewStorageWithOptions(fs, cache.NewObjectLRU(16*cache.MiByte), filesystem.Options{
		AlternatesFS: osfs.New("/"), KeepDescriptors: true, LargeObjectThreshold: maxBlob,
	})
	return &History{gitDir: r.GitDir, head: r.Head, store: store}, nil
}

// Close gives the open pack files back.
func (h *History) Close() error { return h.store.Close() }

func (h *History) fail(reason string, err error) error {
	return &HistoryError{GitDir: h.gitDir, Reason: reason, Err: err}
}

// Log lists at most n commits that the checked-out one descends from, itself
// included, the newest first. An unborn branch has none; where a shallow clone
// ends, the list ends.
func (h *History) Log(n int) ([]Commit, error) {
	var out []Commit
	err := h.walk(context.Background(), func(c *object.Commit) bool {
		if len(out) < n {
			out = append(out, told(c))
		}
		return len(out) < n
	})
	return out, err
}

func told(c *object.Commit) Commit {
	subject, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return Commit{
		ID: c.Hash.String(), Subject: strings.TrimSpace(strings.ToValidUTF8(subject, "\ufffd")),
		Author: strings.ToValidUTF8(c.Author.Name, "\ufffd"), When: c.Author.When, Parents: len(c.ParentHashes),
	}
}

// walk visits commits by commit time, newest first, until visit answers false.
func (h *History) walk(ctx context.Context, visit func(*object.Commit) bool) (err error) {
	defer h.recovered(&err)
	id, err := h.head()
	if errors.Is(err, errUnborn) {
		return nil
	}
	if err != nil {
		return h.fail("its HEAD cannot be read", err)
	}
	first, err := object.GetCommit(h.store, plumbing.NewHash(id))
	if err != nil {
		return h.fail(fmt.Sprintf("commit %s", id), err)
	}
	queue := &newestFirst{first}
	seen := map[plumbing.Hash]bool{first.Hash: true}
	for queue.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := heap.Pop(queue).(*object.Commit)
		if !visit(c) {
			return nil
		}
		if err := h.pushParents(queue, seen, c); err != nil {
			return err
		}
	}
	return nil
}

func (h *History) pushParents(queue *newestFirst, seen map[plumbing.Hash]bool, c *object.Commit) error {
	for _, id := range c.ParentHashes {
		if seen[id] {
			continue
		}
		seen[id] = true
		parent, err := object.GetCommit(h.store, id)
		if errors.Is(err, plumbing.ErrObjectNotFound) { // a shallow clone ends here
			continue
		}
		if err != nil {
			return h.fail(fmt.Sprintf("commit %s", id), err)
		}
		heap.Push(queue, parent)
	}
	return nil
}

// recovered turns a panic of the library over a damaged object into an error.
func (h *History) recovered(err *error) {
	if p := recover(); p != nil {
		*err = h.fail(fmt.Sprintf("go-git gave up on a damaged object: %v", p), nil)
	}
}

// A newestFirst is a heap of commits by commit time.
type newestFirst []*object.Commit

func (q newestFirst) Len() int           { return len(q) }
func (q newestFirst) Less(i, j int) bool { return q[i].Committer.When.After(q[j].Committer.When) }
func (q newestFirst) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push is for container/heap.
func (q *newestFirst) Push(x any) { *q = append(*q, x.(*object.Commit)) }

// Pop is for container/heap.
func (q *newestFirst) Pop() any {
	old := *q
	c := old[len(old)-1]
	*q = old[:len(old)-1]
	return c
}

// maxBlob is the longest file that history serves.
const maxBlob = 8 << 20

// File is the content of a file as a commit has it. The path is relative to
// the root, with slashes. A file that the commit does not have matches
// [object.ErrFileNotFound] of go-git; one longer than 8 MiB is refused.
func (h *History) File(commit, path string) (content []byte, err error) {
	defer h.recovered(&err)
	what := fmt.Sprintf("file %q of commit %q", path, commit)
	c, err := object.GetCommit(h.store, plumbing.NewHash(commit))
	if err != nil {
		return nil, h.fail(what, err)
	}
	f, err := c.File(path)
	if err != nil {
		return nil, h.fail(what, err)
	}
	if f.Size > maxBlob {
		return nil, h.fail(fmt.Sprintf("%s: longer than %d bytes", what, maxBlob), nil)
	}
	in, err := f.Reader()
	if err != nil {
		return nil, h.fail(what, err)
	}
	defer in.Close()
	if content, err = io.ReadAll(in); err != nil {
		return nil, h.fail(what, err)
	}
	return content, nil
}

// maxAncestry bounds the walk to the first commit.
const maxAncestry = 20_000

// ErrTooDeep says that a history is longer than it is walked.
var ErrTooDeep = fmt.Errorf("more than %d commits", maxAncestry)

// ErrShallow says that a clone does not reach back to the first commit.
var ErrShallow = errors.New("a shallow clone, which does not hold its first commit")

// RootCommit is the id of the first commit, by way of first parents: the same
// in every clone. It is empty on an unborn branch; ctx bounds the walk, and so
// does [ErrTooDeep].
func (h *History) RootCommit(ctx context.Context) (root string, err error) {
	defer h.recovered(&err)
	id, err := h.head()
	if errors.Is(err, errUnborn) {
		return "", nil
	}
	if err != nil {
		return "", h.fail("its HEAD cannot be read", err)
	}
	hash := plumbing.NewHash(id)
	for range maxAncestry {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		c, err := object.GetCommit(h.store, hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			return "", h.fail("its first commit", ErrShallow)
		}
		if err != nil {
			return "", h.fail(fmt.Sprintf("commit %s", hash), err)
		}
		if len(c.ParentHashes) == 0 {
			return c.Hash.String(), nil
		}
		hash = c.ParentHashes[0]
	}
	return "", h.fail("its first commit", ErrTooDeep)
}

// An Author is somebody who committed, and how often.
type Author struct {
	Name    string
	Commits int
}

// Authors counts who wrote the newest n commits, the busiest first. Merges
// count for nobody.
func (h *History) Authors(ctx context.Context, n int) ([]Author, error) {
	counts := map[string]int{}
	err := h.walk(ctx, func(c *object.Commit) bool {
		if len(c.ParentHashes) < 2 {
			counts[told(c).Author]++
		}
		n--
		return n > 0
	})
	if err != nil {
		return nil, err
	}
	out := make([]Author, 0, len(counts))
	for name, commits := range counts {
		out = append(out, Author{name, commits})
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Commits != out[j].Commits {
			return out[i].Commits > out[j].Commits
		}
		return out[i].Name < out[j].Name
	})
	return out, nil
}
