package bench_test

import (
	"reflect"
	"testing"

	"memory-mcp/cmd/internal/bench"
)

func TestSameSeedGivesSameNotes(t *testing.T) {
	a, b, other := bench.New(1), bench.New(1), bench.New(2)
	differ := false
	for range 200 {
		x, y := a.Note(), b.Note()
		if !reflect.DeepEqual(x, y) {
			t.Fatalf("one seed gave %+v and %+v", x, y)
		}
		differ = differ || !reflect.DeepEqual(x, other.Note())
		if a.Question() != b.Question() {
			t.Fatal("one seed gave different questions")
		}
	}
	if !differ {
		t.Fatal("another seed gave the same notes")
	}
}

func TestTitlesAreUnique(t *testing.T) {
	g, seen := bench.New(3), map[string]bool{}
	for range 5000 {
		n := g.Note()
		if seen[n.Title] {
			t.Fatalf("the title %q came twice", n.Title)
		}
		seen[n.Title] = true
		if n.Text == "" || n.Topic == "" || len(n.Sources) == 0 {
			t.Fatalf("a note is not whole: %+v", n)
		}
	}
}
