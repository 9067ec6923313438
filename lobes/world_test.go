package lobes_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
)

// A world is a home folder, repositories and the set of lobes over them.
type world struct {
	*testing.T
	home, dir string
	clock     *clock
	set       *lobes.Set
	specs     []lobes.Spec
	options   lobes.Options
}

// A clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newWorld makes a set over repositories of these names and a global store.
func newWorld(t *testing.T, change func(*world), repositories ...string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, home: filepath.Join(dir, "home", ".memory-mcp"), clock: &clock{now: noon}}
	w.options = lobes.Options{
		Now: w.clock.Now, Home: w.home, ConfigPath: filepath.Join(dir, "memory-config.json"),
		Git: repo.Options{Home: filepath.Join(dir, "home")},
	}
	for _, name := range repositories {
		w.specs = append(w.specs, w.place(w.repository(name)))
	}
	w.specs = append(w.specs, lobes.GlobalSpec(w.home))
	// Also what a set does that is left without an orderly end is over before
	// its folder goes.
	var beside sync.WaitGroup
	w.options.Go = func(_ string, work func(context.Context)) { beside.Go(func() { work(context.Background()) }) }
	t.Cleanup(beside.Wait)
	if change != nil {
		change(w)
	}
	w.open()
	return w
}

// open makes the set anew, as another process would.
func (w *world) open() {
	w.Helper()
	w.shut()
	w.set = lobes.NewSet(w.specs, w.options)
	set := w.set
	w.Cleanup(func() {
		if w.set == set {
			w.shut()
		}
	})
}

func (w *world) shut() {
	w.Helper()
	if w.set == nil {
		return
	}
	if err := w.set.Close(context.Background()); err != nil {
		w.Error(err)
	}
	w.set = nil
}

// repository makes what git itself needs to call a folder a repository.
func (w *world) repository(name string) string {
	root := filepath.Join(w.dir, name)
	for _, d := range []string{".git/objects", ".git/refs/heads"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			w.Fatal(err)
		}
	}
	write(w.T, filepath.Join(root, ".git/HEAD"), "ref: refs/heads/main\n")
	write(w.T, filepath.Join(root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
	return root
}

func (w *world) place(root string) lobes.Spec {
	w.Helper()
	spec := lobes.Place(lobes.PlaceOptions{Root: root, Home: w.home, Git: w.options.Git})
	if spec.Err != nil {
		w.Fatal(spec.Err)
	}
	return spec
}

func (w *world) root(name string) string { return filepath.Join(w.dir, name) }

var agent = lobes.By{Actor: "agent 1", Session: "s1", Role: "assistant"}
var person = lobes.By{Actor: "cli", Role: "user"}

// in is a target that speaks from a repository.
func (w *world) in(name string) lobes.Target { return lobes.Target{Dirs: []string{w.root(name)}} }

func (w *world) remember(t lobes.Target, notes ...lobes.Note) lobes.Remembered {
	w.Helper()
	r, err := w.set.Remember(context.Background(), agent, t, notes)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// stored remembers one note that must be stored as a new entry or replace one.
func (w *world) stored(t lobes.Target, n lobes.Note) lobes.Stored {
	w.Helper()
	r := w.remember(t, n)
	if len(r.Stored) != 1 {
		w.Fatalf("stored %+v", r)
	}
	return r.Stored[0]
}

func (w *world) recall(t lobes.Target, q lobes.Query) lobes.Answer {
	w.Helper()
	a, err := w.set.Recall(context.Background(), t, q)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

func (w *world) get(t lobes.Target, id string) lobes.Result {
	w.Helper()
	a := w.recall(t, lobes.Query{IDs: []string{id}})
	if len(a.Results) != 1 {
		w.Fatalf("get %s: %+v", id, a)
	}
	return a.Results[0]
}

func (w *world) correct(t lobes.Target, c lobes.Correction) lobes.Corrected {
	w.Helper()
	r, err := w.set.Correct(context.Background(), agent, t, c)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func (w *world) brief(t lobes.Target) lobes.Briefing {
	w.Helper()
	b, err := w.set.Brief(context.Background(), t)
	if err != nil {
		w.Fatal(err)
	}
	return b
}

func (w *world) files(dir string) []string {
	w.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return found
}

func titles(a lobes.Answer) []string {
	out := []string{}
	for _, r := range a.Results {
		out = append(out, r.Entry.Title)
	}
	return out
}

func wants[E error](t *testing.T, what string, err error) E {
	t.Helper()
	var want E
	if !errors.As(err, &want) {
		t.Errorf("%s: got error %v, want a %T", what, err, want)
	}
	return want
}

func contains(t *testing.T, what, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s: %q does not contain %q", what, text, part)
	}
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}
