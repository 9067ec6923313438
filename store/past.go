package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// Past is what history and the heads held when one request asked. It goes with
// one [View] and never changes; files are read only when something is asked
// that their names do not tell. It is safe for concurrent use.
//
// A time that is not before the moment at which the Past was made is the
// present: then the heads answer, whatever history says.
type Past struct {
	s     *Store
	view  *View
	names *names
	now   time.Time

	sort sync.Once
	ids  []string

	count sync.Once
	known int // heads that history has something of

	gone   sync.Once
	absent []string

	mu     sync.Mutex
	lines  map[string]*line
	erased map[time.Time]int  // by time, what At found of blanks
	bad    map[string]Problem // by file
}

// Moment is one state of an entry.
type Moment struct {
	ID       string
	Key      string // of the revision; "" for a pending one
	Recorded time.Time
	Op       entry.Op // of a pending one: what it would be written down as
	Gone     bool     // it is a tombstone
	Blank    bool     // its content was erased: it is not known what it was
	Pending  bool     // it is the head's, and not yet in history
}

// ErrChanged says that a file has changed since the Past was made.
var ErrChanged = errors.New("the file has changed since")

// Past looks, and lists the history. The first call lists all of it; later
// ones list only what has changed. It takes no lock and creates nothing.
func (s *Store) Past(ctx context.Context) (*Past, error) {
	root, err := s.root()
	if err != nil {
		return nil, fmt.Errorf("open history: %w", err)
	}
	if root != nil {
		defer root.Close() // a folder handle: nothing to lose
	}
	// History first: a head that is newer than the list is found out below, and
	// a head that is older than the list would look like a person's revert.
	names, err := s.history(root)
	if err != nil {
		return nil, err
	}
	view, err := s.Look(ctx)
	if err != nil {
		return nil, err
	}
	return s.past(view, names), nil
}

func (s *Store) past(v *View, n *names) *Past {
	return &Past{s: s, view: v, names: n, now: s.opts.Now(), lines: map[string]*line{}, erased: map[time.Time]int{}, bad: map[string]Problem{}}
}

// View is the heads that the history goes with.
func (p *Past) View() *View { return p.view }

// Now is the moment from which on a time is the present.
func (p *Past) Now() time.Time { return p.now }

// Same tells whether another Past of the same store holds the same.
func (p *Past) Same(other *Past) bool {
	if p.s != other.s || p.view != other.view {
		return false
	}
	for i, l := range p.names {
		if !l.same(other.names[i]) {
			return false
		}
	}
	return true
}

// IDs gives every id that history or a head knows, sorted.
func (p *Past) IDs() iter.Seq[string] {
	p.sort.Do(func() {
		p.ids = make([]string, 0, p.view.Len())
		for _, g := range p.groups() {
			p.ids = append(p.ids, g.id)
		}
		for id := range p.unknown() {
			p.ids = append(p.ids, id)
		}
		slices.Sort(p.ids)
	})
	return slices.Values(p.ids)
}

// groups gives the revisions of every id, folder by folder.
func (p *Past) groups() iter.Seq2[int, group] {
	return func(yield func(int, group) bool) {
		n := 0
		for _, l := range p.names {
			if l == nil {
				continue
			}
			for _, g := range l.groups {
				if !yield(n, g) {
					return
				}
				n++
			}
		}
	}
}

// unknown gives the heads of which history has nothing.
func (p *Past) unknown() iter.Seq2[string, *Head] {
	p.count.Do(func() {
		for _, g := range p.groups() {
			if _, ok := p.view.RefOf(g.id); ok {
				p.known++
			}
		}
	})
	return func(yield func(string, *Head) bool) {
		if p.known == p.view.entries() {
			return
		}
		for id, r := range p.view.heads() {
			if _, ok := p.names.of(id); !ok && !yield(id, r.Head()) {
				return
			}
		}
	}
}

// Line gives the states of an id, oldest first; a pending head is the last. Of
// an erased id only the tombstone is left.
func (p *Past) Line(id string) []Moment {
	l := p.line(id)
	var all []Moment
	for _, f := range l.facts[:l.in+1] {
		all = append(all, f.moment(id))
	}
	if l.pending {
		all = append(all, l.moment())
	}
	return all
}

// Beside gives what is not in the line of an id: late texts, and the states of
// another copy of the folder that nobody has joined with this one's.
func (p *Past) Beside(id string) []Moment {
	l := p.line(id)
	var all []Moment
	for _, f := range l.late {
		all = append(all, f.moment(id))
	}
	for _, f := range l.facts[l.in+1:] {
		all = append(all, f.moment(id))
	}
	for _, f := range l.twins() {
		if f.key < l.facts[l.in].key {
			all = append(all, f.moment(id))
		}
	}
	slices.SortFunc(all, func(a, b Moment) int { return strings.Compare(a.Key, b.Key) })
	return all
}

