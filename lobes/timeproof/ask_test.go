package timeproof_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// probeQuestions asks a folder what became of things, when and why.
func (w *world) probeQuestions(f int, when string) {
	moments := w.moments(f)
	spans := []lobes.Window{{}, {Session: "s1"}}
	for i, at := range some(w, moments, 2) {
		spans = append(spans, lobes.Window{Since: at})
		if other := moments[(len(moments)-1-i)/2]; !other.After(at) {
			spans = append(spans, lobes.Window{Since: other, Until: at})
		}
	}
	for i, span := range spans {
		if w.turn(i, 1) {
			w.sameDifferences(f, span, when)
		}
		if w.turn(i, 2) {
			w.sameTimeline(f, span, when)
		}
	}
	for i, id := range w.books[f].ids() {
		if w.turn(i, 2) {
			w.sameChain(f, id, when)
		}
	}
}

// An outcome is what became of an entry between two times: the list that it
// stands in, and the time of its last change.
type outcome struct {
	list string
	at   time.Time
}

// differences is what became of each entry, by the book.
func (b *book) differences(span lobes.Window, now time.Time, absent []string) (out map[string]outcome, confirmed, passed int) {
	out = map[string]outcome{}
	all := map[string]became{}
	for _, id := range b.ids() {
		if c, ok := b.became(id, span, slices.Contains(absent, id), now); ok {
			all[id] = c
		}
	}
	for id, c := range all {
		if next, told := b.successorIn(id, all); told && c.last.op == "supersede" && next.is != nil && next.was == nil && c.was != nil && c.is != nil {
			continue // the entry that took its place is told instead
		}
		list := c.list(b, span)
		switch list {
		case "confirmed":
			confirmed++
		case "passed":
			passed++
		default:
			out[id] = outcome{list, c.last.at}
		}
	}
	for id, at := range b.erasedAt {
		if span.Session == "" && (span.Since.IsZero() || at.After(span.Since)) && (span.Until.IsZero() || !at.After(span.Until)) {
			out[id] = outcome{"retracted", at}
		}
	}
	return out, confirmed, passed
}

// became is both ends of an entry in a span, and what happened between them.
type became struct {
	id      string
	was, is *event
	last    *event
	byHand  bool
}

func (b *book) became(id string, span lobes.Window, absent bool, now time.Time) (became, bool) {
	c := became{id: id, byHand: true}
	asked := false
	for _, e := range b.line(id) {
		if !span.Since.IsZero() && !e.at.After(span.Since) || !span.Until.IsZero() && e.at.After(span.Until) {
			continue
		}
		c.last = e
		c.byHand = c.byHand && e.by == "outside"
		asked = asked || span.Session == "" || e.session == span.Session
	}
	if absent && span.Until.IsZero() {
		c.last = &event{id: id, at: now, op: "retract", by: "outside"}
		asked = asked || span.Session == ""
	}
	if !asked {
		return c, false
	}
	if !span.Since.IsZero() {
		c.was = b.state(id, span.Since)
	}
	if !span.Until.IsZero() {
		c.is = b.state(id, span.Until)
	} else if f := b.files[id]; f != nil {
		c.is = &event{id: id, is: &f.is, bytes: f.bytes, path: b.last(id).path}
	}
	return c, true
}

func (b *book) successorIn(old string, all map[string]became) (became, bool) {
	for id, c := range all {
		if b.supersedes[id] == old && c.is != nil && c.was == nil {
			return c, true
		}
	}
	return became{}, false
}

