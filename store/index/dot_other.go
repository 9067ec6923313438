//go:build !amd64

package index

// products is the product of a query with each of the rows that lie one behind
// the other.
func products(query, rows []int8, out []int32) { plainProducts(query, rows, out) }
