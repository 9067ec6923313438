package lobes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"memory-mcp/lobes/repo"
)

// registryName is the file in the home that remembers where memories are.
const registryName = "lobes.json"

// A known is what the registry remembers of one lobe.
type known struct {
	Name       string    `json:"name"`
	Root       string    `json:"root"`
	Dir        string    `json:"dir"`
	RootCommit string    `json:"root_commit,omitempty"` // the first commit, the same in every clone
	Count      int       `json:"count"`
	Written    time.Time `json:"written"`
}

type registry struct {
	Version int     `json:"version"`
	Lobes   []known `json:"lobes"`
}

func readRegistry(home string) (registry, error) {
	r := registry{Version: 1}
	if home == "" {
		return r, nil
	}
	path := filepath.Join(home, registryName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return registry{Version: 1}, fmt.Errorf("read %s: %w", path, err)
	}
	return r, nil
}

// find is where a repository's memories were, other than in dir: the entry of
// the same first commit, else of the same folder.
func (r registry) find(dir, root, rootCommit string) (known, bool) {
	for _, same := range []func(known) bool{
		func(k known) bool { return rootCommit != "" && k.RootCommit == rootCommit },
		func(k known) bool { return root != "" && k.Root == root },
	} {
		if i := slices.IndexFunc(r.Lobes, func(k known) bool { return k.Dir != dir && k.Count > 0 && same(k) }); i >= 0 {
			return r.Lobes[i], true
		}
	}
	return known{}, false
}

// put remembers a lobe, the one of the same folder anew.
func (r registry) put(k known) registry {
	i := slices.IndexFunc(r.Lobes, func(old known) bool { return old.Dir == k.Dir })
	if i < 0 {
		r.Lobes = append(r.Lobes, k)
		return r
	}
	if k.RootCommit == "" {
		k.RootCommit = r.Lobes[i].RootCommit
	}
	r.Lobes[i] = k
	return r
}

// register writes a lobe into the registry. Another process may do the same:
// the file is read and replaced under a lock of its own.
func register(home string, k known) (err error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(home, "."+registryName+".lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", registryName, err)
	}
	if !ok {
		return nil // the other process remembers as well
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	r, err := readRegistry(home)
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(r.put(k), "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(home, registryName), append(b, '\n'))
}

// replaceFile puts a file in place of another at once.
func replaceFile(path string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// note remembers, after a write, that the lobe has memories: the first time in
// this process at once, in the background, and the last count at the end.
func (l *Lobe) note(s *Set) {
	if s.o.Home == "" || l.spec.Global || !l.written.Load() || l.noted.Swap(true) {
		return
	}
	s.background.Add(1)
	l.o.Go("remember where "+l.name+" is", func(context.Context) {
		defer s.background.Done()
		l.remember(s.o.Home)
	})
}

// remember writes the lobe into the registry. That it cannot be done harms no
// memory.
func (l *Lobe) remember(home string) {
	k := known{
		Name: l.name, Root: l.site.root, Dir: l.spec.Dir, RootCommit: l.rootCommit(rootCommitWrite),
		Count: l.store.View().Len(), Written: l.o.Now().UTC(),
	}
	if err := register(home, k); err != nil {
		l.o.Logger.Warn("cannot remember where the lobe is", "lobe", l.name, "cause", err)
	}
}

// moved tells, for lobes without an entry, where the repository's memories
// were when something was last written.
func (s *Set) moved(readings []reading) []Moved {
	found := []Moved{}
	var r registry
	for _, x := range readings {
		if x.view.Len() > 0 || x.lobe.spec.Global || s.o.Home == "" {
			continue
		}
		if r.Lobes == nil {
			var err error
			if r, err = readRegistry(s.o.Home); err != nil || len(r.Lobes) == 0 {
				return found
			}
		}
		if k, ok := r.find(x.lobe.spec.Dir, x.lobe.site.root, x.lobe.rootCommit(rootCommitRead)); ok {
			found = append(found, Moved{Lobe: x.lobe.name, Dir: k.Dir, Count: k.Count})
		}
	}
	return found
}

// How long the first commit is looked for: after a write nobody waits for it,
// in a briefing of an empty lobe somebody does.
const (
	rootCommitWrite = 5 * time.Second
	rootCommitRead  = 300 * time.Millisecond
)

// rootCommit is the first commit of the repository, the same in every clone;
// empty when it cannot be told in time.
func (l *Lobe) rootCommit(within time.Duration) string {
	if known := l.first.Load(); known != nil {
		return *known
	}
	if l.spec.Repo == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	commit, err := firstCommit(ctx, l.spec.Repo)
	if err != nil {
		return "" // an unborn, shallow or very deep history has none to tell
	}
	l.first.Store(&commit)
	return commit
}

func firstCommit(ctx context.Context, r *repo.Repo) (commit string, err error) {
	h, err := r.History()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	return h.RootCommit(ctx)
}
