package lobes

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/lobes/repo"
)

// unserved stands for the common directory of a repository that is there and
// is not believed: it is nobody's, and no folder outside git either.
const unserved = "\x00"

// Resolve returns the lobes that a call speaks to. For a write it is one. For
// a read without a named lobe it is the lobe that the target leads to, then
// the global store, then the lobes that are always included; the first may be
// missing. A lobe only selects among those of the set, it never opens a new one.
func (s *Set) Resolve(t Target, write bool) ([]*Lobe, error) {
	found, own, err := s.resolve(t, write)
	if err != nil {
		return nil, err
	}
	// A degraded lobe is left out only of a search that it is one of many in.
	if own == 1 && found[0].spec.Err != nil {
		return nil, found[0].failure()
	}
	return found, nil
}

// resolve is Resolve for a caller that can do with what is not degraded. It
// also tells how many of the lobes the target itself leads to; they come first.
func (s *Set) resolve(t Target, write bool) (found []*Lobe, own int, err error) {
	if !slices.ContainsFunc(s.lobes, func(l *Lobe) bool { return l.spec.Err == nil }) {
		return nil, 0, s.safeMode()
	}
	found, named, err := s.current(t, write)
	if err != nil {
		return nil, 0, err
	}
	own = len(found)
	if write || named {
		return found, own, nil
	}
	if found = s.withShared(found); len(found) == 0 {
		return nil, 0, &NoLobeError{Known: s.Names(), Why: "the call"}
	}
	return found, own, nil
}

// current returns the lobes that the target itself leads to, and whether it
// named them.
func (s *Set) current(t Target, write bool) (found []*Lobe, named bool, err error) {
	switch name := strings.TrimSpace(t.Lobe); {
	case name == "":
		found, err = s.follow(t, write)
		return found, false, err
	case filepath.IsAbs(name):
		found, err = s.follow(Target{Paths: []string{name}}, write)
		return found, true, err
	default:
		found, err = s.named(name, write)
		return found, true, err
	}
}

func (s *Set) named(list string, write bool) ([]*Lobe, error) {
	if list == "*" {
		if write && len(s.lobes) > 1 {
			return nil, &AmbiguousError{Candidates: s.Names()}
		}
		return s.lobes, nil
	}
	var found []*Lobe
	for name := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(name) == "" {
			continue
		}
		l, err := s.Lobe(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(found, l) {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return nil, &UnknownLobeError{Name: list, Known: s.Names()}
	}
	if write && len(found) > 1 {
		return nil, &AmbiguousError{Candidates: lobeNames(found)}
	}
	return found, nil
}

func (s *Set) follow(t Target, write bool) ([]*Lobe, error) {
	sites := make([]site, 0, len(s.lobes))
	for _, l := range s.lobes {
		sites = append(sites, l.site)
	}
	names, err := s.route(t).choose(sites, write)
	if err != nil {
		return nil, err
	}
	var found []*Lobe
	for _, l := range s.lobes {
		if slices.Contains(names, l.name) {
			found = append(found, l)
		}
	}
	return found, nil
}

// withShared adds the lobes that are seen from everywhere.
func (s *Set) withShared(found []*Lobe) []*Lobe {
	found = slices.Clone(found)
	if s.global != nil && !slices.Contains(found, s.global) {
		found = append(found, s.global)
	}
	for _, l := range s.lobes {
		if l.spec.AlwaysInclude && !slices.Contains(found, l) {
			found = append(found, l)
		}
	}
	return found
}

// route looks at the folders of a target. The home directory, what holds it,
// and the root of a file system say nothing about a project.
func (s *Set) route(t Target) route {
	var r route
	var relative []string
	for _, p := range t.Paths {
		switch p = strings.TrimSpace(p); {
		case filepath.IsAbs(p):
			r.paths = append(r.paths, s.sight(p))
		case p != "" && filepath.IsLocal(filepath.FromSlash(p)):
			relative = append(relative, filepath.FromSlash(citedFile(p)))
		}
	}
	for _, d := range t.Dirs {
		if s.project(d) {
			r.dirs = append(r.dirs, s.sight(d))
		}
	}
	for _, d := range t.Roots {
		if s.project(d) {
			r.roots = append(r.roots, s.sight(d))
		}
	}
	r.has = func(x site) int {
		n := 0
		for _, p := range relative {
			if _, err := os.Lstat(filepath.Join(x.root, p)); err == nil {
				n++
			}
		}
		return n
	}
	return r
}

// project tells whether a folder may say anything about a project.
func (s *Set) project(dir string) bool {
	if !filepath.IsAbs(dir) || repo.Suitable(dir, s.o.Git) != nil {
		return false
	}
	home := s.o.Git.Home
	if home == "" {
		found, err := os.UserHomeDir()
		if err != nil {
			return true
		}
		home = found
	}
	return !repo.PathWithin(dir, home)
}

// tree finds the working tree of the lobe that the target speaks from: a
// linked worktree has a branch and files of its own.
func (s *Set) tree(l *Lobe, t Target) tree {
	own := tree{repo: l.spec.Repo, root: l.site.root}
	if own.repo == nil {
		return own
	}
	for _, dirs := range [][]string{t.Dirs, t.Roots} {
		for _, dir := range dirs {
			r, err := repo.Discover(dir, s.o.Git.Elsewhere())
			if err != nil || r.CommonDir != own.repo.CommonDir || r.Root == "" {
				continue
			}
			return tree{repo: &r, root: moved(own, r.Root)}
		}
	}
	return own
}

// moved is where the lobe's root is in another working tree.
func moved(own tree, root string) string {
	below, err := filepath.Rel(own.repo.Root, own.root)
	if err != nil || !filepath.IsLocal(below) || own.root == "" {
		return root
	}
	return filepath.Join(root, below)
}

// sight resolves a path and finds the repository that it lies in. What does
// not exist lies where the nearest folder above it does.
func (s *Set) sight(path string) sight {
	real := resolved(filepath.Clean(path))
	dir := real
	for !exists(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	r, err := repo.Discover(dir, s.o.Git.Elsewhere())
	switch {
	case err == nil:
		return sight{path: real, common: r.CommonDir}
	case errors.Is(err, repo.ErrNoRepository), unsuitable(err):
		return sight{path: real}
	}
	return sight{path: real, common: unserved}
}

func unsuitable(err error) bool {
	var e *repo.UnsuitableError
	return errors.As(err, &e)
}

// resolved follows symbolic links as far as the path exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolved(dir), filepath.Base(path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func lobeNames(lobes []*Lobe) []string {
	names := make([]string, 0, len(lobes))
	for _, l := range lobes {
		names = append(names, l.name)
	}
	return names
}
