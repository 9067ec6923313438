package index_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/store/index"
)

func vectorGenerator(dimensions int) *rapid.Generator[[]float32] {
	number := rapid.Float32Range(-1, 1)
	return rapid.Custom(func(t *rapid.T) []float32 {
		v := make([]float32, dimensions)
		for i := range v {
			v[i] = number.Draw(t, "number")
		}
		v[rapid.IntRange(0, dimensions-1).Draw(t, "place")] = 1
		return v
	})
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// What is found is what a look at all vectors, in full numbers, would find, but
// for what a byte cannot tell apart.
func TestNearestIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dimensions := rapid.SampledFrom([]int{1, 3, 8, 13, 64}).Draw(t, "dimensions")
		all := rapid.SliceOfN(vectorGenerator(dimensions), 1, 40).Draw(t, "vectors")
		query := vectorGenerator(dimensions).Draw(t, "query")
		limit := rapid.IntRange(1, 10).Draw(t, "limit")
		v := index.NewVectors(dimensions)
		exact := map[index.TextKey]float64{}
		for i, one := range all {
			key := index.TextKeyOf(fmt.Sprint(i))
			if err := v.Put(key, one); err != nil {
				t.Fatal(err)
			}
			if i%3 != 0 {
				exact[key] = cosine(one, query)
			}
		}
		got, err := v.Nearest(query, limit, func(key index.TextKey) bool { _, ok := exact[key]; return ok })
		if err != nil {
			t.Fatal(err)
		}
		want := slices.SortedFunc(func(yield func(float64) bool) {
			for _, c := range exact {
				if !yield(c) {
					return
				}
			}
		}, func(a, b float64) int { return cmp.Compare(b, a) })
		want = want[:min(limit, len(want))]
		if len(got.Near) != len(want) {
			t.Fatalf("%d found, want %d", len(got.Near), len(want))
		}
		const byteError = .03
		for i, n := range got.Near {
			if math.Abs(n.Cosine-exact[n.Key]) > byteError || math.Abs(n.Cosine-want[i]) > byteError {
				t.Errorf("number %d has the cosine %v: exact %v, best %v", i, n.Cosine, exact[n.Key], want[i])
			}
		}
	})
}

// Many vectors are looked at in parts: none is missed at their borders.
func TestNearestOfMany(t *testing.T) {
	const many, dimensions = 20000, 32
	one := func(i int) []float32 {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		v := make([]float32, dimensions)
		for j := range v {
			v[j] = float32(r.NormFloat64())
		}
		return v
	}
	v := index.NewVectors(dimensions)
	for i := range many {
		if err := v.Put(index.TextKeyOf(fmt.Sprint(i)), one(i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range []int{0, 6666, 6667, 8191, 8192, 9999, 10000, 13333, 13334, many - 1} {
		got, err := v.Nearest(one(i), 1, nil)
		if err != nil || len(got.Near) != 1 || got.Near[0].Key != index.TextKeyOf(fmt.Sprint(i)) {
			t.Errorf("vector %d: %v, %v", i, got.Near, err)
		}
		// Directions at random are right-angled to each other, by and large.
		if got.Texts != many || math.Abs(got.Mean) > .01 || math.Abs(got.Deviation-1/math.Sqrt(dimensions)) > .01 {
			t.Errorf("of %d texts the mean is %v, the deviation %v", got.Texts, got.Mean, got.Deviation)
		}
	}
}

func TestVectorsThatAreNone(t *testing.T) {
	v := index.NewVectors(2)
	for _, bad := range [][]float32{nil, {1}, {1, 2, 3}, {0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}} {
		if err := v.Put(index.TextKey{}, bad); err == nil {
			t.Errorf("%v is taken for a vector", bad)
		}
		if _, err := v.Nearest(bad, 1, nil); err == nil {
			t.Errorf("%v is taken for a query", bad)
		}
	}
	if v.Len() != 0 {
		t.Error("something was kept")
	}
	if got, err := v.Nearest([]float32{1, 0}, 5, nil); err != nil || len(got.Near) != 0 {
		t.Errorf("nothing gives %v, %v", got, err)
	}
}

func TestVectorsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(vectorGenerator(5), 0, 8).Draw(t, "vectors")
		v := index.NewVectors(5)
		file := v.Head("model")
		for i, one := range all {
			key := index.TextKeyOf(fmt.Sprint(i))
			if err := v.Put(key, one); err != nil {
				t.Fatal(err)
			}
			file = append(file, v.Record(key)...)
		}
		whole := len(file)
		file = append(file, rapid.SliceOfN(rapid.Byte(), 0, 24).Draw(t, "half a record")...)
		again := index.NewVectors(5)
		n, err := again.Read(file, "model")
		if err != nil || n != whole || again.Len() != len(all) {
			t.Fatalf("read %d of %d bytes, %d of %d vectors: %v", n, whole, again.Len(), len(all), err)
		}
		query := vectorGenerator(5).Draw(t, "query")
		want, errWant := v.Nearest(query, 5, nil)
		got, errGot := again.Nearest(query, 5, nil)
		if errWant != nil || errGot != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("found %v, want %v", got, want)
		}
		// One bit is wrong: nothing behind it is believed, all before it is.
		if len(all) > 0 {
			size := len(v.Record(index.TextKeyOf("0")))
			at := rapid.IntRange(len(v.Head("")), whole-1).Draw(t, "place")
			file[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			damaged := index.NewVectors(5)
			if _, err := damaged.Read(file, "model"); err != nil {
				t.Fatal(err)
			}
			if want := (at - len(v.Head(""))) / size; damaged.Len() != want {
				t.Errorf("a damaged file gives %d vectors, want %d", damaged.Len(), want)
			}
		}
	})
}

