package timeproof_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxAbsent is how many files a person takes away before it rests: with more,
// nobody could have meant it, and nothing would be written down.
const maxAbsent = 3

// handEdit is a person who saves a file with another text or title.
func (w *world) handEdit(s step) {
	id, ok := pick(w.live(s.Folder), s)
	if !ok {
		return
	}
	f := w.books[s.Folder].files[id]
	is := f.is
	w.n++
	switch s.N % 3 {
	case 0:
		is.title = title(w.n, s.N)
	case 1:
		is.body += "\n\n" + text(w.n, s.N)
	case 2:
		is.body = text(w.n, s.N)
	}
	w.saved(s, id, is, retold(f.bytes, is))
}

// handRevert is a person who puts back what the file once held.
func (w *world) handRevert(s step) {
	b := w.books[s.Folder]
	id, ok := pick(w.live(s.Folder), s)
	if !ok {
		return
	}
	var once []*event
	for _, e := range b.line(id) {
		if e.is != nil && e.bytes != b.files[id].bytes {
			once = append(once, e)
		}
	}
	if len(once) == 0 {
		return
	}
	if e := once[s.N%len(once)]; !w.doubtful(s, id) {
		w.saved(s, id, *e.is, e.bytes)
	}
}

// savedAt is when an editor writes: a little before we look.
func (w *world) savedAt(s step) time.Time {
	return w.now.Add(-time.Duration(s.N/3%3) * time.Millisecond)
}

// doubtful tells whether an old text that a person puts back could also be one
// that lay there all the time, while the history of another copy was put beside
// it: it is not younger than what history says.
func (w *world) doubtful(s step, id string) bool {
	return w.done["merge"] > 0 && slices.ContainsFunc(w.books[s.Folder].line(id), func(e *event) bool {
		return !e.pending && !w.savedAt(s).After(e.at)
	})
}

// saved is the moment at which an editor writes the file. It may do so in
// place or by another file that takes its name, and its time may be a little
// before we look.
func (w *world) saved(s step, id string, is belief, bytes string) {
	b := w.books[s.Folder]
	path := b.files[id].path
	at := w.savedAt(s)
	target := path
	if s.N%2 == 1 {
		target = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".swp")
	}
	put(target, bytes, at)
	if target != path {
		if err := os.Rename(target, path); err != nil {
			failf("save %s: %v", path, err)
		}
	}
	if p := b.pendingOf(id); p != nil {
		b.forget(p)
	}
	b.files[id] = &file{is: is, bytes: bytes, path: path}
	if last := b.last(id); last == nil || last.bytes != bytes {
		b.date(&event{id: id, saved: at, op: "adopt", by: "outside", change: w.calls, is: &is, bytes: bytes, path: w.rel(s.Folder, path), pending: true}, w.now)
	}
	w.look()
}

// put writes a file whose time of writing is given.
func put(path, bytes string, at time.Time) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		failf("save: %v", err)
	}
	if err := os.WriteFile(path, []byte(bytes), 0o600); err != nil {
		failf("save: %v", err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		failf("save: %v", err)
	}
}

// handDelete is a person who removes a file.
func (w *world) handDelete(s step) {
	b := w.books[s.Folder]
	id, ok := pick(w.live(s.Folder), s)
	if !ok || len(w.absent(s.Folder)) >= maxAbsent || b.last(id).pending {
		return
	}
	if err := os.Remove(b.files[id].path); err != nil {
		failf("remove: %v", err)
	}
	delete(b.files, id)
	w.look()
}

// handNew is a person who writes a memory without being asked, or puts a file
// back that was deleted.
func (w *world) handNew(s step) {
	b := w.books[s.Folder]
	if id, ok := pick(w.gone(s.Folder), s); ok && s.N%2 == 0 {
		w.putBack(s, id)
		return
	}
	w.n++
	id := fmt.Sprint("hand-", w.n)
	is := belief{topic: "gotchas", title: title(w.n, s.N), body: text(w.n, s.N)}
	bytes := retold("---\nid: "+id+"\ntopic: gotchas\ncreated: "+rfc(w.now)+"\n---\n", is)
	b.files[id] = &file{path: filepath.Join(w.folder(s.Folder), "gotchas", id+".md")}
	w.saved(s, id, is, bytes)
}

func (w *world) putBack(s step, id string) {
	b := w.books[s.Folder]
	var e *event
	for _, x := range b.line(id) {
		if x.is != nil {
			e = x
		}
	}
	if e == nil || w.doubtful(s, id) {
		return
	}
	b.files[id] = &file{path: filepath.Join(w.folder(s.Folder), e.path)}
	w.saved(s, id, *e.is, e.bytes)
}

// settle lets everything rest and be written down.
func (w *world) settle(step) {
	for range 2 {
		w.pass(settleTime + time.Second)
		if err := w.set.Settle(context.Background()); err != nil {
			failf("settle: %v", err)
		}
	}
}

// reopen ends the process in order and begins another one.
func (w *world) reopen(s step) {
	w.settle(s)
	w.close()
	w.open()
}

// crash begins another process beside the first one, which never ends.
func (w *world) crash(s step) {
	if s.N%2 == 0 {
		w.dropState()
	}
	w.open()
}

func (w *world) close() {
	if err := w.set.Close(context.Background()); err != nil {
		failf("close: %v", err)
	}
	w.sets = w.sets[:len(w.sets)-1]
}

// dropState takes away what may be deleted at any time.
func (w *world) dropState() {
	for f := range names() {
		if err := os.RemoveAll(filepath.Join(w.folder(f), ".state")); err != nil {
			failf("drop .state: %v", err)
		}
	}
}

// back turns the clock back, as a machine does whose clock was wrong.
func (w *world) back(s step) {
	d := []time.Duration{time.Millisecond, 50 * time.Millisecond, 2 * time.Second, time.Minute}[s.N%4]
	if w.now.Add(-d).After(base) {
		w.pass(-d)
	}
}

// copyFolder takes the project's folder to another machine, once.
func (w *world) copyFolder(step) {
	if w.copied || len(w.books[2].events) > 0 || len(w.books[0].events) == 0 {
		return
	}
	w.copied = true
	err := filepath.WalkDir(w.folder(0), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(w.folder(0), path)
		if err != nil || rel == ".lock" || strings.HasPrefix(rel, ".state") {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(w.folder(2), rel), 0o700)
		}
		info, err := d.Info()
		if err == nil {
			put(filepath.Join(w.folder(2), rel), w.bytes(path), info.ModTime())
		}
		return err
	})
	if err != nil {
		failf("copy: %v", err)
	}
	from, to := w.books[0], w.books[2]
	for _, e := range from.events {
		if e.pending { // each folder writes it down by itself
			own := *e
			e = &own
		}
		to.events = append(to.events, e)
	}
	for id, f := range from.files {
		to.files[id] = &file{is: f.is, bytes: f.bytes, path: filepath.Join(w.folder(2), strings.TrimPrefix(f.path, w.folder(0)))}
	}
	maps.Copy(to.erased, from.erased)
	for id, events := range from.brought {
		to.brought[id] = slices.Clone(events)
	}
	maps.Copy(to.supersedes, from.supersedes)
	w.look()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
