package timeproof_test

import (
	"context"
	"slices"
	"time"

	"memory-mcp/store"
)

// probeStore asks the folder's store itself, in a process that knows nothing:
// what was believed of each entry at each moment, and what its line is.
func (w *world) probeStore(f int, when string) {
	st, err := store.Open(w.folder(f), store.Options{Now: w.clock, Settle: settleTime})
	if err != nil {
		failf("open %s: %v", names()[f], err)
	}
	p, err := st.Past(context.Background())
	if err != nil {
		failf("%s: %s: the past: %v", names()[f], when, err)
	}
	b := w.books[f]
	for _, id := range b.ids() {
		for _, at := range w.moments(f) {
			w.sameState(f, p, id, at, when)
		}
		w.sameLine(f, p, id, when)
	}
	for id := range p.IDs() {
		if !b.erased[id] && !slices.Contains(b.ids(), id) {
			failf("%s: %s: the history knows %s, which never was", names()[f], when, id)
		}
	}
	w.sameBetween(f, p, when)
	for _, at := range some(w, w.moments(f), 2) {
		w.sameView(f, p, at, when)
	}
	if err := st.Close(); err != nil {
		failf("close %s: %v", names()[f], err)
	}
}

func (w *world) sameState(f int, p *store.Past, id string, at time.Time, when string) {
	want := w.books[f].state(id, at)
	m, ok := p.Believed(id, at)
	switch {
	case want == nil && ok:
		failf("%s: %s: of %s as of %s the store has the state of %s, want nothing", names()[f], when, id, stamp(at), stamp(m.Recorded))
	case want == nil:
	case !ok:
		failf("%s: %s: of %s as of %s the store has nothing, want the state of %s", names()[f], when, id, stamp(at), stamp(want.at))
	case !m.Recorded.Equal(want.at) || m.Pending != want.pending:
		failf("%s: %s: of %s as of %s the store has the state of %s (pending %v), want that of %s (pending %v)",
			names()[f], when, id, stamp(at), stamp(m.Recorded), m.Pending, stamp(want.at), want.pending)
	default:
		r, err := p.Read(m)
		if err != nil || string(r.Head) != want.bytes {
			failf("%s: %s: the state of %s at %s is %q (%v), want %q", names()[f], when, id, stamp(m.Recorded), r.Head, err, want.bytes)
		}
	}
}

func (w *world) sameLine(f int, p *store.Past, id, when string) {
	var got, want []string
	for _, m := range p.Line(id) {
		got = append(got, stamp(m.Recorded))
	}
	for _, e := range w.books[f].line(id) {
		want = append(want, stamp(e.at))
	}
	if !slices.Equal(got, want) {
		failf("%s: %s: the line of %s is %q, want %q", names()[f], when, id, got, want)
	}
}

// sameBetween asks for all that happened, and for each half of it.
func (w *world) sameBetween(f int, p *store.Past, when string) {
	moments := w.moments(f)
	if len(moments) == 0 {
		return
	}
	half := moments[len(moments)/2]
	for _, span := range [][2]time.Time{{}, {half, {}}, {{}, half}} {
		var got, want []string
		for _, m := range p.Between(span[0], span[1]) {
			if !w.books[f].erased[m.ID] {
				got = append(got, stamp(m.Recorded)+" "+m.ID)
			}
		}
		for _, e := range w.books[f].events {
			if (span[0].IsZero() || e.at.After(span[0])) && (span[1].IsZero() || !e.at.After(span[1])) {
				want = append(want, stamp(e.at)+" "+e.id)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			failf("%s: %s: between %s and %s there is %q, want %q", names()[f], when, stamp(span[0]), stamp(span[1]), got, want)
		}
	}
}

// sameView compares the view of a time, and what Since says differs from the
// present.
func (w *world) sameView(f int, p *store.Past, at time.Time, when string) {
	v, err := p.At(context.Background(), at)
	if err != nil {
		failf("%s: %s: the view as of %s: %v", names()[f], when, stamp(at), err)
	}
	since := p.Since(at)
	b := w.books[f]
	for _, id := range b.ids() {
		want := b.state(id, at)
		h, ok := v.ID(id)
		if ok != (want != nil) || ok && (h.Entry.Title != want.is.title || h.Entry.Body != want.is.body) {
			failf("%s: %s: the view as of %s has of %s %+v (%v)", names()[f], when, stamp(at), id, h, ok)
		}
		now := b.files[id]
		differs := (want == nil) != (now == nil) || want != nil && (want.bytes != now.bytes || want.path != w.rel(f, now.path))
		if differs && !slices.Contains(since, id) {
			failf("%s: %s: since %s %s has changed, and is not named", names()[f], when, stamp(at), id)
		}
	}
}
