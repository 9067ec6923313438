//go:build unix

package store_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// pastBegins is when the oldest entry of a benchmark was recorded. Every second
// for as many seconds as there are entries, one more was; what was changed or
// deleted was so behind all of them.
var pastBegins = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// growPast fills a folder with n entries and their history: of one in ten there
// are more states, and two in a hundred are deleted.
func growPast(b *testing.B, dir string, n int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 256 {
		if err := os.MkdirAll(filepath.Join(dir, ".history", fmt.Sprintf("%02x", i)), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	writeFile(b, filepath.Join(dir, ".lobe"), "memory-mcp lobe\nformat: 1\n")
	for i := range 20 {
		if err := os.MkdirAll(filepath.Join(dir, "modules", fmt.Sprintf("m%d", i)), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	for i := range n {
		id := fmt.Sprintf("mod-%08x", i)
		states := 1
		if i%10 == 3 {
			states += 1 + random.IntN(3)
		}
		growOne(b, dir, i, n, id, states, i%50 == 7)
	}
}

func growOne(b *testing.B, dir string, i, n int, id string, states int, gone bool) {
	path := fmt.Sprintf("modules/m%d/%s.md", i%20, id)
	r := entry.Revision{ID: id, Actor: "bench 1", Session: "s", Role: "assistant", Op: entry.OpCreate, Path: path}
	add := func(at time.Time) {
		r.Recorded = at
		name, err := r.Name()
		if err != nil {
			b.Fatal(err)
		}
		text, err := r.Format()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, ".history", entry.HistoryDir(id), name), text, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
		r.Parents, r.Op = []string{r.Key()}, entry.OpReplace
	}
	later := pastBegins.Add(time.Duration(n) * time.Second)
	for state := range states {
		e := entry.Entry{ID: id, Topic: fmt.Sprintf("modules/m%d", i%20), Title: "Note " + id, Body: fmt.Sprintf("State %d. ", state) + strings.Repeat("Words of a note that says something. ", 12)}
		r.Head = e.Format()
		at := pastBegins.Add(time.Duration(i) * time.Second)
		if state > 0 {
			at = later.Add(time.Duration(state*n+i) * time.Second)
		}
		add(at)
	}
	if gone {
		head := r.Head
		r.Op, r.Head = entry.OpRetract, nil
		add(later.Add(time.Duration(5*n+i) * time.Second))
		r.Head = head
		return
	}
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(path)), r.Head, 0o600); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPast is what questions about time cost in a folder of 100,000
// entries (or of STORE_BENCH_ENTRIES).
func BenchmarkPast(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("STORE_BENCH_ENTRIES"))
	if err != nil {
		n = 100_000
	}
	dir := os.Getenv("STORE_BENCH_DIR")
	if dir == "" {
		dir = lobe(b)
	}
	if _, err := os.Stat(dir); err != nil {
		growPast(b, dir, n)
		rest(b)
	}
	later := pastBegins.Add(time.Duration(n) * time.Second)
	times := map[string]time.Time{
		"deleted since":  later.Add(time.Duration(5*n) * time.Second),      // 2 % differ
		"changed since":  later,                                            // 12 %
		"half of it new": pastBegins.Add(time.Duration(n/2) * time.Second), // 50 % and more
	}
	benchFirst(b, dir, times)
	s := open(b, dir, store.Options{Watch: true})
	look(b, s)
	b.Run("look/before", func(b *testing.B) {
		timed(b, func() { look(b, s) })
	})
	past(b, s).Since(later)
	b.Run("look/after", func(b *testing.B) {
		timed(b, func() { look(b, s) })
	})
	b.Run("warm/list", func(b *testing.B) {
		timed(b, func() { past(b, s) })
	})
	for name, at := range times {
		b.Run("warm/at/"+name, func(b *testing.B) {
			timed(b, func() { viewAt(b, past(b, s), at) })
		})
	}
	b.Run("warm/newest 100", func(b *testing.B) {
		timed(b, func() { takeNewest(b, past(b, s)) })
	})
	b.Run("warm/around", func(b *testing.B) {
		timed(b, func() { past(b, s).Around(later) })
	})
}

// processor is the time that this process has computed, which other processes
// that are busy do not change.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// timed reports the computed time of what a benchmark repeats.
func timed(b *testing.B, ask func()) {
	var sum time.Duration
	n := 0
	for b.Loop() {
		start := processor(b)
		ask()
		sum += processor(b) - start
		n++
	}
	b.ReportMetric(float64(sum.Microseconds())/1000/float64(n), "cpu-ms/op")
}

func viewAt(b *testing.B, p *store.Past, at time.Time) {
	b.Helper()
	if v, err := p.At(bg, at); err != nil || v.Len() == 0 {
		b.Fatalf("view %v, %v", v.Len(), err)
	}
}

func takeNewest(b *testing.B, p *store.Past) {
	b.Helper()
	n := 0
	for range p.Newest(time.Time{}, time.Time{}) {
		if n++; n == 100 {
			return
		}
	}
	b.Fatalf("only %d moments", n)
}

// benchFirst is what the first question of a process costs on top of the look
// that it makes anyway.
func benchFirst(b *testing.B, dir string, times map[string]time.Time) {
	first := func(name string, begin func(*store.Store), ask func(*store.Store)) {
		b.Run("first/"+name, func(b *testing.B) {
			var sum time.Duration
			for range b.N {
				b.StopTimer()
				s := open(b, dir, store.Options{Watch: true})
				begin(s)
				start := processor(b)
				b.StartTimer()
				ask(s)
				sum += processor(b) - start
			}
			b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
	nothing := func(s *store.Store) { look(b, s) }
	load := func(s *store.Store) {
		if _, err := s.LoadSnapshot("bench"); err != nil {
			b.Fatal(err)
		}
	}
	snapshot := func(s *store.Store) {
		load(s)
		look(b, s)
	}
	first("look, no snapshot", func(*store.Store) {}, func(s *store.Store) { look(b, s) }) // what the rest compares with
	first("list, no snapshot", nothing, func(s *store.Store) { past(b, s) })
	first("at changed since, no snapshot", nothing, func(s *store.Store) { viewAt(b, past(b, s), times["changed since"]) })
	s := open(b, dir, store.Options{Watch: true})
	v := look(b, s)
	past(b, s).Since(times["changed since"])
	if ok, err := s.SaveSnapshot(bg, "bench", v, true, func(io.Writer, ...string) ([]string, error) { return nil, nil }); err != nil || !ok {
		b.Logf("no new snapshot: %v", err)
	}
	first("look", load, func(s *store.Store) { look(b, s) })
	first("list", snapshot, func(s *store.Store) { past(b, s) })
	for name, at := range times {
		first("at "+name, snapshot, func(s *store.Store) { viewAt(b, past(b, s), at) })
	}
	first("newest 100", snapshot, func(s *store.Store) { takeNewest(b, past(b, s)) })
}
