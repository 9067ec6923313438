package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// cameOut tells whether the file that a step took out of its place has the
// bytes that the step was prepared on. It stays open, for whoever may still
// write into it. A file that cannot be read is not ours.
func (w *writer) cameOut(st *step) bool {
	f, err := w.root.OpenFile(st.temp, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return false
	}
	b, err := readOpen(f)
	if err != nil || !bytes.Equal(b, st.old.bytes) {
		f.Close() // only read
		return false
	}
	st.spare = f
	return true
}

// giveBackMax is how often a file is exchanged while somebody saves it.
const giveBackMax = 20

// giveBack puts what an exchange took out into its place again. Should an
// editor save once more in that moment, its newest save ends up in the place,
// and the one before in history. Nothing but what this program wrote is left
// in the step's temporary.
func (w *writer) giveBack(st *step) error {
	put := st.bytes // what the place is expected to hold
	for range giveBackMax {
		out := w.peek(st.temp)
		if _, err := swap(w.root, st.temp, st.path); errors.Is(err, fs.ErrNotExist) {
			return w.putBack(st)
		} else if err != nil {
			return w.strand(st, err)
		}
		if got := w.peek(st.temp); got == nil || !bytes.Equal(got, put) {
			put = out
			continue
		}
		if bytes.Equal(put, st.bytes) {
			return nil
		}
		return w.keepSide(st)
	}
	return w.strand(st, errors.New("somebody writes the file without a pause"))
}

// peek gives the bytes of a file; nil when it cannot be read.
func (w *writer) peek(name string) []byte {
	f, err := w.root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil
	}
	defer f.Close() // only read
	b, err := readOpen(f)
	if err != nil {
		return nil
	}
	return b
}

// putBack moves a step's temporary, which is somebody else's file, into its
// place, or into history when the place has been taken since.
func (w *writer) putBack(st *step) error {
	err := w.claim(st.temp, st.path)
	if errors.Is(err, fs.ErrExist) {
		return w.keepSide(st)
	}
	if err != nil {
		return w.strand(st, err)
	}
	st.temp = ""
	return nil
}

// keepSide writes down a file that was taken away and cannot be put back.
func (w *writer) keepSide(st *step) error {
	b, err := w.root.ReadFile(st.temp)
	if err != nil {
		return w.strand(st, err)
	}
	if isBlank(b) {
		return nil
	}
	parent := ""
	if len(st.rev.Parents) > 0 {
		parent = st.rev.Parents[0]
	}
	if _, err := w.side(st.act.id, st.path, parent, b, w.s.opts.Now()); err != nil {
		return w.strand(st, err)
	}
	return nil
}

// strand leaves somebody else's file, for which there is no other place, where
// it will be seen: beside the head, as a copy.
func (w *writer) strand(st *step, cause error) error {
	temp := st.temp
	st.temp = "" // it is not ours to remove
	rnd, err := w.s.random(4)
	name := strings.TrimSuffix(st.path, ".md") + ".kept-" + rnd + ".md"
	if err == nil {
		err = w.claim(temp, name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("put %s back: %w", w.s.abs(temp), cause), err)
	}
	return fmt.Errorf("put %s back, which is now %s: %w", w.s.abs(st.path), w.s.abs(name), cause)
}

// claim renames a file to a name that must be free.
func (w *writer) claim(from, to string) error {
	if done, err := claim(w.root, from, to); done || err != nil {
		return err
	}
	return w.claimByLink(from, to)
}

// claimByLink is claim for a system that cannot rename so: a second name, too,
// is only given when it is free. Where there are no second names it looks first.
func (w *writer) claimByLink(from, to string) error {
	err := w.root.Link(from, to)
	if err == nil {
		return w.discard(from)
	}
	if _, taken := w.root.Lstat(to); taken == nil || errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	return w.rename(from, to)
}

// letGo gives up the file that a step has replaced.
func (st *step) letGo() error {
	if st.spare == nil {
		return nil
	}
	err := st.spare.Close()
	st.spare = nil
	return err
}