func (f fact) moment(id string) Moment {
	return Moment{ID: id, Key: f.key, Recorded: f.at, Op: f.op, Gone: f.gone, Blank: f.blank()}
}

// moment is the pending head of a line.
func (l *line) moment() Moment {
	return Moment{ID: l.id, Recorded: l.at, Op: l.op, Pending: true}
}

// Believed gives the state of an id that was believed at a time; false when
// there was none, or it was deleted, or it has been erased since.
func (p *Past) Believed(id string, at time.Time) (Moment, bool) {
	if !at.Before(p.now) {
		return p.present(id, p.line(id))
	}
	if m, ok, known := p.quickly(id, at); known {
		return m, ok
	}
	l := p.line(id)
	f, pending, ok := l.believed(at)
	if pending {
		return l.moment(), true
	}
	if !ok {
		return Moment{}, false
	}
	return f.moment(id), true
}

// ErasedAt gives the state of an id at a time, if its content was erased since,
// alone: [Past.Believed] knows of none then.
func (p *Past) ErasedAt(id string, at time.Time) (Moment, bool) {
	if !at.Before(p.now) {
		return Moment{}, false
	}
	f, _, ok := p.line(id).held(at)
	return f.moment(id), ok && f.blank()
}

// Counts gives the key of the state of an id that counts for one which is
// named: another one may stand in for it.
func (p *Past) Counts(id, key string) string { return p.line(id).stand.now(key) }

// quickly is Believed for an id whose line is known to be plain: only the one
// state is read.
func (p *Past) quickly(id string, at time.Time) (m Moment, ok, known bool) {
	g, in := p.names.of(id)
	if !in || !p.s.accord.settled([]group{g}, p.view.RefOf)[0] {
		return Moment{}, false, false
	}
	root, err := p.s.root()
	if err != nil || root == nil {
		return Moment{}, false, false
	}
	defer root.Close() // a folder handle: nothing to lose
	f, ok := p.plainly(one(root), g, at)
	if !ok {
		return Moment{}, false, true
	}
	return f.moment(id), true, true
}

func (p *Past) present(id string, l *line) (Moment, bool) {
	switch {
	case l.head == nil:
		return Moment{}, false
	case l.pending || l.erased || l.in < 0:
		return l.moment(), true
	}
	return l.facts[l.in].moment(id), true
}

// Read gives the revision of a state. A pending one is what it would be
// written down as.
func (p *Past) Read(m Moment) (entry.Revision, error) {
	root, err := p.s.root()
	if err != nil {
		return entry.Revision{}, err
	}
	if root == nil {
		return entry.Revision{}, fmt.Errorf("read history of %q: %w", m.ID, fs.ErrNotExist)
	}
	defer root.Close() // a folder handle: nothing to lose
	if m.Pending {
		return p.readPending(root, m.ID)
	}
	k, err := p.read(root, m)
	if err != nil {
		return entry.Revision{}, err
	}
	return k.Revision, nil
}

func (p *Past) read(root *os.Root, m Moment) (*kept, error) {
	l := p.line(m.ID)
	if l.erased && !slices.ContainsFunc(l.facts, func(f fact) bool { return f.key == m.Key }) {
		return nil, &UnknownIDError{ID: m.ID, Dir: p.s.dir, Gone: true, Erased: true}
	}
	var k *kept
	var err error
	if g, _ := p.names.of(m.ID); slices.Contains(g.keys, m.Key) {
		k, err = p.s.memo.read(one(root), m.ID, m.Key)
	} else { // brought along, or gone: what was read of it once does not count
		k = &kept{}
		k.Revision, err = revision(root, m.ID, m.Key)
	}
	if err != nil {
		p.damaged(folderOf(m.ID), m.ID, m.Key, err)
		return nil, fmt.Errorf("read history of %q: %w", m.ID, err)
	}
	return k, nil
}

func (p *Past) readPending(root *os.Root, id string) (entry.Revision, error) {
	l := p.line(id)
	if l.head == nil {
		return entry.Revision{}, &UnknownIDError{ID: id, Dir: p.s.dir}
	}
	b, err := root.ReadFile(l.head.Path)
	if err == nil && entry.Sum(b) != l.head.Hash || errors.Is(err, fs.ErrNotExist) {
		err = ErrChanged
	}
	if err != nil {
		return entry.Revision{}, fmt.Errorf("read %s: %w", p.s.abs(l.head.Path), err)
	}
	r := entry.Revision{ID: id, Recorded: l.at, Actor: actorOutside, Op: l.op, Path: utf8Path(l.head.Path), Head: b, Hint: text(p.s.opts.Person())}
	if last, ok := l.newest(); ok {
		r.Parents = append([]string{last.key}, l.chosen()...)
		if k, err := p.s.memo.read(one(root), id, last.key); err == nil && overriding(root, past{k.Revision, last.key}, b) {
			r.Reason = overridesWord + last.key
		}
	}
	return r, nil
}

