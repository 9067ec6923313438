package timeproof_test

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A belief is what an entry's file says, as far as time is concerned.
type belief struct {
	topic, title, body, status string
	from, until, expires       time.Time
	verified                   string // a day
}

// holds tells whether the present of a time would show the belief.
func (b belief) holds(at time.Time) bool {
	switch b.status {
	case "", "active", "candidate":
	default:
		return false
	}
	begun := b.from.IsZero() || !at.Before(b.from)
	ended := !b.until.IsZero() && !at.Before(b.until)
	gone := !b.expires.IsZero() && !at.Before(b.expires)
	return begun && !ended && !gone
}

func (b belief) says(word string) bool {
	return strings.Contains(strings.ToLower(b.title+" "+b.body), word)
}

// An event is one thing that happened to one entry.
type event struct {
	id      string
	at      time.Time
	hash    string // of its file in the history, which orders what is of one time
	op      string
	by      string // the actor
	session string
	change  int     // the call that it belongs to
	undoes  int     // the call that it took back, with all after it
	lobes   bool    // it came from another folder, or went there
	from    int     // the folder that it came from
	is      *belief // nil: the entry is gone from here on
	bytes   string  // what the file says, to the byte
	path    string
	pending bool      // an edit that is not written down
	saved   time.Time // when it was saved, by its file
}

// A file is what lies in the folder.
type file struct {
	is    belief
	bytes string
	path  string
}

// A book is what one folder knows: everything that happened, in any order, and
// what lies there now.
type book struct {
	events []*event
	files  map[string]*file
	erased map[string]bool
	// When an entry was erased, and which entry another one took the place of.
	erasedAt   map[string]time.Time
	supersedes map[string]string
	// What was believed of an entry in another folder, before it came from there.
	brought map[string][]*event
}

func newBook() *book {
	return &book{files: map[string]*file{}, erased: map[string]bool{}, erasedAt: map[string]time.Time{}, supersedes: map[string]string{}, brought: map[string][]*event{}}
}

// line is what happened to an entry, the oldest first.
func (b *book) line(id string) []*event {
	var line []*event
	for _, e := range b.events {
		if e.id == id {
			line = append(line, e)
		}
	}
	slices.SortStableFunc(line, (*event).compare)
	return line
}

func (e *event) compare(other *event) int {
	return cmp.Or(e.at.Compare(other.at), strings.Compare(e.hash, other.hash))
}

// last is the latest event of an entry; nil when nothing ever happened to it.
func (b *book) last(id string) *event {
	line := b.line(id)
	if len(line) == 0 {
		return nil
	}
	return line[len(line)-1]
}

// ids are the entries that something happened to, in the order of their first.
func (b *book) ids() []string {
	var ids []string
	for _, e := range b.events {
		if !slices.Contains(ids, e.id) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// state is the event that an entry was in at a time; nil when it was not there.
func (b *book) state(id string, at time.Time) *event {
	var in *event
	for _, e := range b.line(id) {
		if !e.at.After(at) {
			in = e
		}
	}
	if in == nil || in.is == nil || b.erased[id] {
		return nil
	}
	return in
}

// believed is what was thought of an entry at a time.
func (b *book) believed(id string, at time.Time) *belief {
	in := b.state(id, at)
	if in == nil {
		return nil
	}
	return in.is
}

// asOf is what was thought at one time of the world at another.
func (b *book) asOf(believed, valid time.Time) map[string]belief {
	found := map[string]belief{}
	for _, id := range b.ids() {
		if is := b.believed(id, believed); is != nil && is.holds(valid) {
			found[id] = *is
		}
	}
	return found
}

// present is what the files say of the world at a time.
func (b *book) present(valid time.Time) map[string]belief {
	found := map[string]belief{}
	for id, f := range b.files {
		if f.is.holds(valid) {
			found[id] = f.is
		}
	}
	return found
}

// add writes an event down: of an entry, the next is at least 1 ms later.
func (b *book) add(e *event) *event {
	if last := b.last(e.id); last != nil {
		if next := last.at.Add(time.Millisecond); e.at.Before(next) {
			e.at = next
		}
	}
	b.events = append(b.events, e)
	return e
}

// date gives an edit that is not written down its time: that of its file, but
// not later than now, and at least 1 ms after what it follows.
func (b *book) date(e *event, now time.Time) {
	b.forget(e)
	e.at = e.saved
	if now.Before(e.at) {
		e.at = now
	}
	b.add(e)
}

// forget takes out an event that never counted: an edit that was saved over
// before anybody wrote it down.
func (b *book) forget(e *event) {
	b.events = slices.DeleteFunc(b.events, func(x *event) bool { return x == e })
}

// pendingOf is the edit of an entry that is not written down yet.
func (b *book) pendingOf(id string) *event {
	for _, e := range b.events {
		if e.id == id && e.pending {
			return e
		}
	}
	return nil
}
