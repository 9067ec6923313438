package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gofrs/flock"
)

// inboxDir holds raw material that waits to become entries.
const inboxDir = ".inbox"

// giveUp drops what this process holds of an id: files that an editor may
// still write into, what was found in them, and what was read of history.
func (s *Store) giveUp(id string) {
	s.looking.Lock()
	defer s.looking.Unlock()
	s.late = slices.DeleteFunc(s.late, func(r *replaced) bool {
		if r.id == id {
			r.f.Close() // only read
		}
		return r.id == id
	})
	s.found = slices.DeleteFunc(s.found, func(c Conflict) bool { return c.ID == id })
	delete(s.over, id)
	s.memo.forget(id)
}

// below gives the files below a folder that is not one of entries.
func (w *writer) below(dir string) []string {
	var all []string
	names, err := namesIn(w.root, dir)
	if err != nil {
		return nil
	}
	for _, name := range names {
		p := path.Join(dir, name)
		info, err := w.root.Lstat(p)
		switch {
		case err != nil:
		case info.IsDir():
			all = append(all, w.below(p)...)
		case info.Mode().IsRegular():
			all = append(all, p)
		}
	}
	return all
}

// inboxOf gives the raw material that names an entry.
func (w *writer) inboxOf(id string) []string {
	return slices.DeleteFunc(w.below(inboxDir), func(p string) bool {
		b, err := w.root.ReadFile(p)
		return err != nil || !mentions(b, id)
	})
}

// mentions tells whether a text has an id in it, as a word.
func mentions(b []byte, id string) bool {
	for from := 0; ; {
		at := bytes.Index(b[from:], []byte(id))
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRune(b[:from+at])
		after, n := utf8.DecodeRune(b[from+at+len(id):])
		if after == '.' { // it ends a sentence, unless the word goes on
			after, _ = utf8.DecodeRune(b[from+at+len(id)+n:])
		}
		if !inWord(before) && before != '.' && !inWord(after) {
			return true
		}
		from += at + 1
	}
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
}

// eraseState removes from the caches what they hold of erased entries. It
// waits for a snapshot that is being written; one that is written later looks
// again first, and does not hold them any more.
func (w *writer) eraseState(ctx context.Context, marks []mark, done []Erased) error {
	if _, err := w.root.Lstat(stateDir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errLockWait)
	defer cancel()
	name := filepath.Join(w.s.abs(stateDir), snapshotLock)
	lock := flock.New(name, flock.SetFlag(lockFlags), flock.SetPermissions(w.s.fileMode()))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		if errors.Is(context.Cause(ctx), errLockWait) {
			err = &LockedError{Path: name, Waited: lockWait}
		}
		return errors.Join(err, lock.Close())
	}
	return errors.Join(w.cleanState(marks, done), lock.Close())
}

func (w *writer) cleanState(marks []mark, done []Erased) error {
	for _, p := range w.below(stateDir) {
		name := path.Base(p)
		if strings.HasPrefix(name, tempPrefix) || path.Dir(p) == stateDir && tellsTexts(name) {
			if err := w.discard(p); err != nil {
				return err
			}
			continue
		}
		if strings.HasSuffix(name, ".lock") {
			continue
		}
		for i, m := range marks {
			if err := w.cleanFile(p, m.rev.ID, &done[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// cleanFile takes the lines that name an id out of a file; one that is not
// made of lines goes as a whole.
func (w *writer) cleanFile(p, id string, e *Erased) error {
	b, err := w.root.ReadFile(p)
	if err != nil || !mentions(b, id) {
		return nil
	}
	e.Files++
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return w.discard(p)
	}
	var kept []byte
	for line := range bytes.Lines(b) {
		if !mentions(line, id) {
			kept = append(kept, line...)
		}
	}
	return w.replaceState(p, kept)
}
