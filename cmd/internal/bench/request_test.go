package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"memory-mcp/cmd/internal/bench"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

// folder writes a lobe of so many made-up notes.
func folder(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	notes := bench.New(1)
	created := time.Now().AddDate(0, 0, -20).UTC().Truncate(time.Second)
	for i := range n {
		note := notes.Note()
		e := entry.Entry{
			ID: fmt.Sprintf("mem-%08x", i), Topic: note.Topic, Title: note.Title, Body: note.Text, Tags: note.Tags,
			Sources: note.Sources, Trust: entry.AgentInferred, Created: created.Add(time.Duration(i) * time.Second),
		}
		file := filepath.Join(dir, filepath.FromSlash(note.Topic), e.ID+".md")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, e.Format(), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func loaded(b *testing.B, n int) *lobes.Set {
	b.Helper()
	dir := folder(b, n)
	set := lobes.NewSet([]lobes.Spec{{Name: "app", Root: dir, Dir: dir, Budget: -1}}, lobes.Options{ReadOnly: true, Watch: true})
	b.Cleanup(func() {
		if err := set.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	time.Sleep(3 * time.Second) // a file that was just written is read anew at each look
	if _, err := set.Recall(context.Background(), lobes.Target{}, lobes.Query{Filter: "cache"}); err != nil {
		b.Fatal(err)
	}
	return set
}

func questions() []string {
	g := bench.New(7)
	for range 5000 {
		g.Note() // numbers in questions are then those of notes
	}
	all := make([]string, 200)
	for i := range all {
		all[i] = g.Question()
	}
	return all
}

// spread tells the median and the 95th percentile beside the mean.
func spread(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.95), "p95-ms")
}

func ask(b *testing.B, one func(question string) error) {
	asked := questions()
	for _, q := range asked {
		if err := one(q); err != nil { // what is made at the first question does not count
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	var took []time.Duration
	for i := 0; i < b.N; i++ {
		began := time.Now()
		if err := one(asked[i%len(asked)]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	spread(b, took)
}

// BenchmarkRequest asks a loaded lobe, through the lobes alone and through the
// operations as a client does.
func BenchmarkRequest(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			set := loaded(b, n)
			ctx := context.Background()
			for name, query := range map[string]func(string) lobes.Query{
				"text":   func(q string) lobes.Query { return lobes.Query{Text: q, Always: true} },
				"filter": func(q string) lobes.Query { return lobes.Query{Filter: q} },
			} {
				b.Run("recall-"+name, func(b *testing.B) {
					ask(b, func(q string) error {
						_, err := set.Recall(ctx, lobes.Target{}, query(q))
						return err
					})
				})
			}
			env := &ops.Env{Current: func(context.Context) (ops.Memory, error) { return set, nil }}
			for tool, param := range map[string]string{"memory_context": "context", "memory_query": "filter"} {
				b.Run(tool, func(b *testing.B) {
					ask(b, func(q string) error {
						args, err := json.Marshal(map[string]string{param: q})
						if err != nil {
							return err
						}
						r, fault := ops.Call(ctx, env, tool, args)
						if fault != nil {
							return fmt.Errorf("%+v", fault)
						}
						if len(r.Text()) == 0 {
							return fmt.Errorf("no answer to %q", q)
						}
						return nil
					})
				})
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.Logf("%d entries: %d MiB live", n, m.HeapAlloc>>20)
			runtime.KeepAlive(set)
		})
	}
}
