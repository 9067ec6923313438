package timeproof_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// acts are the steps by name.
func acts() map[string]func(*world, step) {
	return map[string]func(*world, step){
		"store": (*world).store, "again": (*world).again, "append": (*world).append, "replace": (*world).replace,
		"edit": (*world).edit, "confirm": (*world).confirm, "archive": (*world).archive, "supersede": (*world).supersede,
		"delete": (*world).delete, "erase": (*world).erase, "undo": (*world).undo, "undoSession": (*world).undoSession,
		"restore": (*world).restore, "moveTopic": (*world).moveTopic, "moveLobe": (*world).moveLobe,
		"handEdit": (*world).handEdit, "handRevert": (*world).handRevert, "handDelete": (*world).handDelete, "handNew": (*world).handNew,
		"settle": (*world).settle, "reopen": (*world).reopen, "crash": (*world).crash,
		"copy": (*world).copyFolder, "merge": (*world).merge, "back": (*world).back,
	}
}

func topics() []string { return []string{"gotchas", "general", "architecture"} }

// spans are times in which something holds, by choice: mostly always.
func (w *world) span(choice int) (from, until, expires time.Time) {
	at := w.now.Truncate(time.Millisecond)
	switch choice % 12 {
	case 0:
		from = at.Add(-time.Hour)
	case 1:
		from = at.Add(10 * time.Second)
	case 2:
		from, until = at.Add(-time.Second), at.Add(time.Minute)
	case 3:
		until = at.Add(2 * time.Second)
	case 4:
		expires = at.Add(90 * time.Second)
	}
	return from, until, expires
}

func rfc(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339Nano)
}

func (w *world) remember(s step, n lobes.Note) lobes.Stored {
	r, err := w.set.Remember(context.Background(), w.by(s), w.target(s.Folder), []lobes.Note{n})
	if err != nil {
		failf("store %+v: %v", n, err)
	}
	if len(r.Stored) != 1 {
		failf("store %+v: %+v", n, r)
	}
	return r.Stored[0]
}

func (w *world) store(s step) {
	w.n++
	is := belief{topic: topics()[s.Pick%len(topics())], title: title(w.n, s.N), body: text(w.n, s.N)}
	is.from, is.until, is.expires = w.span(s.N)
	got := w.remember(s, lobes.Note{
		Topic: is.topic, Title: is.title, Text: is.body, StoreAnyway: true, Scope: "project",
		ValidFrom: rfc(is.from), ValidUntil: rfc(is.until), Expires: rfc(is.expires),
	})
	if got.Action != "created" {
		failf("a new note was %s", got.Action)
	}
	w.wrote(s.Folder, w.event(s, got.ID, "create", &is))
}

// again stores another text under a title that is taken: it replaces.
func (w *world) again(s step) {
	id, ok := pick(w.titled(s.Folder), s)
	if !ok {
		return
	}
	w.n++
	is := w.books[s.Folder].files[id].is
	is.body, is.status, is.verified = text(w.n, s.N), "", w.day()
	is.from, is.until, is.expires = w.span(s.N / 2)
	got := w.remember(s, lobes.Note{
		Topic: is.topic, Title: is.title, Text: is.body, StoreAnyway: true, Scope: "project",
		ValidFrom: rfc(is.from), ValidUntil: rfc(is.until), Expires: rfc(is.expires),
	})
	if got.Action != "replaced" || got.ID != id {
		failf("a note with the title of %s: %+v", id, got)
	}
	w.wrote(s.Folder, w.event(s, id, "replace", &is))
}

// titled are the entries whose title no other one of the topic has.
func (w *world) titled(f int) []string {
	files := w.books[f].files
	return slices.DeleteFunc(w.live(f), func(id string) bool {
		for other, x := range files {
			if other != id && x.is.topic == files[id].is.topic && x.is.title == files[id].is.title {
				return true
			}
		}
		return false
	})
}

func (w *world) day() string { return w.now.UTC().Format("2006-01-02") }

// correct makes a correction that must be made.
func (w *world) correct(s step, c lobes.Correction) lobes.Corrected {
	r, err := w.set.Correct(context.Background(), w.by(s), w.target(s.Folder), c)
	if err != nil {
		failf("%s %s%s: %v", c.Action, c.ID, c.Session, err)
	}
	return r
}

// change is a correction of one entry that leaves it as the function says.
func (w *world) change(s step, id, op string, c lobes.Correction, to func(*belief)) {
	is := w.books[s.Folder].files[id].is
	to(&is)
	unchanged := is == w.books[s.Folder].files[id].is
	c.ID, c.Action = id, op
	got := w.correct(s, c)
	if got.ID != id {
		failf("%s of %s answers for %s", op, id, got.ID)
	}
	if unchanged && (op != "confirm" || !w.joined(s.Folder, id)) {
		return // nothing to write down
	}
	w.wrote(s.Folder, w.event(s, id, op, &is))
}

