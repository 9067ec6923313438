package lobes

import "slices"

// best gathers the first few of many in an order that leaves no ties.
type best[T any] struct {
	most    int
	compare func(a, b T) int
	kept    []T
}

// spare is how many more than are asked for are held before they are sorted.
const spare = 64

func (b *best[T]) add(x T) {
	if b.kept = append(b.kept, x); len(b.kept) >= 2*b.most+spare {
		b.cut()
	}
}

func (b *best[T]) cut() {
	slices.SortFunc(b.kept, b.compare)
	b.kept = b.kept[:min(b.most, len(b.kept))]
}

// sorted are the first ones, in order.
func (b *best[T]) sorted() []T {
	b.cut()
	return b.kept
}
