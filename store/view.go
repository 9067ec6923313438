package store

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
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
	paths  [shards]*shard[*Ref]
	ids    [shards]*shard[*Ref]   // the head of each
	kin    [shards]*shard[[]*Ref] // by id that several files have: all of them, the head first
	n      int
	bytes  int64
	sort   sync.Once
	sorted []*Ref
}

// Delta is what differs between two views.
type Delta struct {
	Changed []*Ref   // new and changed files, and files that became a copy or a head
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

// RefAt gives a ref to the file at a path.
func (v *View) RefAt(p string) (*Ref, bool) {
	if v == nil {
		return nil, false
	}
	return lookup(v.paths[shardOf(p)], p)
}

// RefOf gives a ref to the head of an id, never to a copy.
func (v *View) RefOf(id string) (*Ref, bool) {
	if v == nil {
		return nil, false
	}
	return lookup(v.ids[shardOf(id)], id)
}

// Path gives the file at a path.
func (v *View) Path(p string) (*Head, bool) {
	if r, ok := v.RefAt(p); ok {
		return r.Head(), true
	}
	return nil, false
}

// ID gives the head of an id, never a copy.
func (v *View) ID(id string) (*Head, bool) {
	if r, ok := v.RefOf(id); ok {
		return r.Head(), true
	}
	return nil, false
}

// heads gives the head of every id, in no order.
func (v *View) heads() iter.Seq2[string, *Ref] {
	return func(yield func(string, *Ref) bool) {
		if v == nil {
			return
		}
		for _, s := range v.ids {
			if s == nil {
				continue
			}
			for id, r := range s.m {
				if !yield(id, r) {
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
	if v == nil {
		return nil
	}
	for _, s := range v.kin {
		if s == nil {
			continue
		}
		for _, group := range s.m {
			for _, r := range group[1:] {
				paths = append(paths, r.Path())
			}
		}
	}
	return paths
}

// Heads gives every file in path order, copies and broken ones included.
func (v *View) Heads() iter.Seq[*Head] {
	return func(yield func(*Head) bool) {
		if v == nil {
			return
		}
		v.sort.Do(func() {
			v.sorted = make([]*Ref, 0, v.n)
			for _, s := range v.paths {
				if s == nil {
					continue
				}
				for _, r := range s.m {
					v.sorted = append(v.sorted, r)
				}
			}
			slices.SortFunc(v.sorted, byPath)
		})
		for _, r := range v.sorted {
			if !yield(r.Head()) {
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
			for p, r := range now.m {
				if was, ok := lookup(before, p); !ok || was != r {
					d.Changed = append(d.Changed, r)
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
	slices.SortFunc(d.Changed, byPath)
	slices.Sort(d.Gone)
	return d
}

// draft is a view in the making: it copies a shard when it first touches it.
type draft struct {
	v       *View
	ownPath [shards]bool
	ownID   [shards]bool
	ownKin  [shards]bool
	touched map[string]bool // ids of which files came, went or share the id
}

func newDraft(old *View) *draft {
	return &draft{v: &View{paths: old.paths, ids: old.ids, kin: old.kin, n: old.n, bytes: old.bytes}, touched: map[string]bool{}}
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

func (d *draft) pathMap(p string) map[string]*Ref {
	i := shardOf(p)
	return own(&d.ownPath[i], &d.v.paths[i])
}

func (d *draft) idMap(id string) map[string]*Ref {
	i := shardOf(id)
	return own(&d.ownID[i], &d.v.ids[i])
}

func (d *draft) kinMap(id string) map[string][]*Ref {
	i := shardOf(id)
	return own(&d.ownKin[i], &d.v.kin[i])
}

// group is the files of an id.
func (d *draft) group(id string) []*Ref {
	if group, ok := lookup(d.v.kin[shardOf(id)], id); ok {
		return group
	}
	if r, ok := lookup(d.v.ids[shardOf(id)], id); ok {
		return []*Ref{r}
	}
	return nil
}

// regroup sets the files of an id, the head first.
func (d *draft) regroup(id string, group []*Ref) {
	switch len(group) {
	case 0:
		delete(d.idMap(id), id)
	default:
		d.idMap(id)[id] = group[0]
	}
	if len(group) > 1 {
		d.kinMap(id)[id] = group
	} else if _, shared := lookup(d.v.kin[shardOf(id)], id); shared {
		delete(d.kinMap(id), id)
	}
}

// expect makes room for so many files in an empty draft.
func (d *draft) expect(n int) {
	for i := range shards {
		d.v.paths[i], d.ownPath[i] = &shard[*Ref]{m: make(map[string]*Ref, n/shards)}, true
		d.v.ids[i], d.ownID[i] = &shard[*Ref]{m: make(map[string]*Ref, n/shards)}, true
	}
}

// load puts a file into a draft that is made of files alone. Where neither its
// path nor its id is taken there is nothing to decide.
func (d *draft) load(p, id string, r *Ref, size int64) {
	paths, ids := d.pathMap(p), d.idMap(id)
	_, again := paths[p]
	if _, shared := ids[id]; again || shared {
		d.put(r)
		return
	}
	paths[p], ids[id] = r, r
	d.v.n++
	d.v.bytes += size
}

func (d *draft) put(r *Ref) {
	p, id := r.Path(), r.ID()
	d.drop(p)
	d.pathMap(p)[p] = r
	d.v.n++
	d.v.bytes += r.size()
	d.regroup(id, append(slices.Clip(d.group(id)), r))
	d.touched[id] = true
}

func (d *draft) drop(p string) {
	old, ok := lookup(d.v.paths[shardOf(p)], p)
	if !ok {
		return
	}
	delete(d.pathMap(p), p)
	d.v.n--
	d.v.bytes -= old.size()
	id := old.ID()
	d.regroup(id, slices.DeleteFunc(slices.Clone(d.group(id)), func(r *Ref) bool { return r.Path() == p }))
	d.touched[id] = true
}

// done decides for each id that was touched which file is its head, and marks
// the others as copies of it.
func (d *draft) done() *View {
	for id := range d.touched {
		group := d.group(id)
		if len(group) == 0 || len(group) == 1 && group[0].copyOf() == "" {
			continue
		}
		group = slices.Clone(group)
		slices.SortFunc(group, func(a, b *Ref) int { return rankHead(a.Head(), b.Head(), id) })
		for i, r := range group {
			want := ""
			if i > 0 {
				want = group[0].Path()
			}
			if r.copyOf() != want {
				marked := *r.Head()
				marked.Copy = want
				group[i] = refTo(&marked)
				d.pathMap(marked.Path)[marked.Path] = group[i]
			}
		}
		d.regroup(id, group)
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