func (c became) list(b *book, span lobes.Window) string {
	list := "revised"
	switch {
	case c.is == nil && c.was == nil:
		return "passed"
	case c.is == nil:
		return "retracted"
	case c.was == nil:
		list = "learned"
		if old := b.supersedes[c.id]; old != "" && !span.Since.IsZero() && b.state(old, span.Since) != nil {
			list = "revised"
		}
	case c.was.bytes == c.is.bytes && c.was.path == c.is.path:
		return "passed"
	case slices.Contains([]string{"candidate", "review", "pending"}, c.was.is.status) && c.is.is.status == "":
		return "promoted"
	default:
		x, y := *c.was.is, *c.is.is
		if x.verified = y.verified; x == y { // it says the same, wherever it lies
			return "confirmed"
		}
	}
	if c.byHand {
		return "adopted"
	}
	return list
}

func (w *world) sameDifferences(f int, span lobes.Window, when string) {
	about := when + ": the differences between " + stamp(span.Since) + " and " + stamp(span.Until) + " of session " + span.Session
	d, err := w.set.Diff(context.Background(), w.target(f), span)
	if err != nil {
		failf("%s: %s: %v", names()[f], about, err)
	}
	got := map[string]outcome{}
	for list, changes := range map[string][]lobes.Change{
		"learned": d.Learned, "revised": d.Revised, "retracted": d.Retracted, "promoted": d.Promoted, "adopted": d.Adopted,
	} {
		for _, c := range changes {
			if was, twice := got[c.ID]; twice {
				failf("%s: %s: %s is %s and %s", names()[f], about, c.ID, was.list, list)
			}
			got[c.ID] = outcome{list, c.Recorded}
			w.sameWords(f, c, span, about)
		}
	}
	want, confirmed, passed := w.books[f].differences(span, w.now, w.absent(f))
	for id, o := range want {
		if g, ok := got[id]; !ok || g.list != o.list || !g.at.Equal(o.at) {
			failf("%s: %s: %s is %q at %s, want %q at %s", names()[f], about, id, g.list, stamp(g.at), o.list, stamp(o.at))
		}
	}
	for id, g := range got {
		if _, ok := want[id]; !ok {
			failf("%s: %s: %s is %q and should not be there", names()[f], about, id, g.list)
		}
	}
	if d.Confirmed != confirmed || d.Passed != passed {
		failf("%s: %s: %d were confirmed and %d passed, want %d and %d", names()[f], about, d.Confirmed, d.Passed, confirmed, passed)
	}
}

// sameWords puts the pieces of a text's difference together again: those that
// are gone or the same are the old text, those that are new or the same the
// new one, where not too much of it is left out.
func (w *world) sameWords(f int, c lobes.Change, span lobes.Window, about string) {
	if len(c.Words) == 0 || len(c.Supersedes) > 0 {
		return
	}
	b := w.books[f]
	was, is := b.state(c.ID, span.Since), b.state(c.ID, span.Until)
	if now := b.files[c.ID]; span.Until.IsZero() && now != nil {
		is = &event{is: &now.is}
	}
	var before, after strings.Builder
	for _, p := range c.Words {
		if p.What != "added" {
			before.WriteString(p.Text)
		}
		if p.What != "removed" {
			after.WriteString(p.Text)
		}
	}
	for _, side := range []struct {
		name string
		told string
		of   *event
	}{{"old", before.String(), was}, {"new", after.String(), is}} {
		if side.of == nil || strings.Contains(side.told, "…") {
			continue
		}
		if want := "# " + side.of.is.title + "\n\n" + side.of.is.body; side.told != want {
			failf("%s: %s: the %s text of %s is told as %q, want %q", names()[f], about, side.name, c.ID, side.told, want)
		}
	}
}

// absent tells whether a change is a deletion by hand that is not written down.
func absent(c lobes.Change) bool { return c.Pending && c.Op == "retract" }