func TestVectorsOfAnotherModel(t *testing.T) {
	v := index.NewVectors(2)
	for name, file := range map[string][]byte{
		"another model": v.Head("other"), "another size": index.NewVectors(3).Head("model"), "empty": nil, "cut": v.Head("model")[:20],
	} {
		if _, err := index.NewVectors(2).Read(file, "model"); !errors.Is(err, index.ErrVectors) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A set that takes any number of dimensions has that of the first vector, also
// of one in a file.
func TestVectorsOfAnySize(t *testing.T) {
	v := index.NewVectors(0)
	if got, err := v.Nearest([]float32{1}, 3, nil); err != nil || len(got.Near) != 0 {
		t.Errorf("nothing gives %v, %v", got, err)
	}
	key := index.TextKeyOf("a")
	if err := v.Put(key, []float32{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if err := v.Put(index.TextKeyOf("b"), []float32{1, 2}); err == nil {
		t.Error("vectors of two sizes are taken")
	}
	again := index.NewVectors(0)
	if n, err := again.Read(append(v.Head("m"), v.Record(key)...), "m"); err != nil || n == 0 || !again.Has(key) {
		t.Errorf("read %d bytes, %v", n, err)
	}
	if err := again.Put(index.TextKeyOf("b"), []float32{1, 2}); err == nil {
		t.Error("vectors of two sizes are taken from a file")
	}
	if _, err := index.NewVectors(0).Read(v.Head("m"), "other"); !errors.Is(err, index.ErrVectors) {
		t.Errorf("another model's file: %v", err)
	}
}

func TestVectorsAreSharedByManyReaders(t *testing.T) {
	v, q := randomVectors(100, 8)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				if err := v.Put(index.TextKeyOf(fmt.Sprint(i, j)), q); err != nil {
					t.Error(err)
				}
				if got, err := v.Nearest(q, 3, nil); err != nil || len(got.Near) != 3 {
					t.Error(got, err)
				}
			}
		})
	}
	all.Wait()
	if v.Len() != 100+8*50 {
		t.Errorf("%d vectors", v.Len())
	}
}

func TestCosine(t *testing.T) {
	v := index.NewVectors(3)
	for name, vector := range map[string][]float32{"a": {1, 0, 0}, "b": {2, 2, 0}, "c": {0, 0, -1}} {
		if err := v.Put(index.TextKeyOf(name), vector); err != nil {
			t.Fatal(err)
		}
	}
	for pair, want := range map[string]float64{"aa": 1, "ab": math.Sqrt(.5), "ba": math.Sqrt(.5), "ac": 0, "cc": 1, "ax": 0, "xa": 0} {
		if got := v.Cosine(index.TextKeyOf(pair[:1]), index.TextKeyOf(pair[1:])); math.Abs(got-want) > 1e-3 {
			t.Errorf("%s: %v, want %v", pair, got, want)
		}
	}
}