// Entry gives the entry that a state's file was.
func (p *Past) Entry(m Moment) (entry.Entry, error) {
	h, err := p.Head(m)
	if err != nil {
		return entry.Entry{}, err
	}
	return h.Entry, nil
}

// Head gives a state as the head that it was. A tombstone has none.
func (p *Past) Head(m Moment) (*Head, error) {
	if m.Pending {
		if h, ok := p.view.ID(m.ID); ok {
			return h, nil
		}
		return nil, &UnknownIDError{ID: m.ID, Dir: p.s.dir}
	}
	root, err := p.s.root()
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, fmt.Errorf("read history of %q: %w", m.ID, fs.ErrNotExist)
	}
	defer root.Close() // a folder handle: nothing to lose
	return p.headOf(root, m)
}

func (p *Past) headOf(root *os.Root, m Moment) (*Head, error) {
	k, err := p.read(root, m)
	if err != nil {
		return nil, err
	}
	if k.Gone() {
		return nil, &UnknownIDError{ID: m.ID, Dir: p.s.dir, Gone: true, Erased: k.Op == entry.OpErase}
	}
	return p.s.headOnce(k), nil
}

// placeOf is where the head of a revision lay, or a place where it can.
func placeOf(r entry.Revision) string {
	if fs.ValidPath(r.Path) && entry.IsEntryPath(r.Path) {
		return r.Path
	}
	return path.Join("general", r.ID+".md")
}

// line gives what the history and the head of an id come to.
func (p *Past) line(id string) *line {
	p.mu.Lock()
	l := p.lines[id]
	p.mu.Unlock()
	if l != nil {
		return l
	}
	root, err := p.s.root()
	if err == nil && root != nil {
		defer root.Close() // a folder handle: nothing to lose
	}
	g, ok := p.names.of(id)
	if !ok || err != nil || root == nil {
		g = group{id: id}
	}
	l = p.resolve(one(root), g)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[id] = l
	return l
}

// resolve reads what is needed to put the head of an id into its line. It
// remembers heads that agree with their history.
func (p *Past) resolve(sh *shelf, g group) *line {
	h, _ := p.view.ID(g.id)
	c := p.s.readChainFrom(sh, g.id, g.keys)
	for _, key := range c.bad {
		_, err := sh.revision(g.id, key)
		p.damaged(folderOf(g.id), g.id, key, err)
	}
	l := lineOf(c, h, p.now)
	if len(l.twins()) > 0 {
		p.s.noteTwins(g.id)
	}
	switch {
	case l.pending && sh.root != nil:
		return p.sinceListed(sh, l, g.keys)
	case len(g.keys) == 0 || !l.agrees():
	case h != nil:
		p.s.accord.note(h.Path, h.Hash, l.plainSum(g))
	default:
		p.s.accord.noteGone(g.id, l.plainSum(g))
	}
	return l
}

// sinceListed looks for the revision of a head that was written after history
// was listed: what it is in is not pending.
func (p *Past) sinceListed(sh *shelf, l *line, keys []string) *line {
	now, err := keysOf(sh.root, l.id)
	if err != nil {
		return l
	}
	for i, key := range slices.Backward(now) {
		if slices.Contains(keys, key) {
			continue
		}
		if f, err := p.s.memo.fact(sh, l.id, key, true); err == nil && f.holds(l.head.Hash, l.head.Path) && f.op != entry.OpLate {
			return lineOf(p.s.readChainFrom(sh, l.id, now[:i+1]), l.head, p.now)
		}
	}
	return l
}

func (p *Past) damaged(dir, id, key string, err error) {
	if err == nil {
		return
	}
	file := p.s.abs(path.Join(dir, id+"."+key+".md"))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad[file] = Problem{File: file, What: "is damaged, and not used: " + err.Error(), Remedy: damagedRemedy}
}

// Damaged names the files of history that were asked for and could not be
// used. [Store.Problems] reads all.
func (p *Past) Damaged() []Problem {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Problem, 0, len(p.bad))
	for _, problem := range p.bad {
		all = append(all, problem)
	}
	slices.SortFunc(all, func(a, b Problem) int { return strings.Compare(a.File, b.File) })
	return all
}
