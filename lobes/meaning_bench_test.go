package lobes_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// scatter is an embedder whose vectors point anywhere, the same for one text.
type scatter struct{ starting bool }

func (s *scatter) Fingerprint() string { return "scatter" }
func (s *scatter) Dimensions() int     { return 256 }

func (s *scatter) Query(_ context.Context, text string) ([]float32, error) {
	if s.starting {
		return nil, errors.New("the model is being loaded")
	}
	h := fnv.New64a()
	if _, err := h.Write([]byte(text)); err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, s.Dimensions())
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v, nil
}

func (s *scatter) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var all [][]float32
	for _, text := range texts {
		v, err := s.Query(ctx, text)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// BenchmarkMeaning asks, in turn, a lobe without a model, one whose model is
// being loaded, and one that has all vectors, and tells what the vectors cost
// in memory.
func BenchmarkMeaning(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		dir := b.TempDir()
		notes(b, dir, n)
		if err := os.WriteFile(filepath.Join(dir, ".lobe"), []byte("memory-mcp lobe\nformat: 1\n"), 0o600); err != nil {
			b.Fatal(err)
		}
		time.Sleep(3 * time.Second) // a file that was just written is read anew at each look
		model := &scatter{}
		sets := map[string]*lobes.Set{}
		for name, e := range map[string]lobes.Embedder{"words": nil, "starting": &scatter{starting: true}, "both": model} {
			sets[name] = lobes.NewSet([]lobes.Spec{{Name: "app", Root: dir, Dir: dir, Budget: -1}}, lobes.Options{ReadOnly: e != model, Watch: true, Embedder: e})
			asks(b, sets[name])
		}
		before := held()
		if err := sets["both"].Embed(context.Background()); err != nil {
			b.Fatal(err)
		}
		if by := asks(b, sets["both"]); by != lobes.RankedByBoth {
			b.Fatalf("ranked by %s", by)
		}
		perVector := float64(held()-before) / float64(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			took := map[string][]time.Duration{}
			for b.Loop() {
				for _, name := range []string{"words", "starting", "both"} {
					start := time.Now()
					asks(b, sets[name])
					took[name] = append(took[name], time.Since(start))
				}
			}
			for name, all := range took {
				slices.Sort(all)
				b.ReportMetric(float64(all[len(all)/2].Microseconds()), name+"-p50-µs")
				b.ReportMetric(float64(all[len(all)*95/100].Microseconds()), name+"-p95-µs")
			}
			b.ReportMetric(perVector, "B/vector")
		})
	}
}

// held is how much memory is in use.
func held() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func asks(b *testing.B, set *lobes.Set) (by string) {
	a, err := set.Recall(context.Background(), lobes.Target{}, lobes.Query{Text: "how does the handler retry after a timeout of the cache"})
	if err != nil {
		b.Fatal(err)
	}
	return a.RankedBy
}
