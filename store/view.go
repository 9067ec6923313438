package store

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"memory-mcp/store/entry"
)

// Head is one file of entries as a look found it. It never changes.
type Head struct {
	Path     string // slash-separated, relative to the store
	Entry    entry.Entry
	Form     entry.Form
	Hash     string    // SHA-256 of the file's bytes, hex
	Modified time.Time // the file's mtime
	Changed  time.Time // the file's ctime; zero where there is none
	Size     int64
	Copy     string             // the head's path when this file is a copy of it
	Broken   *entry.SyntaxError // the file cannot be parsed; Entry is its plain text

	plain *atomic.Uint64 // the sum of the keys with which history is known to hold it as a plain line; nil: nobody asks
}

func (h *Head) times(st stamp) {
	h.Modified = time.Unix(0, st.mtime).UTC()
	if st.ctime != 0 {
		h.Changed = time.Unix(0, st.ctime).UTC()
	}
}

// touched is the later of the file's two times.
func (h *Head) touched() time.Time {
	if h.Changed.After(h.Modified) {
		return h.Changed
	}
	return h.Modified
}

const shards = 256

type shard[T any] struct{ m map[string]T }

// View is an immutable snapshot of a store's files. Two views share what is
// alike, so that a new one costs what has changed.
type View struct {
	paths  [shards]*shard[*Head]
	ids    [shards]*shard[[]*Head]
	n      int
	bytes  int64
	sort   sync.Once
	sorted []*Head
}

// Delta is what differs between two views.
type Delta struct {
	Changed []*Head  // new and changed files, and files that became a copy or a head
	Gone    []string // paths
}

func shardOf(key string) int {
	h := uint32(2166136261) // FNV-1a
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return int(h % shards)
}

func lookup[T any](s *shard[T], key string) (T, bool) {
	if s == nil {
		var zero T
		return zero, false
	}
	v, ok := s.m[key]
	return v, ok
}

// Len is the number of files, copies and broken ones included.
func (v *View) Len() int {
	if v == nil {
		return 0
	}
	return v.n
}

// Bytes is the size of all files together.
func (v *View) Bytes() int64 {
	if v == nil {
		return 0
	}
	return v.bytes
}

// Path gives the file at a path.
func (v *View) Path(p string) (*Head, bool) {
	if v == nil {
		return nil, false
	}
	return lookup(v.paths[shardOf(p)], p)
}

// ID gives the head of an id, never a copy.
func (v *View) ID(id string) (*Head, bool) {
	if v == nil {
		return nil, false
	}
	group, _ := lookup(v.ids[shardOf(id)], id)
	if len(group) == 0 {
		return nil, false
	}
	return group[0], true
}

// heads gives the head of every id, in no order.
func (v *View) heads() iter.Seq2[string, *Head] {
	return func(yield func(string, *Head) bool) {
		if v == nil {
			return
		}
		for _, s := range v.ids {
			if s == nil {
				continue
			}
			for id, group := range s.m {
				if len(group) > 0 && !yield(id, group[0]) {
					return
				}
			}
		}
	}
}

// entries is the number of ids.
func (v *View) entries() int {
	n := 0
	if v != nil {
		for _, s := range v.ids {
			if s != nil {
				n += len(s.m)
			}
		}
	}
	return n
}

// copies gives the paths of files that are copies.
func (v *View) copies() []string {
	var paths []string
	if v.Len() == v.entries() {
		return nil
	}
	for _, s := range v.ids {
		if s == nil {
			continue
		}
		for _, group := range s.m {
			for _, h := range group[min(1, len(group)):] {
				paths = append(paths, h.Path)
			}
		}
	}
	return paths
}

// Heads gives every file in path order, copies and broken ones included.
func (v *View) Heads() iter.Seq[*Head] {
	if v == nil {
		return func(func(*Head) bool) {}
	}
	v.sort.Do(func() {
		v.sorted = make([]*Head, 0, v.n)
		for _, s := range v.paths {
			if s == nil {
				continue
			}
			for _, h := range s.m {
				v.sorted = append(v.sorted, h)
			}
		}
		slices.SortFunc(v.sorted, func(a, b *Head) int { return strings.Compare(a.Path, b.Path) })
	})
	return slices.Values(v.sorted)
}

// Each gives every file as [View.Heads] does, in no order, which costs no
// sorting after a change.
func (v *View) Each(yield func(*Head) bool) {
	if v == nil {
		return
	}
	for _, s := range v.paths {
		if s == nil {
			continue
		}
		for _, h := range s.m {
			if !yield(h) {
				return
			}
		}
	}
}

