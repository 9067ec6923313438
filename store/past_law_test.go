package store_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

// told is one state of an entry as the test knows it.
type told struct {
	at    time.Time
	key   string // "" while it is pending
	bytes string // "" when it is gone
	path  string
}

func (s told) gone() bool { return s.bytes == "" }

// book is what a test has done to a store, entry by entry: what the past is
// compared with. It knows nothing of how a store keeps it.
type book struct {
	t     *rapid.T
	dir   string
	clock *clock
	s     *store.Store
	lines map[string][]told
}

func newBook(t *rapid.T, dir string) *book {
	b := &book{t: t, dir: dir, clock: &clock{time.Now().Add(time.Minute).UTC().Truncate(time.Microsecond)}, lines: map[string][]told{}}
	b.reopen()
	return b
}

func (b *book) reopen() {
	if b.s != nil {
		if err := b.s.Close(); err != nil {
			b.t.Fatal(err)
		}
	}
	s, err := store.Open(b.dir, store.Options{Now: b.clock.now})
	if err != nil {
		b.t.Fatal(err)
	}
	b.s = s
}

func (b *book) last(id string) (told, bool) {
	line := b.lines[id]
	if len(line) == 0 {
		return told{}, false
	}
	return line[len(line)-1], true
}

// there gives the ids that have a head.
func (b *book) there() []string {
	var ids []string
	for id := range b.lines {
		if s, _ := b.last(id); !s.gone() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (b *book) write(id string, plan func(tx *store.Tx) error) {
	ws, err := b.s.Write(bg, me, plan)
	if err != nil {
		b.t.Fatal(err)
	}
	at, err := entry.RevisionTime(ws[0].Key)
	if err != nil {
		b.t.Fatal(err)
	}
	if before, ok := b.last(id); ok && at.Before(before.at.Add(time.Millisecond)) {
		b.t.Fatalf("%s is recorded at %v, after %v", id, at, before.at)
	}
	text, err := os.ReadFile(ws[0].Path)
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	rel, err := filepath.Rel(b.dir, ws[0].Path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.lines[id] = append(b.lines[id], told{at, ws[0].Key, string(text), filepath.ToSlash(rel)})
}

// byHand notes an edit from outside, which lies after what the entry was last.
func (b *book) byHand(id, text, path string) {
	at := time.Now() // of the file: before the clock, which is ahead
	if s, _ := b.last(id); at.Before(s.at.Add(time.Millisecond)) {
		at = s.at.Add(time.Millisecond)
	} else {
		b.t.Fatal("the clock is not ahead")
	}
	b.lines[id] = append(b.lines[id], told{at: at, bytes: text, path: path})
}

// settle writes down what is pending.
func (b *book) settle() {
	if _, err := b.s.Settle(bg, me, true); err != nil {
		b.t.Fatal(err)
	}
	for id, line := range b.lines {
		r, _, err := b.s.Newest(id)
		if err != nil {
			b.t.Fatal(err)
		}
		line[len(line)-1].key = r.Key()
	}
}

func (b *book) believed(id string, at time.Time) (told, bool) {
	var s told
	for _, next := range b.lines[id] {
		if !next.at.After(at) || !at.Before(b.clock.at) {
			s = next
		}
	}
	return s, !s.gone()
}

// probe compares every answer with the book, at every time at which something
// happened, and shortly before and after.
func (b *book) probe(what string) {
	p, err := b.s.Past(bg)
	if err != nil {
		b.t.Fatal(err)
	}
	times := map[time.Time]bool{b.clock.at: true, b.clock.at.Add(time.Hour): true, {}: true}
	for _, line := range b.lines {
		for _, s := range line {
			for _, d := range []time.Duration{-time.Millisecond, 0, time.Millisecond} {
				times[s.at.Add(d)] = true
			}
		}
	}
	if got, want := slices.Collect(p.IDs()), slices.Sorted(maps.Keys(b.lines)); !slices.Equal(got, want) {
		b.t.Fatalf("%s: ids %v, want %v", what, got, want)
	}
	for at := range times {
		b.probeAt(what, p, at)
	}
	b.probeLines(what, p)
}

func (b *book) probeAt(what string, p *store.Past, at time.Time) {
	v, err := p.At(bg, at)
	if err != nil {
		b.t.Fatal(err)
	}
	var differ []string
	for _, id := range slices.Sorted(maps.Keys(b.lines)) {
		want, ok := b.believed(id, at)
		m, has := p.Believed(id, at)
		h, in := v.ID(id)
		if has != ok || in != ok {
			b.t.Fatalf("%s: %s at %v: believed %v, in the view %v, want %v\n%+v", what, id, at, has, in, ok, b.lines[id])
		}
		if now, _ := b.last(id); want.bytes != now.bytes || want.path != now.path && ok {
			differ = append(differ, id)
		}
		if !ok {
			continue
		}
		was, err := p.Head(m)
		if err != nil {
			b.t.Fatal(err)
		}
		if hash := entry.Sum([]byte(want.bytes)); m.Key != want.key || m.Pending != (want.key == "") || !m.Recorded.Equal(want.at) || h.Hash != hash || was.Hash != hash || h.Path != want.path {
			b.t.Fatalf("%s: %s at %v: %+v at %s\n%s\nwant %+v", what, id, at, m, h.Path, h.Entry.Body, want)
		}
	}
	if got := p.Since(at); !slices.Equal(got, differ) {
		b.t.Fatalf("%s: since %v: %v, want %v", what, at, got, differ)
	}
	if n := len(b.there()); !at.Before(b.clock.at) && v.Len() != n {
		b.t.Fatalf("%s: the view of the present has %d files, want %d", what, v.Len(), n)
	}
}

// probeLines compares the lines, and the windows of time.
func (b *book) probeLines(what string, p *store.Past) {
	var all []told
	for id, want := range b.lines {
		got := p.Line(id)
		if len(got) != len(want) || len(p.Beside(id)) > 0 {
			b.t.Fatalf("%s: line of %s\n%+v\nwant\n%+v", what, id, got, want)
		}
		for i, m := range got {
			if m.Key != want[i].key || !m.Recorded.Equal(want[i].at) || m.Gone != want[i].gone() {
				b.t.Fatalf("%s: line of %s\n%+v\nwant\n%+v", what, id, got, want)
			}
		}
		all = append(all, want...)
	}
	if len(all) == 0 {
		return
	}
	from, to := all[len(all)/2].at, all[len(all)-1].at
	want := 0
	for _, s := range all {
		if s.at.After(from) && !s.at.After(to) {
			want++
		}
	}
	got := p.Between(from, to)
	if len(got) != want || !slices.IsSortedFunc(got, func(a, c store.Moment) int { return c.Recorded.Compare(a.Recorded) }) {
		b.t.Fatalf("%s: between %v and %v: %+v, want %d", what, from, to, got, want)
	}
	if got := p.Between(time.Time{}, time.Time{}); len(got) != len(all) {
		b.t.Fatalf("%s: %d moments, want %d", what, len(got), len(all))
	}
	since, until := p.Around(from)
	for _, s := range all {
		if !s.at.After(from) && s.at.After(since) || s.at.After(from) && (until.IsZero() || s.at.Before(until)) {
			b.t.Fatalf("%s: around %v is [%v, %v), and something happened at %v", what, from, since, until, s.at)
		}
	}
}

// act does one thing to the store.
func (b *book) act(n int) {
	id := fmt.Sprintf("gotcha-%08d", rapid.IntRange(0, 4).Draw(b.t, "id"))
	s, known := b.last(id)
	file := filepath.Join(b.dir, filepath.FromSlash(s.path))
	kind := rapid.SampledFrom([]string{"put", "put", "remove", "move", "revert", "edit", "move by hand", "delete by hand", "revert by hand"}).Draw(b.t, "act")
	switch there := known && !s.gone(); {
	case kind == "put" || !known || s.gone() && kind != "revert":
		b.write(id, func(tx *store.Tx) error {
			return tx.Put(entry.OpReplace, note(id, "Title", fmt.Sprintf("State %d.", n)))
		})
	case kind == "remove":
		b.write(id, func(tx *store.Tx) error { return tx.Remove(id) })
	case kind == "move":
		topic := rapid.SampledFrom([]string{"gotchas", "general", "modules/x"}).Draw(b.t, "topic")
		b.write(id, func(tx *store.Tx) error { return tx.Move(entry.OpMove, id, toTopic(topic)) })
	case kind == "revert":
		b.settle()
		old := rapid.SampledFrom(b.lines[id]).Draw(b.t, "state")
		if old.gone() && !there {
			return
		}
		b.write(id, func(tx *store.Tx) error { return tx.Revert(entry.OpUndo, id, old.key) })
	default:
		b.hand(kind, id, file, s, n)
	}
}

func (b *book) hand(kind, id, file string, s told, n int) {
	must := func(err error) {
		if err != nil {
			b.t.Fatal(err)
		}
	}
	text, path := s.bytes, s.path
	switch kind {
	case "edit":
		text = strings.Replace(text, "tate", fmt.Sprintf("tate by hand %d,", n), 1)
		must(os.WriteFile(file, []byte(text), 0o600))
	case "revert by hand":
		old := rapid.SampledFrom(b.lines[id]).Draw(b.t, "text")
		if text = old.bytes; text == s.bytes || old.gone() {
			return
		}
		must(os.WriteFile(file, []byte(text), 0o600))
	case "move by hand":
		path = fmt.Sprintf("by-hand-%d/%s.md", n, id)
		must(os.MkdirAll(filepath.Join(b.dir, filepath.Dir(path)), 0o700))
		must(os.Rename(file, filepath.Join(b.dir, path)))
	case "delete by hand":
		must(os.Remove(file))
		for range 2 { // it may not have been looked at before
			_, err := b.s.Settle(bg, me, false)
			must(err)
			b.clock.pass(31 * time.Second)
		}
		_, err := b.s.Settle(bg, me, false)
		must(err)
		r, _, err := b.s.Newest(id)
		must(err)
		b.lines[id] = append(b.lines[id], told{at: r.Recorded, key: r.Key()})
		return
	}
	b.byHand(id, text, path)
	b.probe("pending")
	b.settle()
}

// sequences is how many random sequences are tried: a few, unless the command
// line asks for more with -rapid.checks.
func sequences() int {
	n, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil || n == 100 {
		return 20
	}
	return n
}

// TestThePastIsWhatWasWritten compares the past of a store with a naive replay
// of what a test has done to it.
func TestThePastIsWhatWasWritten(t *testing.T) {
	top := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		if round++; round > sequences() {
			return
		}
		b := newBook(t, filepath.Join(top, fmt.Sprint(round)))
		defer func() {
			b.s.Close()
			os.RemoveAll(b.dir)
		}()
		for n := range rapid.IntRange(1, 12).Draw(t, "acts") {
			b.clock.pass(time.Duration(rapid.SampledFrom([]int{0, 1, 1000, 3600_000, -5000}).Draw(t, "ms")) * time.Millisecond)
			b.act(n)
		}
		b.probe("at the end")
		b.reopen()
		b.probe("after a restart")
		if err := os.RemoveAll(filepath.Join(b.dir, ".state")); err != nil {
			t.Fatal(err)
		}
		b.reopen()
		b.probe("without caches")
	})
}
