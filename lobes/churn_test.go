package lobes_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"memory-mcp/lobes"
)

// TestAnswersStayRightWhileAnotherProcessWrites asks while entries come and
// change: what stands for long is in every answer, and what was written before
// a question is in its answer.
func TestAnswersStayRightWhileAnotherProcessWrites(t *testing.T) {
	w := newWorld(t, nil, "app")
	lasting := w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Title: "Winch", Text: "The winch jams in frost."}).ID
	other := lobes.NewSet(w.specs, w.options)
	stop, written := make(chan struct{}), make(chan int, 1000)
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(written)
		for i := range 120 {
			select {
			case <-stop:
				return
			default:
			}
			write(t, filepath.Join(w.specs[0].Dir, "general", fmt.Sprintf("mem-%08x.md", i)),
				fmt.Sprintf("---\nid: mem-%08x\ntopic: general\n---\n# Note %d\n\nThe winch has number%d.\n", i, i, i))
			written <- i
		}
	})
	for i := range written {
		a, err := other.Recall(t.Context(), lobes.Target{}, lobes.Query{Filter: fmt.Sprintf("number%d", i)})
		if err != nil || a.Total != 1 || a.Results[0].Entry.ID != fmt.Sprintf("mem-%08x", i) {
			t.Errorf("note %d: %d found, %v", i, a.Total, err)
			break
		}
		a, err = other.Recall(t.Context(), lobes.Target{}, lobes.Query{Text: "winch frost"})
		if err != nil || len(a.Results) == 0 || a.Results[0].Entry.ID != lasting {
			t.Errorf("after note %d the lasting one is not first: %v", i, err)
			break
		}
	}
	close(stop)
	for range written {
	}
	wait.Wait()
}
