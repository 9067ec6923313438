package repo

import (
	"context"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/utils/merkletrie"
)

// A Touch is what commits did to one file.
type Touch struct {
	Commits int    // that changed it, merges not counted
	Subject string // of the newest of them
	When    time.Time
	Renamed string // the path under which its content went on, if it did
}

// Touched tells, by path, what was done to files in the newest n commits down
// to a commit, which does not count; without one, down to a time. Paths are
// relative to the root of the tree, with slashes. When ctx ends, the answer
// says what was found by then, and that is no error.
func (h *History) Touched(ctx context.Context, since string, after time.Time, paths []string, n int) (map[string]Touch, error) {
	found := make(map[string]Touch)
	err := h.walk(ctx, func(c *object.Commit) bool {
		if n--; n < 0 || c.Hash.String() == since || since == "" && c.Committer.When.Before(after) {
			return false
		}
		if len(c.ParentHashes) > 1 {
			return true
		}
		return h.touch(ctx, c, paths, found) == nil
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return found, nil
}

// touch notes what one commit did.
func (h *History) touch(ctx context.Context, c *object.Commit, paths []string, found map[string]Touch) error {
	now, err := c.Tree()
	if err != nil {
		return err
	}
	before := &object.Tree{}
	if len(c.ParentHashes) == 1 {
		parent, err := object.GetCommit(h.store, c.ParentHashes[0])
		if err == nil {
			before, err = parent.Tree()
		}
		if err != nil {
			return err // a shallow clone ends here
		}
	}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		was, is := blobAt(before, path), blobAt(now, path)
		if was == is {
			continue
		}
		t := found[path]
		if t.Commits++; t.Commits == 1 {
			t.Subject, t.When = told(c).Subject, c.Committer.When
		}
		if is.IsZero() && t.Renamed == "" {
			t.Renamed = newHome(ctx, before, now, was)
		}
		found[path] = t
	}
	return nil
}

// blobAt is the content of a file in a tree; zero when the tree has none.
func blobAt(tree *object.Tree, path string) plumbing.Hash {
	if len(tree.Entries) == 0 {
		return plumbing.ZeroHash
	}
	e, err := tree.FindEntry(path)
	if err != nil {
		return plumbing.ZeroHash
	}
	return e.Hash
}

// newHome is where a commit put content that it took away elsewhere.
func newHome(ctx context.Context, before, now *object.Tree, content plumbing.Hash) string {
	changes, err := object.DiffTreeContext(ctx, before, now)
	if err != nil {
		return ""
	}
	for _, change := range changes {
		action, err := change.Action()
		if err == nil && action == merkletrie.Insert && change.To.TreeEntry.Hash == content {
			return change.To.Name
		}
	}
	return ""
}
