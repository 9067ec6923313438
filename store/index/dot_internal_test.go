package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The fast way and the plain one give the same, for each length and number of
// rows, and write nothing beside.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	bytes := func(n int) []int8 {
		b := make([]int8, n)
		for i := range b {
			b[i] = int8(r.IntN(256) - 128)
		}
		return b
	}
	for n := range 131 {
		for _, count := range []int{0, 1, 2, 7} {
			query, rows := bytes(n), bytes(n*count)
			if n%3 == 0 { // the largest products there are
				for i := range rows {
					rows[i] = -128
				}
				for i := range query {
					query[i] = -128
				}
			}
			have, want := make([]int32, count+1), make([]int32, count+1)
			have[count], want[count] = 7, 7
			products(query, rows, have[:count])
			for i := range count {
				for j := range n {
					want[i] += int32(query[j]) * int32(rows[i*n+j])
				}
			}
			if !slices.Equal(have, want) {
				t.Fatalf("%d rows of %d: %v, want %v", count, n, have, want)
			}
		}
	}
}

func BenchmarkProducts(b *testing.B) {
	const n, count = 256, 10000
	query, rows, out := make([]int8, n), make([]int8, n*count), make([]int32, count)
	for i := range rows {
		rows[i] = int8(i)
	}
	for i := range query {
		query[i] = int8(i * 7)
	}
	b.Run("fast", func(b *testing.B) {
		for b.Loop() {
			products(query, rows, out)
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plainProducts(query, rows, out)
		}
	})
}