// sameTimeline reads a timeline page by page.
func (w *world) sameTimeline(f int, span lobes.Window, when string) {
	about := when + ": the timeline between " + stamp(span.Since) + " and " + stamp(span.Until) + " of session " + span.Session
	span.Limit = 3
	if w.n%2 == 0 {
		span.Limit = 100
	}
	var got, want []string
	last := time.Time{}
	for {
		t, err := w.set.Timeline(context.Background(), w.target(f), span)
		if err != nil {
			failf("%s: %s: %v", names()[f], about, err)
		}
		for _, c := range t.Changes {
			// An absence that is not written down is of this moment, and comes
			// first, also before what was recorded by a clock that was ahead.
			if !last.IsZero() && (c.Recorded.After(last) || absent(c)) {
				failf("%s: %s: %s comes after %s", names()[f], about, stamp(c.Recorded), stamp(last))
			}
			if !absent(c) {
				last = c.Recorded
			}
			got = append(got, stamp(c.Recorded)+" "+c.ID+" "+c.Op+" "+c.Actor)
		}
		if span.Before = t.Next; t.Next == "" {
			break
		}
	}
	b := w.books[f]
	for _, e := range b.events {
		if span.Since.IsZero() || e.at.After(span.Since) {
			if (span.Until.IsZero() || !e.at.After(span.Until)) && (span.Session == "" || e.session == span.Session) {
				want = append(want, stamp(e.at)+" "+e.id+" "+e.op+" "+e.by)
			}
		}
	}
	if span.Until.IsZero() && span.Session == "" {
		for _, id := range w.absent(f) { // nobody has written that down, so it is of this moment
			want = append(want, stamp(w.now)+" "+id+" retract outside")
		}
	}
	got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, " erase ") })
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		failf("%s: %s is\n%s\nwant\n%s", names()[f], about, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// sameChain compares an entry's own changes, and the entries that it came from
// and that came from it.
func (w *world) sameChain(f int, id, when string) {
	c, err := w.set.Why(context.Background(), w.target(f), id)
	if err != nil {
		failf("%s: %s: why %s: %v", names()[f], when, id, err)
	}
	b := w.books[f]
	var got, want []string
	for _, x := range c.Changes {
		got = append(got, stamp(x.Recorded)+" "+x.Op+" "+x.Actor+" "+x.Session)
	}
	for _, e := range b.chain(id) {
		want = append(want, stamp(e.at)+" "+e.op+" "+e.by+" "+e.session)
	}
	if slices.Contains(w.absent(f), id) {
		want = append(want, stamp(w.now)+" retract outside ")
	}
	if !slices.Equal(got, want) {
		failf("%s: %s: why %s tells\n%s\nwant\n%s", names()[f], when, id, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if (c.Entry != nil) != (b.files[id] != nil) {
		failf("%s: %s: why %s tells of the present %v", names()[f], when, id, c.Entry)
	}
	w.sameLinks(f, id, "ancestors", when, c.Ancestors, b.ancestors(id))
	w.sameLinks(f, id, "descendants", when, c.Descendants, b.descendants(id))
}

func (w *world) sameLinks(f int, id, what, when string, links []lobes.Link, want []string) {
	var got []string
	for _, l := range links {
		got = append(got, l.ID)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		failf("%s: %s: why %s tells of the %s %q, want %q", names()[f], when, id, what, got, want)
	}
}

// chain is what happened to an entry wherever it was: each thing once, the
// oldest first.
func (b *book) chain(id string) []*event {
	all := b.line(id)
	for _, e := range b.brought[id] {
		if !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, (*event).compare)
	return all
}

// knows tells whether a text of an entry is left.
func (b *book) knows(id string) bool {
	return slices.ContainsFunc(b.events, func(e *event) bool { return e.id == id && e.is != nil })
}

func (b *book) ancestors(id string) []string {
	var all []string
	for b.knows(id) && b.supersedes[id] != "" {
		id = b.supersedes[id]
		all = append(all, id)
	}
	return all
}

func (b *book) descendants(id string) []string {
	var all []string
	for _, next := range sortedKeys(b.supersedes) {
		if b.supersedes[next] == id && b.knows(next) {
			all = append(append(all, next), b.descendants(next)...)
		}
	}
	return all
}
