package store

import "sync"

// accord is what is known of how the heads stand to their history, so that
// neither has to be read for what has not changed. It is handed on with the
// snapshot. All of it can be found out again.
type accord struct {
	mu    sync.Mutex
	heads map[string]pact   // by path: heads that history holds
	news  []agreed          // heads of a snapshot that nobody has asked about yet
	gone  map[string]uint64 // by id: the sum of the keys, a plain line, that say that it is gone
	fresh int               // what was found out since the snapshot
}

// pact says that history holds a head.
type pact struct {
	sum  string // of the head: its hash in 32 bytes
	keys uint64 // the sum of the keys that say so, if they are a plain line; 0 when not, and when they were not asked for
}

// agreed is a head that history holds, and the keys that say so.
type agreed struct {
	ref  *Ref
	keys uint64
}

// lock takes the lock, and works in what a snapshot told.
func (a *accord) lock() {
	a.mu.Lock()
	if a.heads == nil {
		a.heads = make(map[string]pact, len(a.news))
	}
	for _, n := range a.news {
		a.heads[n.ref.Path()] = pact{n.ref.sum(), n.keys}
	}
	a.news = nil
}

// holds tells whether history is known to hold a head.
func (a *accord) holds(path, hash string) bool {
	a.lock()
	defer a.mu.Unlock()
	p, ok := a.heads[path]
	return ok && p.sum == sumOfHash(hash)
}

// note keeps that history, with these keys, holds a head.
func (a *accord) note(path, hash string, keys uint64) {
	a.lock()
	defer a.mu.Unlock()
	fresh := pact{sumOfHash(hash), keys}
	if keys != 0 && a.heads[path] != fresh {
		a.fresh++
	}
	a.heads[path] = fresh
}

// noteGone keeps that history, with these keys, says that an id is gone.
func (a *accord) noteGone(id string, keys uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone == nil {
		a.gone = map[string]uint64{}
	}
	if a.gone[id] != keys {
		a.fresh++
	}
	if a.gone[id] = keys; keys == 0 {
		delete(a.gone, id)
	}
}

// drop forgets what lay at a path.
func (a *accord) drop(path string) {
	a.lock()
	defer a.mu.Unlock()
	delete(a.heads, path)
}

// settled tells which of some ids are known to be in accord with the revisions
// that history has of them.
func (a *accord) settled(groups []group, head func(id string) (*Ref, bool)) []bool {
	known := make([]bool, len(groups))
	a.lock()
	defer a.mu.Unlock()
	for i, g := range groups {
		if r, there := head(g.id); there {
			known[i] = r.plain.Load() == g.sum || a.plainly(r, g.sum)
		} else {
			known[i] = a.gone[g.id] == g.sum
		}
	}
	return known
}

// plainly looks a head up, and notes on it what it found. What names say does
// not change for a head that does not.
func (a *accord) plainly(r *Ref, sum uint64) bool {
	p, ok := a.heads[r.Path()]
	if !ok || p.keys != sum || p.sum != r.sum() {
		return false
	}
	r.plain.Store(sum)
	return true
}

// of gives the keys that say that history holds a head.
func (a *accord) of(path string, r *Ref) (keys uint64, ok bool) {
	a.lock()
	defer a.mu.Unlock()
	p, ok := a.heads[path]
	return p.keys, ok && p.sum == r.sum()
}

// learned is how much was found out since the snapshot.
func (a *accord) learned() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.fresh
}

// pack hands on the ids that are gone; the heads go with their files.
func (a *accord) pack(p *packer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.uint(uint64(len(a.gone)))
	for id, keys := range a.gone {
		p.str(id)
		p.uint(keys)
	}
}

// saved says that what was found out until now is in a snapshot.
func (a *accord) saved() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fresh = 0
}

// take takes over what another process found out.
func (a *accord) take(news []agreed, gone map[string]uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.news, a.gone = news, gone
}
