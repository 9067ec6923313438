package index

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/textanalysis"
)

// TestManyPairsAtOnceAreAsOneByOne: however long a question is, its words are
// as close as when each pair is looked for by itself.
func TestManyPairsAtOnceAreAsOneByOne(t *testing.T) {
	x := New(textanalysis.New(textanalysis.Options{}))
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string, most int) string {
			var b strings.Builder
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 12), 1, most).Draw(t, label) {
				fmt.Fprintf(&b, "plum%d ", n)
			}
			return b.String()
		}
		x.Apply([]Doc{{Key: "a", Title: text("title", 5), Body: text("body", 60)}, {Key: "b", Body: "plum1 other"}}, nil)
		s := &search{Query: Query{Limit: 10}, analyzer: x.analyzer, state: x.current.Load(), pool: &x.scratch}
		defer s.free()
		s.prepare()
		p := s.plan(text("question", 40))
		for doc := range s.state.living().each {
			r := s.reader(p, doc)
			title, body := r.part.seg.text(doc-r.part.base, nil)
			r.locate(title, body)
			pairs := p.adjacent()
			one, many := r.near(pairs, nil), r.near(pairs, crowded(pairs))
			if math.Abs(one-many) > 1e-9 {
				t.Fatalf("one by one %v, at once %v", one, many)
			}
		}
	})
}
