package lobes_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// TestASnapshotNeverHidesAChange has the next process start from what this one
// has read, after files were changed, removed and added in between.
func TestASnapshotNeverHidesAChange(t *testing.T) {
	w := newWorld(t, func(w *world) { w.options.Now = time.Now }, "app")
	dir := filepath.Join(w.specs[0].Dir, "general")
	file := func(i int) string { return filepath.Join(dir, fmt.Sprintf("mem-%08x.md", i)) }
	text := func(i int, word string) string {
		return fmt.Sprintf("---\nid: mem-%08x\ntopic: general\n---\n# Note %d\n\nThe %s number %d.\n", i, i, word, i)
	}
	w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Text: "The winch jams in frost."})
	for i := range 250 {
		write(t, file(i), text(i, "widget"))
	}
	same(t, "before", w.recall(lobes.Target{}, lobes.Query{Filter: "widget"}).Total, 250)
	if err := w.set.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	if found, err := filepath.Glob(filepath.Join(w.specs[0].Dir, ".state", "index.*.*")); err != nil || len(found) != 1 {
		t.Fatalf("no snapshot: %q, %v", found, err)
	}
	write(t, file(7), text(7, "gadget"))
	write(t, file(900), text(900, "widget"))
	if err := os.Remove(file(8)); err != nil {
		t.Fatal(err)
	}
	// The other process: what this one would write at its end is not there.
	w.options.ReadOnly = true
	next := lobes.NewSet(w.specs, w.options)
	a, err := next.Recall(context.Background(), lobes.Target{}, lobes.Query{Filter: "widget"})
	if err != nil || a.Total != 249 {
		t.Errorf("%d of 249, %v", a.Total, err)
	}
	a, err = next.Recall(context.Background(), lobes.Target{}, lobes.Query{Filter: "gadget"})
	if err != nil || a.Total != 1 {
		t.Errorf("the changed one: %d, %v", a.Total, err)
	}
	if err := next.Close(context.Background()); err != nil {
		t.Error(err)
	}
	// An orderly exit would write 250 files into the history: that is not the matter here.
	w.set = nil
}

// TestASnapshotAnswersAsTheFilesDo compares a process that took over what
// another one knew with one that read every file, after changes of any kind.
func TestASnapshotAnswersAsTheFilesDo(t *testing.T) {
	for seed := range uint64(3) {
		w := newWorld(t, func(w *world) { w.options.Now = time.Now }, "app")
		r := rand.New(rand.NewPCG(seed, 1))
		dir := w.specs[0].Dir
		words := strings.Fields("winch cable frost queue retry cache token index parser build flush lease 缓存 失效 上传 队列")
		word := func() string { return words[r.IntN(len(words))] }
		note := func(i int) {
			topic := []string{"general", "gotchas", "conventions"}[i%3]
			write(t, filepath.Join(dir, topic, fmt.Sprintf("mem-%08x.md", i)), fmt.Sprintf(
				"---\nid: mem-%08x\ntopic: %s\ncreated: 2026-11-%02dT00:00:00Z\ntags: [%s]\nsources: [a/%s.go:%d]\n---\n# %s %s\n\n%s %s %s %s.\n",
				i, topic, 1+r.IntN(28), word(), word(), i, word(), word(), word(), word(), word(), word()))
		}
		w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Text: "The winch jams in frost."})
		for i := range 240 {
			note(i)
		}
		w.recall(lobes.Target{}, lobes.Query{})
		if err := w.set.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			switch i := r.IntN(300); r.IntN(3) {
			case 0:
				gone, err := filepath.Glob(filepath.Join(dir, "*", fmt.Sprintf("mem-%08x.md", i)))
				if err != nil {
					t.Fatal(err)
				}
				for _, file := range gone {
					if err := os.Remove(file); err != nil {
						t.Fatal(err)
					}
				}
			default:
				note(i)
			}
		}
		w.options.ReadOnly = true
		var told strings.Builder
		w.options.Logger = slog.New(slog.NewTextHandler(&told, &slog.HandlerOptions{Level: slog.LevelDebug}))
		taken := answers(t, w, words)
		if strings.Contains(told.String(), "lobe=app") {
			t.Fatalf("no snapshot was taken over: %s", told.String())
		}
		if err := os.RemoveAll(filepath.Join(dir, ".state")); err != nil {
			t.Fatal(err)
		}
		read := answers(t, w, words)
		if !strings.Contains(told.String(), "all files are read\" lobe=app") {
			t.Fatal("a snapshot was left")
		}
		for i := range read {
			if taken[i] != read[i] {
				t.Errorf("seed %d: from the snapshot\n%s\nfrom the files\n%s", seed, taken[i], read[i])
			}
		}
		w.set = nil
	}
}

// answers are what another process says to each word and some pairs.
func answers(t *testing.T, w *world, words []string) []string {
	t.Helper()
	set := lobes.NewSet(w.specs, w.options)
	var all []string
	ask := func(q lobes.Query) {
		q.Limit = lobes.MaxLimit
		a, err := set.Recall(t.Context(), lobes.Target{}, q)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s%s: %d %v\n", q.Text, q.Filter, a.Total, a.Tags)
		for _, r := range a.Results {
			fmt.Fprintf(&b, "%s %.6f %s\n", r.Entry.ID, r.Score, r.Why)
		}
		all = append(all, b.String())
	}
	for i, word := range words {
		ask(lobes.Query{Filter: word})
		ask(lobes.Query{Text: word + " of the " + words[(i+3)%len(words)]})
	}
	if err := set.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return all
}
