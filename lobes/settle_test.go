package lobes_test

import (
	"context"
	"os"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// TestWhatIsDeletedByHandStaysAway: a program that reads the same source again
// does not bring back what a person took away in the editor, be it one file or
// many at once.
func TestWhatIsDeletedByHandStaysAway(t *testing.T) {
	w := newWorld(t, func(w *world) { w.options.Settle = time.Second }, "app")
	notes := []lobes.Note{
		{Topic: "gotchas", Title: "Port", Text: "The proxy listens on port 8443.", StoreAnyway: true},
		{Topic: "gotchas", Title: "Clock", Text: "Build agents run in UTC.", StoreAnyway: true},
		{Topic: "gotchas", Title: "Queue", Text: "Uploads go through the queue.", StoreAnyway: true},
		{Topic: "gotchas", Title: "Locks", Text: "Migrations take a lock on the table of users.", StoreAnyway: true},
		{Topic: "gotchas", Title: "Fonts", Text: "Invoices need an embedded typeface.", StoreAnyway: true},
		{Topic: "gotchas", Title: "Mail", Text: "Letters to customers leave at noon.", StoreAnyway: true},
	}
	app := w.in("app")
	stored := w.remember(app, notes...).Stored
	sweep := func() int {
		t.Helper()
		got, err := w.set.Remember(context.Background(), lobes.By{Actor: "sweep", Role: "assistant", Source: "sweep"}, app, notes)
		if err != nil {
			t.Fatal(err)
		}
		return len(got.Stored)
	}
	if err := os.Remove(stored[0].Path); err != nil {
		t.Fatal(err)
	}
	_, err := w.set.Recall(context.Background(), app, lobes.Query{IDs: []string{stored[0].ID}})
	if unknown := wants[*lobes.UnknownIDError](t, "just deleted", err); unknown.Gone.IsZero() {
		t.Errorf("just deleted: %v", unknown)
	}
	for range 2 { // it is seen to be gone, and rests
		w.clock.pass(time.Hour)
		if err := w.set.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "stored again after a deletion", sweep(), 0)
	for _, s := range stored[1:] {
		if err := os.Remove(s.Path); err != nil {
			t.Fatal(err)
		}
	}
	w.recall(app, lobes.Query{})
	if _, err := w.set.ForgetVanished(context.Background(), person, app); err != nil {
		t.Fatal(err)
	}
	same(t, "stored again after many", sweep(), 0)
}
