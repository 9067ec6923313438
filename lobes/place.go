package lobes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/lobes/repo"
)

// GlobalName is the name of the person's own store.
const GlobalName = "global"

// reservedNames are the folders of the home that are no lobes.
func reservedNames() []string { return []string{GlobalName, "crashes", "models", "lobes"} }

// GlobalSpec is the person's own store below a home folder.
func GlobalSpec(home string) Spec {
	return Spec{Name: GlobalName, Dir: filepath.Join(home, GlobalName), Global: true}
}

// PlaceOptions say what is known of a lobe before its files are looked for.
type PlaceOptions struct {
	Name      string // "" is named after the repository or the folder
	Root      string // absolute folder, or one inside the project when Widen is set
	MemoryDir string // absolute, or relative to the root; "" is found from the repository
	Home      string // for the lobes of folders outside git
	Git       repo.Options
	// Widen makes the whole repository around Root the lobe's project. It is
	// for a working directory; a configured root is taken as it stands.
	Widen bool
}

// Place finds where a lobe's entries are, in this order: MemoryDir; the folder
// "memory" of the git common directory, which all worktrees of a repository
// share; for a folder outside git, HOME/NAME when an earlier program has left
// entries there, else HOME/lobes/NAME-HASH, where HASH is of the folder's
// path. It creates nothing. A lobe that has no place is told by Spec.Err: the
// home directory and the root of a file system never are a project, and a
// repository that is not believed gives nothing away.
func Place(o PlaceOptions) Spec {
	root := resolved(filepath.Clean(o.Root))
	spec := Spec{Name: o.Name, Root: root}
	if err := placeable(root, o); err != nil {
		return spec.broken(err)
	}
	r, err := repo.Discover(root, o.Git)
	switch {
	case err == nil:
		spec.Repo = &r
		if o.Widen {
			spec.Root = r.Root // empty for a bare repository
		}
		if spec.Name == "" {
			spec.Name = r.Name()
		}
	case !errors.Is(err, repo.ErrNoRepository) && o.MemoryDir == "":
		return spec.broken(err)
	}
	if spec.Name == "" {
		spec.Name = filepath.Base(root)
	}
	switch {
	case o.MemoryDir != "":
		spec.Dir = against(root, o.MemoryDir)
	case spec.Repo != nil:
		if spec.Dir, err = r.MemoryDir(); err != nil {
			return spec.broken(err)
		}
	case o.Home == "":
		return spec.broken(fmt.Errorf("find a place for the memories of %q: it is outside git, and there is no home folder", root))
	default:
		spec.Dir = folderPlace(o.Home, spec.Name, root)
	}
	return spec
}

func placeable(root string, o PlaceOptions) error {
	if !filepath.IsAbs(root) {
		return fmt.Errorf("use %q as the root of a lobe: it is not absolute", o.Root)
	}
	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "open lobe", Path: root, Err: errors.New("it is not a folder")}
	}
	return repo.Suitable(root, o.Git)
}

// broken is the spec of a lobe that cannot be served.
func (s Spec) broken(err error) Spec {
	if s.Name == "" {
		s.Name = filepath.Base(s.Root)
	}
	s.Err = err
	l := Lobe{name: s.Name, spec: s}
	s.Remedy = l.remedy(err)
	return s
}

func against(root, dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(root, dir)
}

// folderPlace is the place of a folder that is not in git.
func folderPlace(home, name, root string) string {
	old := filepath.Join(home, name)
	if !slices.Contains(reservedNames(), strings.ToLower(name)) && filepath.IsLocal(name) && holdsEntries(old) {
		return old
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(home, "lobes", fileName(name)+"-"+hex.EncodeToString(sum[:4]))
}

// holdsEntries tells whether a folder holds Markdown files one or two levels
// below it, where programs put entries.
func holdsEntries(dir string) bool {
	for _, pattern := range []string{"*/*.md", "*/*/*.md"} {
		if found, err := fs.Glob(os.DirFS(dir), pattern); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// fileName makes a name that can stand in a path.
func fileName(name string) string {
	slug := repo.BranchSlug(name)
	if len(slug) > 60 {
		slug = strings.ToValidUTF8(slug[:60], "")
	}
	return slug
}

// UniqueNames gives each lobe a name of its own: one that is taken, or
// reserved, gets the name of the parent folder before it, and where that does
// not help a number after it. Earlier specs keep theirs.
func UniqueNames(specs []Spec) []Spec {
	named := make([]Spec, 0, len(specs))
	taken := map[string]bool{}
	for _, s := range specs {
		base := s.Name
		if base == "" {
			base = "lobe"
		}
		// A comma separates names, and a star means all.
		base = strings.NewReplacer(",", "-", "*", "-").Replace(base)
		s.Name = base
		for n := 0; !s.Global && slices.Contains(reservedNames(), strings.ToLower(s.Name)) || taken[strings.ToLower(s.Name)]; n++ {
			s.Name = another(base, s.Root, n)
		}
		taken[strings.ToLower(s.Name)] = true
		named = append(named, s)
	}
	return named
}

func another(base, root string, n int) string {
	parent := filepath.Base(filepath.Dir(root))
	if root != "" && parent != "." && parent != string(filepath.Separator) {
		base = parent + "-" + base
		n--
	}
	if n < 0 {
		return base
	}
	return fmt.Sprintf("%s-%d", base, n+2)
}
