package lobes_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"memory-mcp/lobes"
)

// refusing is an embedder that answers nothing, and counts.
type refusing struct {
	*senses
	calls int
}

func (r *refusing) Embed(context.Context, []string) ([][]float32, error) {
	r.calls++
	return nil, errors.New("the model's server answered 500")
}

// A server that always fails was asked every two seconds: the calls of the day
// were used up within half an hour.
func TestAModelThatFailsIsAskedLessAndLess(t *testing.T) {
	r := &refusing{senses: newSenses()}
	w := newWorld(t, func(w *world) { w.options.Embedder = r }, "app")
	w.keeps("general", "The kitten likes the couch in the corner.")
	synctest.Test(t, func(t *testing.T) {
		set := lobes.NewSet(w.specs, w.options)
		if _, err := set.Recall(t.Context(), w.app(), lobes.Query{Text: "kitten"}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 24*time.Hour)
		defer stop()
		if err := set.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if err := set.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if r.calls < 24 || r.calls > 300 {
			t.Errorf("%d calls in a day", r.calls)
		}
	})
}
