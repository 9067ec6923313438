package store

import (
	"encoding/hex"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"memory-mcp/store/entry"
)

// A Ref stands for a [Head], which is made of a few bytes when somebody asks
// for it. A view of many files costs little more than their texts so. Two views
// share the refs of the files that are alike.
type Ref struct {
	packed string // the head as a snapshot has it; "" for one that is kept whole
	whole  atomic.Pointer[Head]
	made   weak.Pointer[Head] // guarded by warm.mu
	warm   *warm
	plain  atomic.Uint64 // the sum of the keys with which history is known to hold it as a plain line
}

// mostWarm is how many heads are kept that were asked for last.
const mostWarm = 1 << 12

// warm keeps heads that were asked for last. A head that somebody still has is
// the same one for everybody, however long ago it was asked for.
type warm struct {
	mu   sync.Mutex
	refs []*Ref // the last ones, in a ring
	at   int
}

// refTo is a ref to a head, which is kept as it is.
func refTo(h *Head) *Ref {
	r := &Ref{}
	r.whole.Store(h)
	return r
}

// pack is a ref to a head, which is made again when it is needed.
func (w *warm) pack(h *Head) *Ref {
	if h.Broken != nil || h.Copy != "" {
		return refTo(h)
	}
	var p packer
	p.head(h)
	return &Ref{packed: string(p.b), warm: w}
}

// Head is what the ref stands for.
func (r *Ref) Head() *Head {
	if h := r.whole.Load(); h != nil {
		return h
	}
	return r.warm.head(r)
}

func (w *warm) head(r *Ref) *Head {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h := r.whole.Load(); h != nil {
		return h
	}
	h := r.made.Value()
	if h == nil {
		u := unpacker{s: r.packed}
		h = u.head()
		r.made = weak.Make(h)
	}
	r.whole.Store(h)
	if len(w.refs) < mostWarm {
		w.refs = append(w.refs, r)
		return h
	}
	w.refs[w.at].whole.Store(nil)
	w.refs[w.at] = r
	w.at = (w.at + 1) % mostWarm
	return h
}

// Path is the head's path.
func (r *Ref) Path() string {
	if r.packed == "" {
		return r.whole.Load().Path
	}
	u := unpacker{s: r.packed}
	return u.str()
}

// ID is the id of the head's entry.
func (r *Ref) ID() string {
	if r.packed == "" {
		return r.whole.Load().Entry.ID
	}
	u := unpacker{s: r.packed}
	u.str()
	return u.str()
}

// sum is the hash of the head's bytes, in 32 bytes.
func (r *Ref) sum() string {
	if r.packed == "" {
		return sumOfHash(r.whole.Load().Hash)
	}
	u := unpacker{s: r.packed}
	u.str()
	u.str()
	return u.hash()
}

// hash is that of the head's bytes, in hex.
func (r *Ref) hash() string { return hex.EncodeToString([]byte(r.sum())) }

// sumOfHash is a hash in 32 bytes; zeros when it is none.
func sumOfHash(hash string) string {
	raw, err := hex.DecodeString(hash)
	if err != nil || len(raw) != hashSize {
		raw = make([]byte, hashSize)
	}
	return string(raw)
}

// size is that of the head's bytes.
func (r *Ref) size() int64 {
	if r.packed == "" {
		return r.whole.Load().Size
	}
	u := unpacker{s: r.packed}
	u.str()
	u.str()
	u.hash()
	return u.int()
}

// broken tells whether the head cannot be parsed.
func (r *Ref) broken() bool { return r.packed == "" && r.whole.Load().Broken != nil }

// copyOf is the path of the head that this one is a copy of.
func (r *Ref) copyOf() string {
	if r.packed == "" {
		return r.whole.Load().Copy
	}
	return ""
}

func byPath(a, b *Ref) int { return strings.Compare(a.Path(), b.Path()) }

// head packs a head that is an entry of good standing.
func (p *packer) head(h *Head) {
	p.str(h.Path)
	p.str(h.Entry.ID)
	p.b = append(p.b, sumOfHash(h.Hash)...)
	p.int(h.Size)
	p.time(h.Modified)
	p.time(h.Changed)
	p.uint(uint64(h.Form))
	p.entry(h.Entry)
}

func (u *unpacker) head() *Head {
	h := &Head{Path: u.str()}
	u.str()
	h.Hash = hex.EncodeToString([]byte(u.hash()))
	h.Size, h.Modified, h.Changed, h.Form = u.int(), u.time(), u.time(), entry.Form(u.uint())
	h.Entry = u.entry()
	return h
}

// hashSize is the number of bytes of a head's hash.
const hashSize = 32

func (u *unpacker) hash() string {
	if len(u.s) < hashSize {
		u.fail()
		return ""
	}
	s := u.s[:hashSize]
	u.s = u.s[hashSize:]
	return s
}
