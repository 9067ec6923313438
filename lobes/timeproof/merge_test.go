package timeproof_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/store"
)

// merge takes over what another folder's history knows.
func (w *world) merge(s step) {
	into, of := 0, 2
	if s.N%2 == 1 {
		into, of = 2, 0
	}
	if _, err := os.Lstat(filepath.Join(w.folder(of), ".lobe")); err != nil || len(w.absent(into)) > 0 {
		return
	}
	st, err := store.Open(w.folder(into), store.Options{Now: w.clock, Settle: settleTime})
	if err != nil {
		failf("open %s: %v", names()[into], err)
	}
	if _, err := st.Merge(context.Background(), w.folder(of)); err != nil {
		failf("merge %s into %s: %v", names()[of], names()[into], err)
	}
	if err := st.Close(); err != nil {
		failf("close %s: %v", names()[into], err)
	}
	w.merged(w.books[into], w.books[of], into)
	w.look()
}

// has tells whether a book knows of an event. One edit by hand that two copies
// of a folder write down, each by itself, is one event.
func (b *book) has(e *event) bool {
	return slices.ContainsFunc(b.events, func(x *event) bool {
		same := x.by == "outside" && e.by == "outside" && x.is != nil && x.id == e.id && x.at.Equal(e.at)
		return x == e || same && x.bytes == e.bytes && x.path == e.path
	})
}

// merged unites two books: what was erased in one is gone from both, and of
// each entry the later state is the file.
func (w *world) merged(b, of *book, into int) {
	for id := range of.erased {
		w.wipe(b, id)
	}
	maps.Copy(b.supersedes, of.supersedes)
	changed := map[string]bool{}
	for _, e := range of.events {
		if b.erased[e.id] || b.has(e) {
			continue
		}
		if e.pending { // it is taken over as it is, and written down there later by itself
			own := *e
			own.pending = false
			e = &own
		}
		b.events = append(b.events, e)
		changed[e.id] = true
	}
	for id, events := range of.brought {
		for _, e := range events {
			if !b.erased[id] && !slices.Contains(b.brought[id], e) {
				b.brought[id] = append(b.brought[id], e)
			}
		}
	}
	w.learnHashes(into)
	for _, id := range sortedKeys(changed) {
		last := b.last(id)
		if last.is == nil {
			if old := b.files[id]; old != nil {
				w.mustBeGone(old.path)
			}
			delete(b.files, id)
			continue
		}
		path := w.find(into, id)
		if got := w.bytes(path); got != last.bytes {
			failf("after the merge %s is\n%s\nwant\n%s", id, got, last.bytes)
		}
		b.files[id] = &file{is: *last.is, bytes: last.bytes, path: path}
	}
	for id, f := range b.files {
		if !strings.HasPrefix(f.path, filepath.Join(w.dir, names()[into])) || w.bytes(f.path) != f.bytes {
			failf("after the merge %s is not what it was", id)
		}
	}
}

// learnHashes reads from the history what orders states of one time: an edit
// gets its file, and with it its hash, when the merge writes it down.
func (w *world) learnHashes(f int) {
	all, err := recordings(w.folder(f))
	if err != nil {
		failf("history of %s: %v", names()[f], err)
	}
	for _, e := range w.books[f].events {
		if e.hash != "" {
			continue
		}
		if at := slices.IndexFunc(all, func(r recording) bool { return matches(r, e) }); at >= 0 {
			e.hash = all[at].hash()
		}
	}
}

// joined tells whether the latest state of an entry was written to say which of
// two copies is right: it follows what nothing else follows, in both.
func (w *world) joined(f int, id string) bool {
	all, err := recordings(w.folder(f))
	if err != nil {
		failf("history of %s: %v", names()[f], err)
	}
	all = slices.DeleteFunc(all, func(r recording) bool { return r.id != id })
	if len(all) == 0 {
		return false
	}
	last := slices.MaxFunc(all, func(a, b recording) int { return strings.Compare(a.key, b.key) })
	if len(last.parents) < 2 || slices.ContainsFunc(w.books[f].events, func(e *event) bool { return matches(last, e) && e.hash == last.hash() }) {
		return false
	}
	for _, r := range all {
		if r.key != last.key && slices.ContainsFunc(r.parents, func(key string) bool { return slices.Contains(last.parents, key) }) {
			failf("%s: the %s of %s at %s follows what another state follows", names()[f], last.op, id, stamp(last.at))
		}
	}
	return true
}
