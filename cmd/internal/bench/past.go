package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"memory-mcp/store/entry"
)

// A Past says how a lobe came about: so many entries, a share of which was
// revised and a share taken back.
type Past struct {
	Entries   int
	Revised   float64 // share 0..1 of the entries that have more than one state
	Retracted float64 // share 0..1 that was taken back in the end
	Begun     time.Time
	Step      time.Duration // between two entries
}

// Grown is what writing a [Past] has made.
type Grown struct {
	Heads, Revisions, Chains, Retracted int
	Ended                               time.Time // of the last revision
}

// longestChain is how many states a revised entry has at most.
const longestChain = 5

// Write makes the lobe in two folders that do not exist: with its history, as
// a server that stored it would have left it, and in bare the heads alone.
// Nothing is synced.
func (p Past) Write(g *Generator, dir, bare string) (Grown, error) {
	w := &writing{g: g, dir: dir, bare: bare, step: p.Step}
	for i := range p.Entries {
		states, gone := 1, g.r.Float64() < p.Retracted
		if g.r.Float64() < p.Revised {
			states = 2 + g.r.IntN(longestChain-1)
		}
		if err := w.entry(i, states, gone, p.Begun.Add(time.Duration(i)*p.Step)); err != nil {
			return w.done, err
		}
	}
	for _, folder := range []string{dir, bare} {
		if err := write(filepath.Join(folder, ".lobe"), []byte("memory-mcp lobe\nformat: 1\n")); err != nil {
			return w.done, err
		}
	}
	return w.done, nil
}

type writing struct {
	g         *Generator
	dir, bare string
	step      time.Duration
	done      Grown
}

// entry writes the states of one entry. Between two of them a hundred other
// entries come.
func (w *writing) entry(i, states int, gone bool, at time.Time) error {
	n := w.g.Note()
	e := entry.Entry{
		ID: fmt.Sprintf("mem-%08x", i), Topic: n.Topic, Title: n.Title, Body: n.Text, Tags: n.Tags, Sources: n.Sources,
		Trust: entry.AgentInferred, Created: at,
	}
	path := filepath.ToSlash(filepath.Join(entry.Dir(e), entry.FileName(e, false)))
	r := entry.Revision{ID: e.ID, Recorded: at, Actor: "bench", Op: entry.OpCreate, Path: path, Head: e.Format()}
	if err := w.revision(r); err != nil {
		return err
	}
	for range states - 1 {
		e.Body = w.g.Note().Text
		r = next(r, entry.OpReplace, w.step*100)
		r.Head = e.Format()
		if err := w.revision(r); err != nil {
			return err
		}
	}
	if states > 1 {
		w.done.Chains++
	}
	if gone {
		w.done.Retracted++
		r = next(r, entry.OpRetract, w.step*100)
		return w.revision(r)
	}
	w.done.Heads++
	for _, folder := range []string{w.dir, w.bare} {
		if err := write(filepath.Join(folder, filepath.FromSlash(path)), r.Head); err != nil {
			return err
		}
	}
	return nil
}

// next is what follows a revision after a time. It has no head yet.
func next(r entry.Revision, op entry.Op, after time.Duration) entry.Revision {
	return entry.Revision{
		ID: r.ID, Parents: []string{r.Key()}, Recorded: r.Recorded.Add(after), Actor: r.Actor, Op: op, Path: r.Path,
	}
}

func (w *writing) revision(r entry.Revision) error {
	b, err := r.Format()
	if err != nil {
		return err
	}
	name, err := r.Name()
	if err != nil {
		return err
	}
	w.done.Revisions++
	if r.Recorded.After(w.done.Ended) {
		w.done.Ended = r.Recorded
	}
	return write(filepath.Join(w.dir, ".history", entry.HistoryDir(r.ID), name), b)
}

// write makes a file and the folders above it.
func write(path string, b []byte) error {
	err := os.WriteFile(path, b, 0o600)
	if os.IsNotExist(err) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
	}
	return err
}

// Keywords are two words that some notes have in common.
func (g *Generator) Keywords() string {
	return g.common(components()) + " " + g.pick(technologies())
}

// Topic is one of the topics that notes have, the frequent ones more often.
func (g *Generator) Topic() string { return g.common(topics()) }

// Share is a number from 0 to 1.
func (g *Generator) Share() float64 { return g.r.Float64() }
