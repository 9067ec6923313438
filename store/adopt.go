package store

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"memory-mcp/store/entry"
)

// actorOutside is who writes with an editor, or any program but ours.
const actorOutside = "outside"

const overridesWord = "overrides "

// adopt turns an edit from outside into a revision: the head stays as it is. It
// belongs to no call, so that two copies of a folder write the same down.
func (w *writer) adopt(cur *current, p past, l *line) (past, error) {
	at := earlier(cur.head.touched(), w.s.opts.Now())
	if cur.stamp.kind == kindFile {
		at = earlier(time.Unix(0, max(cur.stamp.mtime, cur.stamp.ctime)), w.s.opts.Now())
	}
	st := &step{act: &act{id: cur.head.Entry.ID}, path: cur.head.Path, bytes: cur.bytes, rev: entry.Revision{
		ID: cur.head.Entry.ID, Parents: append(parents(p), l.chosen()...), Recorded: w.recorded(p, at), Actor: actorOutside,
		Op: entry.OpAdopt, Path: utf8Path(cur.head.Path), Hint: text(w.s.opts.Person()), Head: cur.bytes,
	}}
	if p.Matches(cur.bytes) {
		st.rev.Op = entry.OpMove
	}
	overrides := overriding(w.root, p, cur.bytes)
	if overrides {
		st.rev.Reason = overridesWord + p.key
	}
	if err := w.writeHalf(st); err != nil {
		return past{}, fmt.Errorf("adopt %s: %w", w.s.abs(st.path), errors.Join(err, w.abandon([]*step{st})))
	}
	if err := w.complete(st.half, st.rev.ID, st.key); err != nil {
		return past{}, fmt.Errorf("adopt %s: %w", w.s.abs(st.path), err)
	}
	w.s.wrote(st)
	if overrides {
		return st.past(), w.rememberOverride(cur.head, p.key)
	}
	return st.past(), nil
}

// overriding tells whether bytes put back what the last revision, one of ours,
// had changed: they lack lines that it brought in, and have again lines that it
// took out, if it took any.
func overriding(root *os.Root, last past, b []byte) bool {
	if last.none() || last.Op == entry.OpAdopt || last.Gone() || len(last.Parents) == 0 {
		return false
	}
	before, err := revision(root, last.ID, last.Parents[0])
	if err != nil || before.Gone() {
		return false
	}
	was, ours, now := lineSet(before.Head), lineSet(last.Head), lineSet(b)
	in, out := minus(ours, was), minus(was, ours)
	lacks := len(in) == 0 || slices.ContainsFunc(in, func(l string) bool { return !now[l] })
	back := len(out) == 0 || slices.ContainsFunc(out, func(l string) bool { return now[l] })
	return lacks && back && len(in)+len(out) > 0
}

func lineSet(b []byte) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			set[line] = true
		}
	}
	return set
}

func minus(a, b map[string]bool) []string {
	var only []string
	for l := range a {
		if !b[l] {
			only = append(only, l)
		}
	}
	return only
}

// Override is an edit from outside that put back what our last change to the
// entry had changed.
type Override struct {
	ID    string `json:"id"`
	Path  string `json:"path"` // absolute
	Title string `json:"title"`
	Key   string `json:"key"` // of our revision, whose text history still has
}

var overridesFile = path.Join(stateDir, "overrides")

// rememberOverride notes the id where the next process finds it. Losing the
// note loses only the hint in the briefing.
func (w *writer) rememberOverride(h *Head, key string) error {
	w.s.looking.Lock()
	w.s.over[h.Entry.ID] = Override{ID: h.Entry.ID, Path: w.s.abs(h.Path), Title: h.Entry.Title, Key: key}
	w.s.looking.Unlock()
	if err := w.makeDir(stateDir); err != nil {
		return err
	}
	f, err := w.root.OpenFile(overridesFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, w.s.fileMode())
	if err != nil {
		return err
	}
	_, err = f.WriteString(h.Entry.ID + "\n")
	return errors.Join(err, f.Close())
}

// newestHeads is how many of the files that changed last are compared with
// their history to find an override that is not written down yet.
const newestHeads = 64

// Overrides gives the entries of a view whose present text is an edit from
// outside that put back what our last change had changed. Whoever asks has
// looked already: a second look would be a second scan of all files.
func (s *Store) Overrides(view *View) ([]Override, error) {
	root, err := s.root()
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close() // a folder handle: nothing to lose
	var all []Override
	for _, h := range s.suspects(root, view) {
		p, err := newest(root, h.Entry.ID)
		if err != nil {
			return nil, err
		}
		key, adopted := strings.CutPrefix(p.Reason, overridesWord)
		if p.Op != entry.OpAdopt || !adopted {
			key = p.key
			b, err := root.ReadFile(h.Path)
			if err != nil || p.Matches(b) || !overriding(root, p, b) {
				continue
			}
		}
		all = append(all, Override{ID: h.Entry.ID, Path: s.abs(h.Path), Title: h.Entry.Title, Key: key})
	}
	return all, nil
}

// suspects are the heads that may be overrides: those that were noted as such,
// and the files that changed last.
func (s *Store) suspects(root *os.Root, view *View) []*Head {
	ids := map[string]bool{}
	if b, err := root.ReadFile(overridesFile); err == nil {
		for line := range strings.Lines(string(b)) {
			ids[strings.TrimSpace(line)] = true
		}
	}
	s.looking.Lock()
	defer s.looking.Unlock()
	for id := range s.over {
		ids[id] = true
	}
	var some []*Head
	for h := range view.Heads() {
		if h.Copy == "" && h.Broken == nil && (ids[h.Entry.ID] || !s.accord.holds(h.Path, h.Hash)) {
			some = append(some, h)
		}
	}
	slices.SortStableFunc(some, func(a, b *Head) int {
		if ids[a.Entry.ID] != ids[b.Entry.ID] {
			if ids[a.Entry.ID] {
				return -1
			}
			return 1
		}
		return b.touched().Compare(a.touched())
	})
	return some[:min(len(some), len(ids)+newestHeads)]
}
