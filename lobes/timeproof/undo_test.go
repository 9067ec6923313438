package timeproof_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// lastChange is the latest call that changed an entry and was not taken back;
// 0 when there is none. Taking back is no change: a second undo goes further.
func (b *book) lastChange(id string) int {
	if events := b.effective(id); len(events) > 0 {
		return events[len(events)-1].change
	}
	return 0
}

// before is what an entry was before a call; nil when it was not there.
func (b *book) before(id string, change int) *event {
	var was *event
	for _, e := range b.line(id) {
		if e.change == change {
			break
		}
		was = e
	}
	if was == nil || was.is == nil {
		return nil
	}
	return was
}

// touched are the entries that a call changed.
func (b *book) touched(change int) []string {
	var ids []string
	for _, e := range b.events {
		if e.change == change && !slices.Contains(ids, e.id) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// undo takes back the last change of an entry, with all else that the same
// call did and nobody changed since.
func (w *world) undo(s step) {
	b := w.books[s.Folder]
	id, ok := pick(slices.DeleteFunc(b.ids(), func(id string) bool { return b.erased[id] || slices.Contains(w.absent(s.Folder), id) }), s)
	if !ok {
		return
	}
	c := lobes.Correction{ID: id, Action: "undo"}
	change := b.lastChange(id)
	if events := b.effective(id); len(events) > 0 && events[len(events)-1].lobes {
		w.undoMove(s, id, events[len(events)-1])
		return
	}
	if change == 0 {
		w.refused(s, c)
		return
	}
	got := w.correct(s, c)
	var back []string
	for _, one := range b.touched(change) {
		// A deletion by hand is a change since, before it is written down too.
		if b.lastChange(one) == change && !slices.Contains(w.absent(s.Folder), one) {
			w.putBackTo(s, one, change)
			back = append(back, one)
		}
	}
	w.sameUndone(got, back)
}

// undoMove takes an entry back to the folder that it came from. Where it was
// last, it can only be undone.
func (w *world) undoMove(s step, id string, last *event) {
	c := lobes.Correction{ID: id, Action: "undo"}
	if last.is == nil {
		w.refused(s, c)
		return
	}
	home := w.books[last.from]
	events := home.effective(id)
	if len(events) == 0 || home.erased[id] || !events[len(events)-1].lobes || events[len(events)-1].is != nil {
		return // something else has become of it there
	}
	w.correct(s, c)
	there := s
	there.Folder = last.from
	w.putBackTo(there, id, events[len(events)-1].change)
	e := w.event(s, id, "move", nil)
	e.lobes = true
	w.wrote(s.Folder, e)
}

// sameUndone compares the ids that an undo names with those that it should.
func (w *world) sameUndone(got lobes.Corrected, want []string) {
	var names []string
	for _, u := range got.Undone {
		names = append(names, u.ID)
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		failf("undone %q, want %q", names, want)
	}
}

// putBackTo notes that an entry is again what it was before a call.
func (w *world) putBackTo(s step, id string, change int) {
	b := w.books[s.Folder]
	was := b.before(id, change)
	e := w.event(s, id, "undo", nil)
	e.undoes = change
	if was != nil {
		is := *was.is
		e.is, e.bytes = &is, was.bytes
	}
	if e.is == nil && b.files[id] == nil {
		return // it is gone, and was not there before
	}
	w.wrote(s.Folder, e)
}

// undoSession takes back all that a session did, except of entries that
// somebody else has changed since it first did something to them.
func (w *world) undoSession(s step) {
	b := w.books[s.Folder]
	var back []string
	first := map[string]int{}
	for _, id := range b.ids() {
		if change := b.firstOf(id, session(s)); change != 0 && !b.erased[id] {
			if slices.Contains(w.absent(s.Folder), id) {
				return
			}
			first[id] = change
			back = append(back, id)
		}
	}
	got, err := w.set.Correct(context.Background(), w.by(s), w.target(s.Folder), lobes.Correction{Session: session(s), Action: "undo"})
	if err != nil && len(back) > 0 {
		failf("undo of session %s: %v", session(s), err)
	}
	for _, id := range back {
		w.putBackTo(s, id, first[id])
	}
	w.sameUndone(got, back)
}

// effective are the calls that changed an entry and were not taken back, the
// oldest first.
func (b *book) effective(id string) []*event {
	var events []*event
	for _, e := range b.line(id) {
		if e.undoes != 0 {
			at := slices.IndexFunc(events, func(x *event) bool { return x.change == e.undoes })
			if at >= 0 {
				events = events[:at]
			}
			continue
		}
		events = append(events, e)
	}
	return events
}

// firstOf is the first change of an entry that a session made; 0 when there is
// none, or when somebody else has changed the entry since.
func (b *book) firstOf(id, session string) int {
	change := 0
	for _, e := range b.effective(id) {
		switch {
		case e.session == session && e.by != "outside":
			if change == 0 {
				change = e.change
			}
		case change != 0:
			return 0
		}
		if change != 0 && e.lobes {
			return 0 // a move is undone by itself
		}
	}
	return change
}

// erase takes an entry out of everything.
func (w *world) erase(s step) {
	b := w.books[s.Folder]
	id, ok := pick(slices.Concat(w.live(s.Folder), w.gone(s.Folder)), s)
	if !ok {
		return
	}
	reached := []int{s.Folder}
	for f, other := range w.books {
		if f != s.Folder && b.travelled(id) && other.travelled(id) {
			reached = append(reached, f)
		}
	}
	var texts []string
	for _, f := range reached {
		for _, e := range slices.Concat(w.books[f].line(id), w.books[f].brought[id]) {
			if e.is != nil {
				texts = append(texts, strings.Split(e.is.body, "\n")...)
			}
		}
	}
	w.correct(s, lobes.Correction{ID: id, Action: "erase"})
	for _, f := range reached {
		w.wipe(w.books[f], id)
		w.mustSayNothing(f, texts)
	}
	// Nothing can be done with it any more.
	for _, action := range []string{"append", "restore", "undo", "delete"} {
		w.refused(s, lobes.Correction{ID: id, Action: action, Text: "Again."})
	}
}

func (w *world) wipe(b *book, id string) {
	b.erased[id] = true
	delete(b.files, id)
	delete(b.brought, id)
	b.events = slices.DeleteFunc(b.events, func(e *event) bool { return e.id == id })
}

// travelled tells whether an entry came to a folder from another one, or went
// from there.
func (b *book) travelled(id string) bool {
	return len(b.brought[id]) > 0 || slices.ContainsFunc(b.line(id), func(e *event) bool { return e.lobes && e.is == nil })
}

// mustSayNothing greps a whole folder, hidden files too, for lines that were
// erased.
func (w *world) mustSayNothing(f int, lines []string) {
	err := filepath.WalkDir(w.folder(f), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b := w.bytes(path)
		for _, line := range lines {
			if line != "" && strings.Contains(b, line) {
				failf("%s still says %q, which was erased", path, line)
			}
		}
		return nil
	})
	if err != nil {
		failf("look for what was erased: %v", err)
	}
}

// moveTopic files an entry under another topic.
func (w *world) moveTopic(s step) {
	id, ok := pick(w.titled(s.Folder), s)
	if !ok {
		return
	}
	b := w.books[s.Folder]
	to := topics()[s.N%len(topics())]
	if is := b.files[id].is; is.topic == to || slices.ContainsFunc(w.live(s.Folder), func(other string) bool {
		return b.files[other].is.topic == to && b.files[other].is.title == is.title
	}) {
		return
	}
	old := b.files[id].path
	w.change(s, id, "move", lobes.Correction{ToTopic: to}, func(x *belief) { x.topic = to })
	if b.files[id].path != old { // a text of before may lie where it belongs already
		w.mustBeGone(old)
	}
}

// moveLobe takes an entry to another project: its history goes with it, and
// the old folder says where.
func (w *world) moveLobe(s step) {
	id, ok := pick(w.titled(s.Folder), s)
	if !ok {
		return
	}
	to := 1
	if s.Folder == 1 {
		to = 0
	}
	from, there := w.books[s.Folder], w.books[to]
	if there.erased[id] || there.files[id] != nil || slices.Contains(w.absent(to), id) {
		return
	}
	is := from.files[id].is
	if slices.ContainsFunc(w.live(to), func(other string) bool {
		return there.files[other].is.topic == is.topic && there.files[other].is.title == is.title
	}) {
		return
	}
	bytes := from.files[id].bytes
	w.correct(s, lobes.Correction{ID: id, Action: "move", ToLobe: names()[to]})
	known := from.last(id).at
	for _, e := range slices.Concat(from.brought[id], from.line(id)) {
		if !slices.Contains(there.brought[id], e) {
			there.brought[id] = append(there.brought[id], e)
		}
	}
	left := w.event(s, id, "move", nil)
	left.lobes = true
	w.wrote(s.Folder, left)
	// What was believed there was not believed here: the line begins with the move.
	e := w.event(s, id, "move", &is)
	e.bytes, e.lobes, e.from = bytes, true, s.Folder
	if old := from.supersedes[id]; old != "" {
		there.supersedes[id] = old
	}
	if next := known.Add(time.Millisecond); e.at.Before(next) {
		e.at = next
	}
	w.wrote(to, e)
}
