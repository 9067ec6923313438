package lobes

import (
	"context"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"memory-mcp/lobes/repo"
	"memory-mcp/store"
	"memory-mcp/store/index"
)

// A Lobe is one folder of memories: its store, its index, and what is known
// of the repository that it belongs to. It is safe for concurrent use.
type Lobe struct {
	name string
	spec Spec
	site site
	o    *Options

	begun    atomic.Int64  // looks that have started
	gate     chan struct{} // holds a token while nobody looks
	seen     int64         // the last look that went well; guarded by gate
	store    *store.Store  // nil until the first look; guarded by gate
	view     *store.View   // that the index speaks of; guarded by gate
	index    *index.Index  // as store
	vectors  *vectors      // as store; nil without an embedder
	looks    looks
	uses     uses
	sown     sown
	pasts    eras
	trouble  atomic.Pointer[DegradedError]
	vanished atomic.Pointer[Vanished]
	asked    atomic.Bool            // the history was asked for what vanished; see missVanished
	used     atomic.Bool            // it was read at least once
	written  atomic.Bool            // this process has written here
	noted    atomic.Bool            // and the registry knows
	first    atomic.Pointer[string] // the repository's first commit, once known
}

// A reading is what one request knows of a lobe.
type reading struct {
	lobe  *Lobe
	store *store.Store
	view  *store.View
	index *index.Index
	// vectors is nil without an embedder.
	vectors *vectors
	tree    tree // that the call speaks from

	// Of a reading of what was believed at a time: that time, and the past that
	// view and index were made of.
	then   time.Time
	old    *store.Past
	erased int // entries of which it is not known any more what they were then
}

// A tree is one working tree of a lobe's repository.
type tree struct {
	repo *repo.Repo // nil outside git
	root string     // the folder that cited files are relative to; "" when there is none
}

func newLobe(spec Spec, o *Options) *Lobe {
	l := &Lobe{name: spec.Name, spec: spec, o: o, gate: make(chan struct{}, 1)}
	l.gate <- struct{}{}
	l.site = site{name: spec.Name, shared: spec.Global || spec.AlwaysInclude}
	if spec.Root != "" {
		l.site.root = resolved(filepath.Clean(spec.Root))
	}
	if spec.Repo != nil {
		l.site.common = spec.Repo.CommonDir
	}
	if l.spec.Budget == 0 {
		l.spec.Budget = DefaultBudget
	}
	if spec.Err != nil {
		l.trouble.Store(&DegradedError{Lobe: spec.Name, Cause: spec.Err, Remedy: spec.Remedy})
	}
	return l
}

// Name is the lobe's name.
func (l *Lobe) Name() string { return l.name }

// Dir is the absolute folder of the lobe's entries, which need not exist.
func (l *Lobe) Dir() string { return l.spec.Dir }

// Root is the absolute folder of the project; empty for the global store.
func (l *Lobe) Root() string { return l.spec.Root }

// look brings the index up to date with the files as they are now. Requests
// that wait for each other share a look that began after they came. The first
// one loads the lobe. A lobe that failed is tried again each time.
func (l *Lobe) look(ctx context.Context) (reading, error) {
	if l.spec.Err != nil {
		return reading{}, l.trouble.Load()
	}
	came := l.begun.Load()
	select {
	case <-l.gate:
	case <-ctx.Done():
		return reading{}, ctx.Err()
	}
	defer func() { l.gate <- struct{}{} }()
	if l.seen > came {
		return l.reading(), nil
	}
	now := l.begun.Add(1)
	if err := l.refresh(ctx); err != nil {
		if ctx.Err() != nil {
			return reading{}, ctx.Err()
		}
		return reading{}, l.fail(err)
	}
	l.seen = now
	l.used.Store(true)
	l.trouble.Store(nil)
	return l.reading(), nil
}

func (l *Lobe) reading() reading {
	return reading{
		lobe: l, store: l.store, view: l.view, index: l.index, vectors: l.vectors,
		tree: tree{repo: l.spec.Repo, root: l.site.root},
	}
}

func (l *Lobe) refresh(ctx context.Context) error {
	if l.store == nil {
		s, err := store.Open(l.spec.Dir, store.Options{
			Now: l.o.Now, Plain: l.spec.Plain, Slug: l.spec.Slug, Settle: l.o.Settle, Person: l.person, Watch: l.o.Watch, Shared: l.shared(),
		})
		if err != nil {
			return err
		}
		l.store, l.index = s, index.Over(l.o.Analyzer, documentAgain)
		l.vectors = newVectors(l.o.Embedder, l.spec.Dir)
		l.takeOver()
		if err := l.uses.open(l.spec.Dir); err != nil {
			l.o.Logger.Debug("uses are not counted", "lobe", l.name, "cause", err)
		}
	}
	view, err := l.store.Look(ctx)
	if err != nil {
		return err
	}
	delta := view.Since(l.view)
	l.view = view
	if len(delta.Changed) == 0 && len(delta.Gone) == 0 {
		return nil
	}
	l.index.Apply(refs(delta.Changed), delta.Gone)
	l.vectors.apply(delta)
	return nil
}

// person is who edits from outside may be by: the name in git's configuration.
func (l *Lobe) person() string {
	if l.spec.Repo == nil {
		return ""
	}
	return l.spec.Repo.User()
}

// shared are the permission bits that the repository gives to more than its
// owner. Memories outside a repository are the owner's alone.
func (l *Lobe) shared() fs.FileMode {
	if l.spec.Repo == nil || !repo.PathWithin(l.spec.Repo.CommonDir, l.spec.Dir) {
		return 0
	}
	return l.spec.Repo.Shared()
}

// fail marks the lobe as degraded until a look goes well again.
func (l *Lobe) fail(err error) error {
	e := &DegradedError{Lobe: l.name, Cause: err, Remedy: l.remedy(err)}
	l.trouble.Store(e)
	return e
}

// failure is why the lobe cannot be served, as far as is known.
func (l *Lobe) failure() error {
	if e := l.trouble.Load(); e != nil {
		return e
	}
	return nil
}

func (l *Lobe) health() Health {
	h := Health{Name: l.name, State: Running, Remedy: []string{}}
	if e := l.trouble.Load(); e != nil {
		h.State, h.Cause = Degraded, e.Cause.Error()
		h.Remedy = append(h.Remedy, e.Remedy...)
	} else if v := l.vanished.Load(); v != nil {
		h.State, h.Cause = Degraded, vanishedCause(v.Count)
		h.Remedy = append(h.Remedy, vanishedRemedy(l.name)...)
	}
	return h
}

// branch is what is checked out in the tree, as recent work names it; empty
// outside git or when it cannot be read.
func (t tree) branch() string {
	if t.repo == nil || t.repo.Bare {
		return ""
	}
	b, err := t.repo.Branch()
	if err != nil {
		return ""
	}
	if b.Name == "" {
		return b.Slug()
	}
	return b.Name
}

// commit is what is checked out in the tree; empty when it cannot be read.
func (t tree) commit() string {
	if t.repo == nil {
		return ""
	}
	commit, err := t.repo.Head()
	if err != nil {
		return ""
	}
	return commit
}
