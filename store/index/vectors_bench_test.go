package index_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"memory-mcp/store/index"
)

func randomVectors(n, dimensions int) (*index.Vectors, []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	one := func() []float32 {
		v := make([]float32, dimensions)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	v := index.NewVectors(dimensions)
	for i := range n {
		var key index.TextKey
		binary.BigEndian.PutUint64(key[:], uint64(i))
		if err := v.Put(key, one()); err != nil {
			panic(err)
		}
	}
	return v, one()
}

func BenchmarkNearest(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		v, q := randomVectors(n, 256)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := v.Nearest(q, 50, nil); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[0].Microseconds()), "best-µs")
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		})
	}
}
