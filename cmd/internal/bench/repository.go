package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

// repository is a scratch repository of made-up notes, with a home of its own.
type repository struct {
	root, home, memory string
	notes              *Generator
}

// newRepository makes one below dir that holds n notes, each with its history,
// as a server that stored them would have left it.
func newRepository(dir string, n int, seed uint64) (*repository, error) {
	r := &repository{root: filepath.Join(dir, "project"), home: filepath.Join(dir, "home"), notes: New(seed)}
	git := filepath.Join(r.root, ".git")
	r.memory = filepath.Join(git, "memory")
	for _, d := range []string{r.home, r.memory, filepath.Join(git, "objects"), filepath.Join(git, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	for path, text := range map[string]string{
		filepath.Join(git, "HEAD"):                  "ref: refs/heads/main\n",
		filepath.Join(git, "config"):                "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
		filepath.Join(r.home, "memory-config.json"): fmt.Sprintf(`{"lobes": {"project": {"root": %q, "budgetMB": 4096}}}`, r.root),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		if err := r.write(i, created.Add(time.Duration(i)*time.Minute)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (n Note) entry(id string, created time.Time) entry.Entry {
	return entry.Entry{ID: id, Topic: n.Topic, Title: n.Title, Body: n.Text, Tags: n.Tags, Sources: n.Sources,
		Trust: entry.AgentInferred, Created: created}
}

func (r *repository) write(i int, created time.Time) error {
	e := r.notes.Note().entry(fmt.Sprintf("mem-%08x", i), created)
	path := filepath.ToSlash(filepath.Join(filepath.FromSlash(e.Topic), e.ID+".md"))
	rev := entry.Revision{ID: e.ID, Recorded: created, Actor: "bench", Op: entry.OpCreate, Path: path, Head: e.Format()}
	text, err := rev.Format()
	if err != nil {
		return err
	}
	name, err := rev.Name()
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(r.memory, ".history", entry.HistoryDir(e.ID), name), text); err != nil {
		return err
	}
	return writeFile(filepath.Join(r.memory, filepath.FromSlash(path)), rev.Head)
}

func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// snapshots are the files in which a process hands on what it has read.
func (r *repository) snapshots() ([]string, error) {
	return filepath.Glob(filepath.Join(r.memory, ".state", "index.*.*"))
}

func (r *repository) dropSnapshots() error {
	files, err := r.snapshots()
	for _, f := range files {
		err = errors.Join(err, os.Remove(f))
	}
	return err
}

// open gives the lobe of the repository in this process.
func (r *repository) open(o lobes.Options) *lobes.Set {
	return lobes.NewSet([]lobes.Spec{{Name: "project", Root: r.root, Dir: r.memory, Budget: -1}}, o)
}

// arguments are those that store the next note.
func (r *repository) arguments() map[string]any {
	n := r.notes.Note()
	return map[string]any{"content": n.Text, "title": n.Title, "topic": n.Topic, "tags": n.Tags, "sources": n.Sources,
		"durabilityDecision": "store-anyway"}
}
