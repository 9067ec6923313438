package store

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"time"

	"memory-mcp/store/entry"
)

// packer appends values to a snapshot. What it writes, an unpacker reads in
// the same order.
type packer struct{ b []byte }

func (p *packer) uint(n uint64) { p.b = binary.AppendUvarint(p.b, n) }

func (p *packer) int(n int64) { p.b = binary.AppendVarint(p.b, n) }

func (p *packer) str(s string) {
	p.uint(uint64(len(s)))
	p.b = append(p.b, s...)
}

func (p *packer) strs(list []string) {
	p.uint(uint64(len(list)))
	for _, s := range list {
		p.str(s)
	}
}

// num writes an optional number; absent is a NaN of our own.
func (p *packer) num(f *float64) {
	if f == nil {
		p.uint(0)
		return
	}
	p.uint(1)
	p.uint(math.Float64bits(*f))
}

func (p *packer) time(t time.Time) {
	if t.IsZero() {
		p.uint(0)
		return
	}
	p.uint(1)
	p.int(t.Unix())
	p.uint(uint64(t.Nanosecond()))
}

// unpacker reads what a packer wrote. Its strings share memory with the text
// it reads from. After bad bytes it gives zero values and remembers.
type unpacker struct {
	s   string
	err error
}

var errPacked = errors.New("the snapshot does not hold what it should")

func (u *unpacker) uint() uint64 {
	var n uint64
	for i := 0; i < len(u.s) && i < binary.MaxVarintLen64; i++ {
		c := u.s[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			u.s = u.s[i+1:]
			return n
		}
	}
	u.fail()
	return 0
}

func (u *unpacker) fail() { u.s, u.err = "", errPacked }

func (u *unpacker) int() int64 {
	n := u.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (u *unpacker) str() string {
	n := u.uint()
	if n > uint64(len(u.s)) {
		u.fail()
		return ""
	}
	s := u.s[:n]
	u.s = u.s[n:]
	return s
}

func (u *unpacker) strs() []string {
	n := u.uint()
	if n == 0 {
		return nil
	}
	if n > uint64(len(u.s)) { // each takes a byte at least
		u.fail()
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = u.str()
	}
	return list
}

func (u *unpacker) num() *float64 {
	if u.uint() == 0 {
		return nil
	}
	return new(math.Float64frombits(u.uint()))
}

func (u *unpacker) time() time.Time {
	if u.uint() == 0 {
		return time.Time{}
	}
	sec := u.int()
	return time.Unix(sec, int64(u.uint()%1e9)).UTC()
}

func (p *packer) entry(e entry.Entry) {
	for _, s := range []string{e.ID, e.Topic, e.Title, e.Body, e.Kind, e.Status, string(e.Trust), e.TrustFrom, e.Durability,
		e.Branch, e.GitSHA, e.MovedTo, e.Subject, e.Problem, e.Solution, e.Quote, e.Origin} {
		p.str(s)
	}
	for _, t := range []time.Time{e.Created, e.LastAccessed, e.Verified, e.Valid.From, e.Valid.Until, e.Expires} {
		p.time(t)
	}
	for _, list := range [][]string{e.Sources, e.References, e.Tags, e.Supersedes, e.DerivedFrom, e.Conditions, e.Files, e.Concepts, e.Pins} {
		p.strs(list)
	}
	p.num(e.Confidence)
	p.num(e.Importance)
	p.uint(uint64(len(e.Extra)))
	for _, f := range e.Extra {
		p.str(f.Key)
		p.strs(f.Lines)
	}
}

func (u *unpacker) entry() entry.Entry {
	var e entry.Entry
	var trust string
	for _, s := range []*string{&e.ID, &e.Topic, &e.Title, &e.Body, &e.Kind, &e.Status, &trust, &e.TrustFrom, &e.Durability,
		&e.Branch, &e.GitSHA, &e.MovedTo, &e.Subject, &e.Problem, &e.Solution, &e.Quote, &e.Origin} {
		*s = u.str()
	}
	e.Trust = entry.Trust(trust)
	for _, t := range []*time.Time{&e.Created, &e.LastAccessed, &e.Verified, &e.Valid.From, &e.Valid.Until, &e.Expires} {
		*t = u.time()
	}
	for _, list := range []*[]string{&e.Sources, &e.References, &e.Tags, &e.Supersedes, &e.DerivedFrom, &e.Conditions, &e.Files, &e.Concepts, &e.Pins} {
		*list = u.strs()
	}
	e.Confidence, e.Importance = u.num(), u.num()
	for n := u.uint(); n > 0 && u.err == nil; n-- {
		e.Extra = append(e.Extra, entry.Field{Key: u.str(), Lines: u.strs()})
	}
	return e
}

func (p *packer) stamp(st stamp) {
	p.int(st.size)
	p.int(st.mtime)
	p.int(st.ctime)
	p.uint(st.ino)
	p.uint(st.dev)
	p.uint(st.links)
	p.int(int64(st.gid))
	p.uint(uint64(st.mode))
	p.uint(uint64(st.kind))
}

func (u *unpacker) stamp() stamp {
	return stamp{
		size: u.int(), mtime: u.int(), ctime: u.int(), ino: u.uint(), dev: u.uint(), links: u.uint(),
		gid: int(u.int()), mode: fs.FileMode(u.uint()), kind: kind(u.uint()),
	}
}

// file packs a file that is an entry of good standing, and whether history is
// known to have it, with which keys. Its length comes first, so that the head
// need not be read to find the next one.
func (p *packer) file(f *file, keys uint64, settled bool) {
	var one packer
	if settled {
		one.uint(1)
		one.uint(keys)
	} else {
		one.uint(0)
	}
	one.stamp(f.stamp)
	one.int(f.read.UnixNano())
	if f.ref.packed != "" {
		one.b = append(one.b, f.ref.packed...)
	} else {
		one.head(f.ref.Head())
	}
	p.str(string(one.b))
}

// file reads what is known of a file into f and r.
func (u *unpacker) file(f *file, r *Ref, now time.Time) (keys uint64, settled bool) {
	one := unpacker{s: u.str()}
	if settled = one.uint() == 1; settled {
		keys = one.uint()
	}
	f.stamp, f.read, f.since, f.ref = one.stamp(), time.Unix(0, one.int()), now, r
	if r.packed = one.s; one.s == "" || one.err != nil {
		u.fail()
	}
	return keys, settled
}
