// Package bootstrap reads a repository and proposes the first memories of it:
// what it is, how it is laid out, built, tested and checked, how people commit,
// and what was done last.
//
// [Propose] writes nothing and runs nothing. The same repository gives the
// same proposals under the same titles, in the same order, so that running it
// again replaces and never piles up; numbers are rounded until they say
// something that still holds next month. Every proposal names the files it was
// read from. Files that hold rules for agents are cited and never quoted: they
// are in force where they lie, and their text may speak to whoever reads it.
package bootstrap

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"memory-mcp/lobes/repo"
)

// A Proposal is a memory that could be stored.
type Proposal struct {
	Topic, Title, Body string
	Sources            []string // paths relative to the root, with slashes
	Tags               []string
	Branch             string // set for recent work only
	Kind               string
}

// Options say how much is read. The zero value serves.
type Options struct {
	// Progress is told each step before it is taken; nil tells nobody.
	Progress func(done, total int, what string)
	// Now lets old commits be called old; the zero time leaves that out.
	Now time.Time
	// MaxFiles bounds the files that are counted; zero means 200,000.
	MaxFiles int
}

const defaultMaxFiles = 200_000

// A step looks for one kind of fact.
type step struct {
	what string
	look func(*project) []Proposal
}

func steps() []step {
	return []step{
		{"folders and languages", structure},
		{"README", readme},
		{"build system", build},
		{"licence", licence},
		{"continuous integration", integration},
		{"tests and checks", checks},
		{"rules for agents", rules},
		{"commits", commits},
	}
}

// Propose reads the working tree at root, and the history of r where there is
// one; r is nil outside git. A file or folder that cannot be read is left out.
// An empty folder gives no proposals. The error is the context's, or says why
// root cannot be read.
func Propose(ctx context.Context, root string, r *repo.Repo, o Options) ([]Proposal, error) {
	all := steps()
	tell := o.Progress
	if tell == nil {
		tell = func(int, int, string) {}
	}
	tell(0, len(all)+1, "files")
	p, err := open(ctx, root, r, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	var out []Proposal
	for i, s := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tell(i+1, len(all)+1, s.what)
		for _, found := range s.look(p) {
			out = append(out, tidy(found))
		}
	}
	tell(len(all)+1, len(all)+1, "done")
	return out, ctx.Err()
}

// A project is what the steps read from.
type project struct {
	ctx   context.Context
	now   time.Time
	repo  *repo.Repo
	root  *os.Root // nil when there is no working tree
	files []string // relative to the root, with slashes, sorted

	catalogue catalogue
}

func open(ctx context.Context, dir string, r *repo.Repo, o Options) (*project, error) {
	p := &project{ctx: ctx, now: o.Now, repo: r}
	if dir == "" && r != nil && r.Bare {
		return p, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read the project %q: %w", dir, err)
	}
	p.root = root
	limit := o.MaxFiles
	if limit <= 0 {
		limit = defaultMaxFiles
	}
	if p.files, err = list(ctx, filepath.Clean(dir), r, limit); err != nil {
		p.close()
		return nil, err
	}
	p.catalogue = catalogued(p.files)
	return p, nil
}

func (p *project) close() {
	if p.root != nil {
		p.root.Close()
	}
}
