package index

import (
	"cmp"
	"container/heap"
	"crypto/sha256"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
)

// A TextKey names a text by what it says: SHA-256, cut to 16 bytes. Texts that
// are equal share a vector.
type TextKey [16]byte

// TextKeyOf names a text.
func TextKeyOf(text string) TextKey {
	sum := sha256.Sum256([]byte(text))
	return TextKey(sum[:16])
}

// Vectors holds vectors of texts, each number in a byte, and finds the ones
// nearest to a query by looking at all. It is safe for concurrent use.
type Vectors struct {
	mu         sync.RWMutex
	dimensions int // 0 before the first vector of a set that takes any
	rows       map[TextKey]int
	keys       []TextKey
	data       []int8 // a row of dimensions numbers for each key
	unit       []float32
}

// NewVectors returns an empty set of vectors of so many dimensions; 0 takes the
// number of the first one that comes.
func NewVectors(dimensions int) *Vectors {
	return &Vectors{dimensions: dimensions, rows: make(map[TextKey]int)}
}

// Len is the number of vectors.
func (v *Vectors) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.keys)
}

// Has tells whether the text has a vector.
func (v *Vectors) Has(key TextKey) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, ok := v.rows[key]
	return ok
}

// Put gives a text its vector; what a text has already stays. A vector without
// a direction, or of another number of dimensions, is an error.
func (v *Vectors) Put(key TextKey, vector []float32) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dimensions == 0 {
		v.dimensions = len(vector)
	}
	row, unit, err := v.pack(vector)
	if err == nil {
		v.put(key, row, unit)
	}
	return err
}

// put adds a packed vector. The caller holds the lock.
func (v *Vectors) put(key TextKey, row []int8, unit float32) {
	if _, ok := v.rows[key]; ok {
		return
	}
	v.rows[key] = len(v.keys)
	v.keys = append(v.keys, key)
	v.data = append(v.data, row...)
	v.unit = append(v.unit, unit)
}

// pack turns a vector into bytes: its largest number becomes 127. unit times
// the bytes is a vector of length 1. The caller holds the lock.
func (v *Vectors) pack(vector []float32) ([]int8, float32, error) {
	if len(vector) != v.dimensions {
		return nil, 0, fmt.Errorf("a vector has %d dimensions, not %d", len(vector), v.dimensions)
	}
	var most float64
	for _, x := range vector {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, 0, fmt.Errorf("a vector holds %v", x)
		}
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 {
		return nil, 0, fmt.Errorf("a vector has no direction")
	}
	row := make([]int8, len(vector))
	for i, x := range vector {
		row[i] = int8(math.RoundToEven(float64(x) / most * 127))
	}
	return row, unitOf(row), nil
}

// unitOf is 1 by the length of a packed vector.
func unitOf(row []int8) float32 {
	var square int64
	for _, x := range row {
		square += int64(x) * int64(x)
	}
	return float32(1 / math.Sqrt(float64(square)))
}

// A Near is a text near to a query.
type Near struct {
	Key    TextKey
	Cosine float64 // of the angle between the two, from -1 to 1
}

// A Nearness is what is near to a query, and how near all texts are.
type Nearness struct {
	Near []Near // the nearest first
	// Texts is how many were compared, Mean and Deviation are of all their
	// cosines.
	Texts           int
	Mean, Deviation float64
}

// shared is how many vectors are worth a goroutine of their own.
const sharedVectors = 8192

// Nearest gives the texts nearest to a query. keep says which texts may be
// given; nil keeps all. It looks at every vector, so that nothing near is
// missed.
func (v *Vectors) Nearest(query []float32, limit int, keep func(TextKey) bool) (Nearness, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if len(v.keys) == 0 && v.dimensions == 0 {
		return Nearness{}, nil
	}
	row, unit, err := v.pack(query)
	if err != nil || limit <= 0 || len(v.keys) == 0 {
		return Nearness{}, err
	}
	cosines, sum, squares := make([]float32, len(v.keys)), 0.0, 0.0
	for i, dot := range v.scores(row) {
		cosines[i] = float32(dot) * unit * v.unit[i]
		sum += float64(cosines[i])
		squares += float64(cosines[i]) * float64(cosines[i])
	}
	n := Nearness{Near: v.kept(cosines, limit, keep), Texts: len(v.keys), Mean: sum / float64(len(v.keys))}
	n.Deviation = math.Sqrt(max(0, squares/float64(len(v.keys))-n.Mean*n.Mean))
	return n, nil
}

// moreEachTime is by how much more are looked at when too few were kept.
const moreEachTime = 8

// kept are the nearest that may be given. keep is asked about the nearest only:
// it may cost far more than a product.
func (v *Vectors) kept(cosines []float32, limit int, keep func(TextKey) bool) []Near {
	for most := limit; ; most *= moreEachTime {
		best := &nearest{limit: most}
		for i, score := range cosines {
			if !best.full() || score > best.near[0].score {
				best.add(nearRow{score, i})
			}
		}
		found := v.told(best.near)
		if keep != nil {
			found = slices.DeleteFunc(found, func(n Near) bool { return !keep(n.Key) })
		}
		if len(found) >= limit || most >= len(cosines) {
			return found[:min(len(found), limit)]
		}
	}
}

// scores are the products of a packed query with all rows.
func (v *Vectors) scores(query []int8) []int32 {
	scores := make([]int32, len(v.keys))
	parts := min(runtime.GOMAXPROCS(0), 1+len(v.keys)/sharedVectors)
	size := (len(v.keys) + parts - 1) / parts
	var all sync.WaitGroup
	for from := 0; from < len(v.keys); from += size {
		to := min(from+size, len(v.keys))
		all.Go(func() { products(query, v.data[from*v.dimensions:to*v.dimensions], scores[from:to]) })
	}
	all.Wait()
	return scores
}

// Cosine is that of the angle between two texts, 0 when one has no vector.
func (v *Vectors) Cosine(a, b TextKey) float64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	i, knownA := v.rows[a]
	j, knownB := v.rows[b]
	if !knownA || !knownB {
		return 0
	}
	row := func(i int) []int8 { return v.data[i*v.dimensions : (i+1)*v.dimensions] }
	return float64(float32(dot(row(i), row(j))) * v.unit[i] * v.unit[j])
}

func (v *Vectors) told(found []nearRow) []Near {
	near := make([]Near, 0, len(found))
	for _, f := range found {
		near = append(near, Near{v.keys[f.row], float64(f.score)})
	}
	// The order depends on the texts alone, not on when they came.
	slices.SortFunc(near, func(a, b Near) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), slices.Compare(a.Key[:], b.Key[:]))
	})
	return near
}

type nearRow struct {
	score float32
	row   int
}

// nearest keeps the best of what it is given, the least of them first.
type nearest struct {
	limit int
	near  []nearRow
}

func (h *nearest) full() bool { return len(h.near) == h.limit }

func (h *nearest) add(s nearRow) {
	if h.full() {
		h.near[0] = s
		heap.Fix(h, 0)
		return
	}
	heap.Push(h, s)
}

// Len, Less, Swap, Push and Pop make a heap of it.
func (h *nearest) Len() int           { return len(h.near) }
func (h *nearest) Less(i, j int) bool { return h.near[i].score < h.near[j].score }
func (h *nearest) Swap(i, j int)      { h.near[i], h.near[j] = h.near[j], h.near[i] }
func (h *nearest) Push(x any)         { h.near = append(h.near, x.(nearRow)) }
func (h *nearest) Pop() any {
	last := h.near[len(h.near)-1]
	h.near = h.near[:len(h.near)-1]
	return last
}
