package lobes

import (
	"slices"

	"memory-mcp/lobes/repo"
)

// A site is what routing knows of a lobe: where it is, and which repository
// it belongs to.
type site struct {
	name, root, common string
	shared             bool // the global store, or included everywhere: never chosen for want of another
}

// A sight is a folder or file that a call speaks of: its path with links
// resolved, and the git common directory of the repository that it lies in.
type sight struct{ path, common string }

// A route is what a call tells about the lobe that it speaks to, strongest
// first.
type route struct {
	paths []sight // absolute paths named in the call
	dirs  []sight // the host's environment, then the working directory
	roots []sight // the client's roots
	// has tells how many of the relative paths named in the call exist below
	// a lobe's root. It only decides between several roots.
	has func(site) int
}

// choose returns the names of the lobes that the route leads to. For a write
// it is exactly one, or an error; for a read it may be none.
//
// A repository is recognised by its common directory, wherever its worktrees
// are. A folder inside a repository that no lobe is bound to leads nowhere: in
// particular not to the only lobe there is.
func (r route) choose(sites []site, write bool) ([]string, error) {
	for _, found := range []func([]site) []string{r.byPaths, r.byDirs, r.byRoots} {
		names := found(sites)
		if len(names) > 1 && write {
			return nil, &AmbiguousError{Candidates: names}
		}
		if len(names) > 0 {
			return names, nil
		}
	}
	own := unshared(sites)
	switch {
	case len(own) == 1 && !r.elsewhere():
		return own, nil
	case !write:
		return nil, nil
	case len(own) > 1 && !r.elsewhere():
		return nil, &AmbiguousError{Candidates: own}
	}
	return nil, &NoLobeError{Known: names(sites), Why: r.subject()}
}

// byPaths follows the paths of the call. When they lie in several lobes, the
// one that the host or the working directory is in goes first.
func (r route) byPaths(sites []site) []string {
	var found []string
	for _, p := range r.paths {
		found = union(found, covering(sites, p))
	}
	if len(found) < 2 {
		return found
	}
	if here := r.byDirs(sites); len(here) == 1 && slices.Contains(found, here[0]) {
		return here
	}
	return found
}

// byDirs follows the first folder that a lobe covers.
func (r route) byDirs(sites []site) []string {
	for _, d := range r.dirs {
		if found := covering(sites, d); len(found) > 0 {
			return found
		}
	}
	return nil
}

// byRoots follows all roots of the client: a root may lie in a lobe, or hold
// several.
func (r route) byRoots(sites []site) []string {
	var found []string
	for _, root := range r.roots {
		in := covering(sites, root)
		if len(in) == 0 {
			in = below(sites, root)
		}
		found = union(found, in)
	}
	if len(found) < 2 || r.has == nil {
		return found
	}
	return r.withMost(sites, found)
}

// withMost keeps the lobe below which most of the call's relative paths exist,
// if it is one alone.
func (r route) withMost(sites []site, found []string) []string {
	most, best := 0, []string(nil)
	for _, s := range sites {
		if !slices.Contains(found, s.name) {
			continue
		}
		switch n := r.has(s); {
		case n > most:
			most, best = n, []string{s.name}
		case n == most && n > 0:
			best = append(best, s.name)
		}
	}
	if len(best) == 1 {
		return best
	}
	return found
}

// elsewhere tells whether the call comes from a repository without a lobe.
// It is asked only when no folder led to a lobe.
func (r route) elsewhere() bool {
	in := func(s sight) bool { return s.common != "" }
	return slices.ContainsFunc(r.paths, in) || slices.ContainsFunc(r.dirs, in) || slices.ContainsFunc(r.roots, in)
}

func (r route) subject() string {
	for _, sights := range [][]sight{r.paths, r.dirs, r.roots} {
		for _, s := range sights {
			return s.path
		}
	}
	return "the call, which names no folder"
}

// covering returns the lobes that the sight lies in: of its repository, or
// with a root above it, the longest one. Lobes of one repository with equal
// claims are all returned.
func covering(sites []site, s sight) []string {
	if s.common == "" {
		return longest(sites, s.path)
	}
	var same, outside []site
	for _, x := range sites {
		switch x.common {
		case s.common:
			same = append(same, x)
		case "":
			outside = append(outside, x)
		}
	}
	if len(same) == 0 {
		return longest(outside, s.path)
	}
	if found := longest(same, s.path); len(found) > 0 {
		return found
	}
	return names(same)
}

func longest(sites []site, path string) []string {
	var found []string
	length := 0
	for _, s := range sites {
		if !repo.PathWithin(s.root, path) {
			continue
		}
		if len(s.root) > length {
			found, length = nil, len(s.root)
		}
		if len(s.root) == length {
			found = append(found, s.name)
		}
	}
	return found
}

// below returns the lobes whose root lies in the folder of the sight.
func below(sites []site, s sight) []string {
	var found []string
	for _, x := range sites {
		if repo.PathWithin(s.path, x.root) {
			found = append(found, x.name)
		}
	}
	return found
}

func unshared(sites []site) []string {
	var found []string
	for _, s := range sites {
		if !s.shared {
			found = append(found, s.name)
		}
	}
	return found
}

func names(sites []site) []string {
	found := make([]string, 0, len(sites))
	for _, s := range sites {
		found = append(found, s.name)
	}
	return found
}

func union(a, b []string) []string {
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(a, name)
		}
	}
	return a
}
