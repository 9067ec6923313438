package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// A server of a large lobe holds mostly texts, which cost the collector nothing
// to look at, so it can collect often. Beyond what it needs it holds so much
// garbage, or a fifth.
const (
	spareBytes   = 24 << 20
	leastPercent = 20
	mostPercent  = 100
)

// returnedFrom is how much memory must lie idle before it is given back to the
// system at once: reading a large lobe for the first time leaves a lot.
const returnedFrom = 48 << 20

// thrift bounds the garbage of a process that stays.
type thrift struct {
	percent   atomic.Int64
	returning atomic.Bool
}

// begin adjusts the collector after each collection, as long as the process
// lives.
func (t *thrift) begin() {
	t.adjust()
	type collected struct{ _ [16]byte }
	runtime.SetFinalizer(&collected{}, func(*collected) { t.begin() })
}

func (t *thrift) adjust() {
	live, idle := held()
	if percent := percentOf(live); percent != t.percent.Swap(percent) {
		debug.SetGCPercent(int(percent))
	}
	if idle > max(returnedFrom, live/4) && t.returning.CompareAndSwap(false, true) {
		go func() {
			defer t.returning.Store(false)
			debug.FreeOSMemory()
		}()
	}
}

// percentOf is by how much the heap may grow before it is collected again.
func percentOf(live uint64) int64 {
	if live == 0 {
		return mostPercent
	}
	return min(mostPercent, max(leastPercent, int64(100*spareBytes/live)))
}

// held is what lives, and what is kept of the system's memory without use.
func held() (live, idle uint64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	for i, into := range []*uint64{&live, &idle} {
		if samples[i].Value.Kind() == metrics.KindUint64 {
			*into = samples[i].Value.Uint64()
		}
	}
	return live, idle
}
