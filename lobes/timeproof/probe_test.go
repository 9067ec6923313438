package timeproof_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// probe asks every folder about every moment at which something happened, and
// 1 ms before and after it. Of what is asked about each moment, part asks one
// in so many, another one for each seed and part; the store itself is asked
// about all.
func (w *world) probe(when string, part int) {
	w.part = part
	for f, b := range w.books {
		if len(b.events)+len(b.files)+len(b.erased) == 0 {
			w.same(f, when+": the empty present", lobes.Query{}, nil)
			continue
		}
		w.probePresent(f, when)
		w.probeStore(f, when)
		w.probePast(f, when)
		w.probeQuestions(f, when)
	}
}

// turn tells whether it is the turn of the ith of something that is asked once
// in so many.
func (w *world) turn(i, once int) bool {
	return w.full || (uint64(i)+w.seed)%uint64(once*w.part) == 0
}

// moments are the times that a folder is asked about.
func (w *world) moments(f int) []time.Time {
	var all []time.Time
	for _, e := range w.books[f].events {
		all = append(all, e.at.Add(-time.Millisecond), e.at, e.at.Add(time.Millisecond))
	}
	all = slices.DeleteFunc(all, func(at time.Time) bool { return !at.Before(w.now) })
	return distinct(all)
}

// worlds are the times at which what was believed begins or ceases to hold.
func (w *world) worlds(f int) []time.Time {
	all := []time.Time{base.Add(-90 * 24 * time.Hour), w.now, w.now.Add(90 * 24 * time.Hour)}
	for _, e := range w.books[f].events {
		if e.is == nil {
			continue
		}
		for _, at := range []time.Time{e.is.from, e.is.until, e.is.expires} {
			if !at.IsZero() {
				all = append(all, at.Add(-time.Millisecond), at, at.Add(time.Millisecond))
			}
		}
	}
	return distinct(all)
}

func distinct(all []time.Time) []time.Time {
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// some takes a part of a list, another one for each seed; all of it when the
// world is to be probed in full.
func some[T any](w *world, all []T, most int) []T {
	if w.full || len(all) <= most {
		return all
	}
	var part []T
	for i := range most {
		part = append(part, all[(i*len(all)/most+int(w.seed%uint64(len(all))))%len(all)])
	}
	return part
}

func (w *world) probePresent(f int, when string) {
	b := w.books[f]
	w.same(f, when+": the present", lobes.Query{}, b.present(w.now))
	w.same(f, when+": as of now", lobes.Query{AsOf: w.now}, b.present(w.now))
	for _, valid := range some(w, w.worlds(f), 2) {
		w.same(f, when+": valid at "+stamp(valid), lobes.Query{At: valid}, b.present(valid))
	}
	for _, word := range some(w, vocabulary(), 1) {
		w.same(f, when+": "+word, lobes.Query{Filter: word}, saying(b.present(w.now), word))
	}
}

func (w *world) probePast(f int, when string) {
	b := w.books[f]
	moments := w.moments(f)
	for i, at := range moments {
		about := when + ": as of " + stamp(at)
		if w.turn(i, 1) {
			w.same(f, about, lobes.Query{AsOf: at}, b.asOf(at, at))
		}
		for _, valid := range some(w, w.worlds(f), 1) {
			if w.turn(i, 4) {
				w.same(f, about+" valid at "+stamp(valid), lobes.Query{AsOf: at, At: valid}, b.asOf(at, valid))
			}
		}
		for _, word := range some(w, vocabulary(), 1) {
			if w.turn(i+1, 4) {
				w.same(f, about+": "+word, lobes.Query{AsOf: at, Filter: word}, saying(b.asOf(at, at), word))
			}
			if w.turn(i+2, 8) {
				w.ranked(f, about+" about "+word, lobes.Query{AsOf: at, Text: word}, saying(b.asOf(at, at), word))
			}
		}
		for _, id := range some(w, b.ids(), 1) {
			if w.turn(i+3, 8) {
				w.got(f, id, at, when)
			}
		}
	}
}

func saying(all map[string]belief, word string) map[string]belief {
	found := map[string]belief{}
	for id, is := range all {
		if is.says(word) {
			found[id] = is
		}
	}
	return found
}

func (w *world) recall(f int, about string, q lobes.Query) lobes.Answer {
	q.Limit = lobes.MaxLimit
	a, err := w.set.Recall(context.Background(), w.target(f), q)
	if err != nil {
		failf("%s: %s: %v", names()[f], about, err)
	}
	return a
}

// same compares an answer with what it should be.
func (w *world) same(f int, about string, q lobes.Query, want map[string]belief) {
	a := w.recall(f, about, q)
	got := map[string]belief{}
	for _, r := range a.Results {
		if _, twice := got[r.Entry.ID]; twice {
			failf("%s: %s: %s is there twice", names()[f], about, r.Entry.ID)
		}
		got[r.Entry.ID] = beliefOf(r)
	}
	for id, is := range want {
		if has, ok := got[id]; !ok {
			failf("%s: %s: %s is missing, which says %+v", names()[f], about, id, is)
		} else if has != is {
			failf("%s: %s: %s is\n%+v\nwant\n%+v", names()[f], about, id, has, is)
		}
	}
	for id, is := range got {
		if _, ok := want[id]; !ok {
			failf("%s: %s: %s is there and should not, with %+v", names()[f], about, id, is)
		}
	}
	if a.Total != len(want) {
		failf("%s: %s: the total is %d, want %d", names()[f], about, a.Total, len(want))
	}
}

// ranked compares a search by relevance, which leaves out weak hits.
func (w *world) ranked(f int, about string, q lobes.Query, want map[string]belief) {
	a := w.recall(f, about, q)
	for _, r := range a.Results {
		if is, ok := want[r.Entry.ID]; !ok || beliefOf(r) != is {
			failf("%s: %s: %s is there with %+v, want %+v (%v)", names()[f], about, r.Entry.ID, beliefOf(r), is, ok)
		}
	}
	if len(a.Results) == 0 && len(want) > 0 {
		failf("%s: %s: nothing is found of %d", names()[f], about, len(want))
	}
}

// got asks for one entry by its id.
func (w *world) got(f int, id string, at time.Time, when string) {
	want := w.books[f].believed(id, at)
	a, err := w.set.Recall(context.Background(), w.target(f), lobes.Query{AsOf: at, IDs: []string{id}})
	switch {
	case want == nil && err == nil && len(a.Results) > 0:
		failf("%s: %s: %s as of %s is %+v, want nothing", names()[f], when, id, stamp(at), beliefOf(a.Results[0]))
	case want != nil && (err != nil || len(a.Results) != 1 || beliefOf(a.Results[0]) != *want):
		failf("%s: %s: %s as of %s is %+v (%v), want %+v", names()[f], when, id, stamp(at), a.Results, err, *want)
	}
}

func beliefOf(r lobes.Result) belief {
	e := r.Entry
	is := belief{
		topic: e.Topic, title: e.Title, body: e.Body, status: strings.TrimPrefix(e.Status, "active"),
		from: utc(e.Valid.From), until: utc(e.Valid.Until), expires: utc(e.Expires),
	}
	if !e.Verified.IsZero() {
		is.verified = e.Verified.UTC().Format("2006-01-02")
	}
	return is
}

func utc(at time.Time) time.Time {
	if at.IsZero() {
		return time.Time{}
	}
	return at.UTC()
}
