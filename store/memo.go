package store

import (
	"strings"
	"sync"

	"memory-mcp/store/entry"
)

// memo keeps what was read of history. A revision's name holds the hash of its
// bytes, so nothing in here can be out of date.
type memo struct {
	mu    sync.Mutex
	facts map[string]fact // by id and key
	whole map[string]*kept
	size  int // bytes of whole
}

// kept is a revision, and the head that its bytes are once somebody asked.
type kept struct {
	entry.Revision
	head *Head
}

// Both parts are given up as a whole when they are full.
const (
	memoBytes = 32 << 20
	memoFacts = 1 << 18
)

func memoKey(id, key string) string { return id + "." + key }

// fact gives what is known of a revision, and reads it if need be. It is only
// kept when that is wanted.
func (m *memo) fact(sh *shelf, id, key string, keep bool) (fact, error) {
	m.mu.Lock()
	f, ok := m.facts[memoKey(id, key)]
	m.mu.Unlock()
	if ok {
		return f, nil
	}
	r, err := sh.revision(id, key)
	if err != nil {
		return fact{}, err
	}
	f = factOf(key, r)
	if !keep {
		return f, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.facts == nil || len(m.facts) >= memoFacts {
		m.facts = map[string]fact{}
	}
	m.facts[memoKey(id, key)] = f
	return f, nil
}

// read gives a whole revision.
func (m *memo) read(sh *shelf, id, key string) (*kept, error) {
	m.mu.Lock()
	k := m.whole[memoKey(id, key)]
	m.mu.Unlock()
	if k != nil {
		return k, nil
	}
	r, err := sh.revision(id, key)
	if err != nil {
		return nil, err
	}
	k = &kept{Revision: r}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.whole == nil || m.size > memoBytes {
		m.whole, m.size = map[string]*kept{}, 0
	}
	if other := m.whole[memoKey(id, key)]; other != nil {
		return other, nil
	}
	m.whole[memoKey(id, key)] = k
	m.size += 2*len(r.Head) + 512
	return k, nil
}

// parsed gives the head that a revision's bytes are.
func (m *memo) parsed(k *kept, parse func() *Head) *Head {
	m.mu.Lock()
	h := k.head
	m.mu.Unlock()
	if h != nil {
		return h
	}
	h = parse()
	m.mu.Lock()
	defer m.mu.Unlock()
	if k.head == nil {
		k.head = h
	}
	return k.head
}

// forget drops what is known of an id.
func (m *memo) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.facts {
		if of, _, ok := entry.SplitName(name + ".md"); ok && of == id {
			delete(m.facts, name)
		}
	}
	for name := range m.whole {
		if strings.HasPrefix(name, id+".") {
			delete(m.whole, name)
		}
	}
}
