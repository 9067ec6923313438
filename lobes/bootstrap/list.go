package bootstrap

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"memory-mcp/lobes/repo"
)

// list names the files of a project: what git tracks, and what lies at the top
// though not tracked yet; outside git, or where the index is of no use, what a
// walk finds.
func list(ctx context.Context, dir string, r *repo.Repo, limit int) ([]string, error) {
	files := tracked(dir, r)
	if len(files) == 0 {
		return walk(ctx, dir, limit)
	}
	top, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the project %q: %w", dir, err)
	}
	for _, e := range top {
		if e.Type().IsRegular() {
			files = append(files, e.Name())
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	return files[:min(len(files), limit)], nil
}

// tracked lists the files that git tracks below dir. Trees that are not the
// project's own work are left out, as the walk leaves them out.
func tracked(dir string, r *repo.Repo) []string {
	if r == nil || r.Root == "" {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	rel, err := filepath.Rel(r.Root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	all, err := r.Tracked()
	if err != nil {
		return nil
	}
	prefix := ""
	if rel != "." {
		prefix = filepath.ToSlash(rel) + "/"
	}
	var out []string
	for _, f := range all {
		if f, ok := strings.CutPrefix(f, prefix); ok && f != "" && !foreign(f) {
			out = append(out, f)
		}
	}
	return out
}

// foreign tells the paths below a folder of somebody else's work.
func foreign(file string) bool {
	for {
		dir, rest, ok := strings.Cut(file, "/")
		if !ok {
			return false
		}
		if skipped(dir) {
			return true
		}
		file = rest
	}
}

// skipped names the folders that hold what was fetched or made, not written.
func skipped(dir string) bool {
	switch dir {
	case "node_modules", "bower_components", "vendor", "third_party", "Pods", "Carthage", "DerivedData",
		"dist", "build", "out", "target", "obj", "coverage", "htmlcov", "__pycache__", "venv", "env", "site-packages",
		"_build", "deps", "elm-stuff", "bazel-bin", "bazel-out":
		return true
	}
	return strings.HasPrefix(dir, ".") && !spoken(dir)
}

// spoken names the hidden folders that say something about a project.
func spoken(dir string) bool {
	switch dir {
	case ".github", ".gitlab", ".circleci", ".buildkite", ".forgejo", ".gitea", ".woodpecker", ".ci",
		".cursor", ".clinerules", ".claude", ".windsurf", ".devcontainer", ".husky":
		return true
	}
	return false
}

// walk finds files without git. It follows no links, so it cannot run in
// circles, and passes by what it may not read.
func walk(ctx context.Context, dir string, limit int) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if file == dir {
				return err
			}
			return nil
		}
		if e.IsDir() {
			if file != dir && (skipped(e.Name()) || isRepository(file)) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if out = append(out, filepath.ToSlash(rel)); len(out) >= limit {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("read the project %q: %w", dir, err)
	}
	slices.Sort(out)
	return out, nil
}

// isRepository tells a project of its own inside the one that is read.
func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// has reports whether a file is there.
func (p *project) has(name string) bool {
	_, found := slices.BinarySearch(p.files, name)
	return found
}

// A catalogue finds files by pattern without a look at each of them.
type catalogue struct {
	byBase  map[string][]string // by the last part of the name, in lower case
	byDepth map[int][]string    // by the number of slashes
}

func catalogued(files []string) catalogue {
	c := catalogue{map[string][]string{}, map[int][]string{}}
	for _, f := range files {
		if !utf8.ValidString(f) {
			continue
		}
		base := strings.ToLower(path.Base(f))
		c.byBase[base] = append(c.byBase[base], f)
		depth := strings.Count(f, "/")
		c.byDepth[depth] = append(c.byDepth[depth], f)
	}
	return c
}

// match lists, sorted, the files whose whole path fits one of the patterns of
// [path.Match], without regard to letter case. Those nearer to the top come
// first.
func (p *project) match(patterns ...string) []string {
	var out []string
	for _, pattern := range patterns {
		candidates := p.catalogue.byBase[path.Base(pattern)]
		if strings.ContainsAny(path.Base(pattern), "*?[") {
			candidates = p.catalogue.byDepth[strings.Count(pattern, "/")]
		}
		for _, f := range candidates {
			if ok, err := path.Match(pattern, strings.ToLower(f)); err == nil && ok {
				out = append(out, f)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	return slices.Compact(out)
}

// maxRead is how much of one file is read.
const maxRead = 64 << 10

// read is the beginning of a text file, or "" if it is none or cannot be
// read. It never leaves the root, and never waits at a pipe.
func (p *project) read(name string) string {
	fi, err := p.root.Stat(filepath.FromSlash(name))
	if err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	f, err := p.root.Open(filepath.FromSlash(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil || strings.ContainsRune(string(b), 0) {
		return ""
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
}
