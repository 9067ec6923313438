package index

import "golang.org/x/sys/cpu"

// block is of how many bytes rows must be made up for the fast way.
const block = 16

// dots writes for each of count rows of n bytes its product with a query. n is
// a multiple of [block].
//
//go:noescape
func dots(query, rows *int8, n int, out *int32, count int)

// products is the product of a query with each of the rows that lie one behind
// the other.
func products(query, rows []int8, out []int32) {
	n := len(query)
	if n == 0 || n%block != 0 || len(out) == 0 || !cpu.X86.HasAVX2 {
		plainProducts(query, rows, out)
		return
	}
	rows = rows[:n*len(out)]
	dots(&query[0], &rows[0], n, &out[0], len(out))
}