// Since tells what differs from an older view of the same store; from nil, it
// tells everything. The cost follows the changes.
func (v *View) Since(old *View) Delta {
	if old == nil {
		old = &View{}
	}
	var d Delta
	for i, now := range v.paths {
		before := old.paths[i]
		if now == before {
			continue
		}
		if now != nil {
			for p, h := range now.m {
				if was, ok := lookup(before, p); !ok || was != h {
					d.Changed = append(d.Changed, h)
				}
			}
		}
		if before == nil {
			continue
		}
		for p := range before.m {
			if _, ok := lookup(now, p); !ok {
				d.Gone = append(d.Gone, p)
			}
		}
	}
	slices.SortFunc(d.Changed, func(a, b *Head) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(d.Gone)
	return d
}

// draft is a view in the making: it copies a shard when it first touches it.
type draft struct {
	v       *View
	ownPath [shards]bool
	ownID   [shards]bool
	touched map[string]bool // ids whose group changed
}

func newDraft(old *View) *draft {
	return &draft{v: &View{paths: old.paths, ids: old.ids, n: old.n, bytes: old.bytes}, touched: map[string]bool{}}
}

func own[T any](owned *bool, s **shard[T]) map[string]T {
	if !*owned {
		fresh := &shard[T]{m: map[string]T{}}
		if *s != nil {
			fresh.m = maps.Clone((*s).m)
		}
		*s, *owned = fresh, true
	}
	return (*s).m
}

func (d *draft) pathMap(p string) map[string]*Head {
	i := shardOf(p)
	return own(&d.ownPath[i], &d.v.paths[i])
}

func (d *draft) idMap(id string) map[string][]*Head {
	i := shardOf(id)
	return own(&d.ownID[i], &d.v.ids[i])
}

// expect makes room for so many files in an empty draft.
func (d *draft) expect(n int) {
	for i := range shards {
		d.v.paths[i], d.ownPath[i] = &shard[*Head]{m: make(map[string]*Head, n/shards)}, true
		d.v.ids[i], d.ownID[i] = &shard[[]*Head]{m: make(map[string][]*Head, n/shards)}, true
	}
}

// load puts a file into a draft that is made of files alone, each of another
// path. Where its id is not shared there is nothing to decide.
func (d *draft) load(h *Head) {
	paths, ids := d.pathMap(h.Path), d.idMap(h.Entry.ID)
	group := ids[h.Entry.ID]
	if _, again := paths[h.Path]; again || len(group) > 0 {
		d.put(h)
		return
	}
	paths[h.Path] = h
	ids[h.Entry.ID] = []*Head{h}
	d.v.n++
	d.v.bytes += h.Size
}

func (d *draft) put(h *Head) {
	d.drop(h.Path)
	d.pathMap(h.Path)[h.Path] = h
	d.v.n++
	d.v.bytes += h.Size
	m := d.idMap(h.Entry.ID)
	m[h.Entry.ID] = append(slices.Clip(m[h.Entry.ID]), h)
	d.touched[h.Entry.ID] = true
}

func (d *draft) drop(p string) {
	old, ok := lookup(d.v.paths[shardOf(p)], p)
	if !ok {
		return
	}
	delete(d.pathMap(p), p)
	d.v.n--
	d.v.bytes -= old.Size
	id := old.Entry.ID
	m := d.idMap(id)
	rest := slices.DeleteFunc(slices.Clone(m[id]), func(h *Head) bool { return h.Path == p })
	if m[id] = rest; len(rest) == 0 {
		delete(m, id)
	}
	d.touched[id] = true
}

// done decides for each id that was touched which file is its head, and marks
// the others as copies of it.
func (d *draft) done() *View {
	for id := range d.touched {
		m := d.idMap(id)
		group := slices.Clone(m[id])
		if len(group) == 0 {
			continue
		}
		slices.SortFunc(group, func(a, b *Head) int { return rankHead(a, b, id) })
		for i, h := range group {
			want := ""
			if i > 0 {
				want = group[0].Path
			}
			if h.Copy != want {
				marked := *h
				marked.Copy = want
				group[i] = &marked
				d.pathMap(h.Path)[h.Path] = &marked
			}
		}
		m[id] = group
	}
	return d.v
}

// rankHead puts the file first that is the head of id: one that parses, whose
// name is the id, and that comes first in path order.
func rankHead(a, b *Head, id string) int {
	order := func(x, y bool) int {
		switch {
		case x == y:
			return 0
		case x:
			return -1
		default:
			return 1
		}
	}
	if c := order(a.Broken == nil, b.Broken == nil); c != 0 {
		return c
	}
	for _, named := range []func(name string) bool{
		func(name string) bool { return name == id+".md" },
		func(name string) bool { return entry.NamedFor(name, id) },
	} {
		if c := order(named(path.Base(a.Path)), named(path.Base(b.Path))); c != 0 {
			return c
		}
	}
	return strings.Compare(a.Path, b.Path)
}
