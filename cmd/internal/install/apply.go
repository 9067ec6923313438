package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// A Done is what became of one change.
type Done struct {
	Path   string
	Kind   string // created, changed, removed or unchanged
	Backup string // of the file from before, empty for none
	Err    error
}

// tries is how often a file that changes under our hands is begun anew.
const tries = 3

// Apply writes the plan's files, each whole or not at all. What goes wrong with
// one file is told and does not keep the others from being written. Two at once
// follow one another.
func (p Plan) Apply(ctx context.Context) ([]Done, error) {
	if p.Idle() {
		return p.unchanged(), nil
	}
	o := p.options
	if err := os.MkdirAll(o.MemoryHome, 0o700); err != nil {
		return nil, fmt.Errorf("make the memory's home: %w", err)
	}
	lock := flock.New(lockPath(o))
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, fmt.Errorf("wait for another setup, which holds %q: %w", lock.Path(), err)
	}
	done, err := p.write(o)
	return done, errors.Join(err, lock.Unlock())
}

func (p Plan) unchanged() []Done {
	var done []Done
	for _, c := range p.Changes {
		done = append(done, Done{Path: c.Path, Kind: "unchanged"})
	}
	return done
}

func (p Plan) write(o Options) ([]Done, error) {
	rec, err := readRecord(o)
	if err != nil {
		return nil, err
	}
	var done []Done
	var failed error
	for _, c := range p.Changes {
		d := p.writeOne(c, &rec)
		if d.Err != nil {
			d.Err = fmt.Errorf("write %q: %w", c.Path, d.Err)
			failed = errors.Join(failed, d.Err)
		}
		done = append(done, d)
	}
	if p.removal {
		rec.Folders = removeFolders(rec.Folders)
	} else {
		rec.Names = once(rec.Names, base(o.Command))
		rec.Command, rec.SetHome, rec.ReadOnly = o.Command, o.SetHome, o.ReadOnly
		if o.Scope == Project {
			rec.Projects = once(rec.Projects, o.Project)
		}
	}
	return done, errors.Join(failed, rec.save(o))
}

// writeOne writes one file, from what it is now.
func (p Plan) writeOne(c Change, rec *record) Done {
	d := Done{Path: c.Path}
	for range tries {
		old, err := readFile(c.Path)
		if err != nil {
			return Done{Path: c.Path, Err: err}
		}
		next := c.New
		if !equal(old, c.Old) {
			if next, err = p.again(c, old); err != nil {
				return Done{Path: c.Path, Err: err}
			}
		}
		d.Kind = Change{Old: old, New: next}.Kind()
		if d.Kind == "unchanged" {
			return d
		}
		if d.Backup == "" && p.losesSomething(c, old, next) {
			if d.Backup, err = backup(p.options, c.Path, old); err != nil {
				return Done{Path: c.Path, Err: err}
			}
			rec.Files = once(rec.Files, c.Path)
		}
		made, err := makeFolders(filepath.Dir(c.Path), p.folderMode(c))
		rec.add(made)
		if err == nil {
			err = swapFile(c.Path, old, next, c.Mode)
		}
		if !errors.Is(err, errMoved) {
			d.Err = err
			return d
		}
	}
	d.Err = &ChangedError{Tries: tries}
	return d
}

// losesSomething tells whether a copy of a file is worth keeping: not of one
// that goes, since it held only ours, and not when setup would give back what
// is taken out, to the byte.
func (p Plan) losesSomething(c Change, old, next []byte) bool {
	if old == nil || next == nil {
		return false
	}
	if !p.removal {
		return true
	}
	again := next
	for _, e := range slices.Backward(c.edits) {
		var err error
		if again, err = e.Add(again); err != nil {
			return true
		}
	}
	return !equal(again, old)
}

func (p Plan) folderMode(c Change) fs.FileMode {
	if c.Mode&0o077 != 0 {
		return 0o755
	}
	return 0o700
}

// again does the edits of a change on a file that is not the one that was
// planned with.
func (p Plan) again(c Change, old []byte) (next []byte, err error) {
	next = old
	for _, e := range c.edits {
		if next, err = p.run(e, next); err != nil {
			return nil, err
		}
	}
	return next, nil
}
