package index_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

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
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Nearest(q, 50, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
