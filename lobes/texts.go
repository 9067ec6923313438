package lobes

import (
	"hash/maphash"
	"slices"
	"sync"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// texts finds entries by their normalised body. It is told of
// every change of a lobe, and answers candidates, to be compared in full. It
// works the changes in when it is asked: reading alone never needs it.
type texts struct {
	seed maphash.Seed

	mu    sync.Mutex
	base  *store.View // that was taken over and not yet worked in
	news  []store.Delta
	sums  map[string]uint64   // by path
	paths map[uint64][]string // by sum
}

func newTexts() *texts {
	return &texts{seed: maphash.MakeSeed(), sums: make(map[string]uint64), paths: make(map[uint64][]string)}
}

// takeOver begins with what a view has.
func (t *texts) takeOver(v *store.View) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base = v
}

func (t *texts) apply(d store.Delta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.news = append(t.news, d)
	if len(t.news) > mostNews {
		t.catchUp()
	}
}

// mostNews bounds the changes that wait.
const mostNews = 256

func (t *texts) catchUp() {
	for h := range t.base.Heads() {
		t.know(h)
	}
	t.base = nil
	for _, d := range t.news {
		for _, path := range d.Gone {
			t.forget(path)
		}
		for _, h := range d.Changed {
			t.forget(h.Path)
			t.know(h)
		}
	}
	t.news = nil
}

func (t *texts) know(h *store.Head) {
	sum := t.sum(h.Entry.Body)
	t.sums[h.Path] = sum
	t.paths[sum] = append(t.paths[sum], h.Path)
}

func (t *texts) forget(path string) {
	sum, ok := t.sums[path]
	if !ok {
		return
	}
	delete(t.sums, path)
	rest := slices.DeleteFunc(slices.Clone(t.paths[sum]), func(p string) bool { return p == path })
	if len(rest) == 0 {
		delete(t.paths, sum)
		return
	}
	t.paths[sum] = rest
}

// find returns the paths of entries whose body is probably the same.
func (t *texts) find(body string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.catchUp()
	return t.paths[t.sum(body)]
}

func (t *texts) sum(body string) uint64 {
	return maphash.String(t.seed, textanalysis.Normalize(body))
}

// sameText tells whether two entries say the same but for case, width and
// white space.
func sameText(a, b *entry.Entry) bool {
	return textanalysis.Normalize(a.Body) == textanalysis.Normalize(b.Body)
}
