package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"memory-mcp/store/entry"
)

const (
	lobeName  = ".lobe"
	stateDir  = ".state"
	formatNow = 1
	lobeText  = "memory-mcp lobe\nformat: 1\n"
)

// strayAge is how long a temporary that counts for nothing is kept.
const strayAge = 24 * time.Hour

// formatOf is the format number that a folder states, and the file that does;
// a folder without one is of the first format.
func formatOf(root *os.Root) (int, string) {
	have, where := formatNow, lobeName
	for _, name := range []string{lobeName, path.Join(stateDir, "format")} {
		b, err := root.ReadFile(name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			word := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "format:"))
			if n, err := strconv.Atoi(word); err == nil && n > have {
				have, where = n, name
			}
		}
	}
	return have, where
}

// ready marks the folder as ours, refuses a newer format, and once per process
// settles what a kill has left.
func (w *writer) ready(ctx context.Context) error {
	if have, where := formatOf(w.root); have > formatNow {
		return &NewerFormatError{Path: w.s.abs(where), Have: have, Know: formatNow}
	}
	if err := w.mark(lobeName, lobeText); err != nil {
		return err
	}
	if w.s.recovered {
		return nil
	}
	if _, err := w.s.Look(ctx); err != nil {
		return err
	}
	folders, err := foldersIn(w.root, historyDir)
	if err != nil {
		return fmt.Errorf("list history: %w", err)
	}
	for _, folder := range folders {
		if err := w.recoverIn(path.Join(historyDir, folder), ""); err != nil {
			return err
		}
	}
	if err := w.sweep(); err != nil {
		return err
	}
	if err := w.finishErasing(ctx); err != nil {
		return err
	}
	w.s.recovered = true
	return nil
}

// mark writes a small file of ours, unless it is there.
func (w *writer) mark(name, text string) error {
	if _, err := w.root.Lstat(name); err == nil {
		return nil
	}
	err := w.writeSynced(name, []byte(text), nil)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// recover settles the half-written revisions of one id.
func (w *writer) recover(id string) error { return w.recoverIn(folderOf(id), id) }

// recoverIn settles the half-written revisions in one folder of history, of
// one id or of all. This process holds the lock, so nobody is writing them.
func (w *writer) recoverIn(dir, id string) error {
	names, err := namesIn(w.root, dir)
	if err != nil {
		return fmt.Errorf("list history: %w", err)
	}
	for _, name := range names {
		of, key, ok := splitHalf(name)
		if !ok || id != "" && of != id {
			continue
		}
		if err := w.recoverHalf(path.Join(dir, name), of, key); err != nil {
			return fmt.Errorf("settle %s: %w", name, err)
		}
	}
	return w.recoverFollowed(dir, id)
}

// recoverFollowed completes half-written revisions that another one follows: a
// merge was killed after its commit point. Only what counts is followed.
func (w *writer) recoverFollowed(dir, id string) error {
	for again := true; again; {
		again = false
		names, err := namesIn(w.root, dir)
		if err != nil {
			return fmt.Errorf("list history: %w", err)
		}
		for _, name := range names {
			of, key, ok := splitHalf(name)
			if !ok || id != "" && of != id || !w.followed(of, key) {
				continue
			}
			b, err := w.root.ReadFile(path.Join(dir, name))
			if err != nil {
				continue // nobody's loss: it is not removed
			}
			if r, err := readRevision(b, of, key); err != nil || r.Op == entry.OpBlank {
				continue // a blank says by its temporary what is to go
			}
			if err := w.complete(path.Join(dir, name), of, key); err != nil {
				return fmt.Errorf("settle %s: %w", name, err)
			}
			again = true
		}
	}
	return nil
}

// followed tells whether a revision that counts names another one as its parent.
func (w *writer) followed(id, key string) bool {
	keys, err := keysOf(w.root, id)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(w.s.readChain(w.root, id, keys).facts, func(f fact) bool { return slices.Contains(f.parents, key) })
}

func splitHalf(name string) (id, key string, ok bool) {
	stem, ok := strings.CutSuffix(name, halfSuffix)
	if !ok || !strings.HasPrefix(stem, ".") {
		return "", "", false
	}
	at := strings.IndexByte(stem[1:], '-') + 1 + 17 // the key ends 16 digits after its dash
	if at < 18 || at >= len(stem) || stem[at] != '.' {
		return "", "", false
	}
	return entry.SplitName(stem[at+1:] + "." + stem[1:at] + ".md")
}

// recoverHalf completes a revision whose head was committed; another one is
// removed when it is a day old.
func (w *writer) recoverHalf(half, id, key string) error {
	b, err := w.root.ReadFile(half)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil // somebody else's, killed: whoever may read it settles it
	}
	if err != nil {
		return err
	}
	r, err := readRevision(b, id, key)
	if err == nil && (r.Op == entry.OpErase || r.Op == entry.OpBlank) {
		return nil // an erasure that was begun: it is completed as a whole
	}
	if err == nil && w.committed(r) {
		return w.complete(half, id, key)
	}
	return w.discardOld(half)
}

// committed tells whether the head is what the revision says.
func (w *writer) committed(r entry.Revision) bool {
	if _, err := w.root.Lstat(r.Path); r.Gone() {
		_, elsewhere := w.s.View().ID(r.ID)
		return errors.Is(err, fs.ErrNotExist) && !elsewhere
	}
	b, err := w.root.ReadFile(r.Path)
	return err == nil && r.Matches(b)
}

func (w *writer) discardOld(name string) error {
	info, err := w.root.Lstat(name)
	if err != nil || w.s.wall().Sub(info.ModTime()) < strayAge {
		return nil
	}
	return w.discard(name)
}

// sweep removes temporaries beside the heads that no write will claim.
func (w *writer) sweep() error {
	w.s.looking.Lock()
	strays := w.s.strays
	w.s.looking.Unlock()
	for _, p := range strays {
		if err := w.discardOld(p); err != nil {
			return err
		}
	}
	return w.sweepRecords()
}