func (w *world) append(s step) {
	if id, ok := pick(w.live(s.Folder), s); ok {
		w.n++
		more := text(w.n, s.N)
		w.change(s, id, "append", lobes.Correction{Text: more}, func(b *belief) { b.body, b.verified = b.body+"\n\n"+more, w.day() })
	}
}

func (w *world) replace(s step) {
	if id, ok := pick(w.live(s.Folder), s); ok {
		w.n++
		other := text(w.n, s.N)
		w.change(s, id, "replace", lobes.Correction{Text: other}, func(b *belief) { b.body, b.verified = other, w.day() })
	}
}

// edit gives an entry another title, status or end.
func (w *world) edit(s step) {
	id, ok := pick(w.titled(s.Folder), s)
	if !ok {
		return
	}
	w.n++
	status := []string{"candidate", "active", "review", "pending"}[s.N/4%4]
	name := title(w.n, s.N)
	ends := w.now.Add(time.Minute).Truncate(time.Millisecond)
	switch s.N % 4 {
	case 0:
		w.change(s, id, "edit", lobes.Correction{Title: &name}, func(b *belief) { b.title = name })
	case 3:
		until := rfc(ends)
		w.change(s, id, "edit", lobes.Correction{Expires: &until}, func(b *belief) { b.expires = ends })
	default:
		w.change(s, id, "edit", lobes.Correction{Status: &status}, func(b *belief) { b.status = strings.TrimPrefix(status, "active") })
	}
}

func (w *world) confirm(s step) {
	if id, ok := pick(w.live(s.Folder), s); ok {
		w.change(s, id, "confirm", lobes.Correction{}, func(b *belief) { b.verified = w.day() })
	}
}

func (w *world) archive(s step) {
	if id, ok := pick(w.live(s.Folder), s); ok {
		w.change(s, id, "archive", lobes.Correction{}, func(b *belief) { b.status = "archived" })
	}
}

func (w *world) delete(s step) {
	if id, ok := pick(w.live(s.Folder), s); ok {
		w.correct(s, lobes.Correction{ID: id, Action: "delete"})
		w.wrote(s.Folder, w.event(s, id, "retract", nil))
	}
}

// supersede puts a new entry in the place of another from some time on.
func (w *world) supersede(s step) {
	b := w.books[s.Folder]
	id, ok := pick(w.live(s.Folder), s)
	if !ok {
		return
	}
	w.n++
	old := b.files[id].is
	at := w.now.Truncate(time.Millisecond)
	from := []time.Time{{}, at.Add(-time.Minute), at.Add(-500 * time.Millisecond), at.Add(5 * time.Second), at.Add(-48 * time.Hour)}[s.N%5]
	since := from
	if since.IsZero() {
		since = w.now
	}
	c := lobes.Correction{ID: id, Action: "supersede", Text: text(w.n, s.N), ValidFrom: rfc(from)}
	if !old.from.IsZero() && !since.After(old.from) || !old.until.IsZero() && since.After(old.until) {
		w.refused(s, c) // it did not hold yet, or no longer
		return
	}
	got := w.correct(s, c)
	if got.Supersedes != id || got.ID == id {
		failf("supersede %s: %+v", id, got)
	}
	is := belief{topic: old.topic, title: got.Title, body: c.Text, from: since}
	old.until = since
	w.wrote(s.Folder, w.event(s, id, "supersede", &old))
	w.wrote(s.Folder, w.event(s, got.ID, "create", &is))
	b.supersedes[got.ID] = id
}

// refused makes a correction that must fail and change nothing.
func (w *world) refused(s step, c lobes.Correction) {
	if got, err := w.set.Correct(context.Background(), w.by(s), w.target(s.Folder), c); err == nil {
		failf("%s %s %q was done: %+v", c.Action, c.ID, c.ValidFrom, got)
	}
}

// restore brings back what was deleted, with the bytes that it last had.
func (w *world) restore(s step) {
	b := w.books[s.Folder]
	id, ok := pick(w.gone(s.Folder), s)
	if !ok {
		return
	}
	var e *event
	for _, x := range b.line(id) {
		if x.is != nil {
			e = x
		}
	}
	if e == nil {
		return
	}
	if b.last(id).lobes {
		w.refused(s, lobes.Correction{ID: id, Action: "restore"})
		return
	}
	w.correct(s, lobes.Correction{ID: id, Action: "restore"})
	is := *e.is
	back := w.event(s, id, "restore", &is)
	back.bytes = e.bytes
	w.wrote(s.Folder, back)
}
