package lobes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// finder finds a memory in each line of a piece. Its answer can be replaced.
type finder struct {
	mu     sync.Mutex
	asked  []string
	answer func(piece string) (lobes.Extracted, error)
	cut    int // length of a piece; 0 is the whole
}

func (f *finder) Name() string { return "finder@1" }

func (f *finder) Pieces(text string) []string {
	var pieces []string
	for f.cut > 0 && len(text) > f.cut {
		pieces, text = append(pieces, text[:f.cut]), text[f.cut:]
	}
	return append(pieces, text)
}

func (f *finder) Extract(_ context.Context, piece, _ string) (lobes.Extracted, error) {
	f.mu.Lock()
	f.asked = append(f.asked, piece)
	answer := f.answer
	f.mu.Unlock()
	if answer == nil {
		answer = linesOf
	}
	return answer(piece)
}

func (f *finder) times() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

func linesOf(piece string) (lobes.Extracted, error) {
	var x lobes.Extracted
	for _, line := range strings.Split(strings.TrimSpace(piece), "\n") {
		x.Found = append(x.Found, said(line))
	}
	return x, nil
}

func said(line string) lobes.Candidate {
	return lobes.Candidate{
		Title: strings.TrimSuffix(line, "."), Text: line, Kind: "fact", Scope: "project", Durability: "reusable", Confidence: .9, Quote: line,
	}
}

// working is a world with a repository and a model.
func working(t *testing.T, f *finder) *world {
	t.Helper()
	return newWorld(t, func(w *world) { w.options.Extractor = f }, "app")
}

func (w *world) record(m lobes.Material) lobes.Recorded {
	w.Helper()
	r, err := w.set.Record(context.Background(), agent, w.app(), m)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func (w *world) work(how lobes.Working) lobes.Worked {
	w.Helper()
	done, err := w.set.Work(context.Background(), w.app(), how)
	if err != nil {
		w.Fatal(err)
	}
	return done
}

func (w *world) inbox() string { return filepath.Join(w.root("app"), ".git", "memory", ".inbox") }

// records are those of the repository's lobe.
func (w *world) records(kinds ...string) []entry.Record {
	w.Helper()
	s, err := store.Open(filepath.Join(w.root("app"), ".git", "memory"), store.Options{Now: w.clock.Now})
	if err != nil {
		w.Fatal(err)
	}
	all, err := s.Records(context.Background(), store.RecordFilter{Kinds: kinds})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

const port = "The listening port of the gateway is 8081."

func TestMaterialBecomesMemories(t *testing.T) {
	f := &finder{}
	w := working(t, f)
	r := w.record(lobes.Material{Text: port, Source: "notes.md"})
	if r.State != lobes.MaterialQueued || r.Lobe != "app" || r.Waiting != 1 || r.Waits != "" {
		t.Fatalf("recorded %+v", r)
	}
	done := w.work(lobes.Working{})
	if len(done.Items) != 1 || len(done.Items[0].Stored) != 1 || done.Left != 0 {
		t.Fatalf("worked %+v", done)
	}
	e := w.get(w.app(), done.Items[0].Stored[0].ID).Entry
	if e.Body != port || e.Quote != port || e.Trust != entry.AgentInferred || e.Status != "" || e.Certainty() != .9 || !reflect.DeepEqual(e.Sources, []string{"notes.md"}) {
		t.Errorf("stored %+v", e)
	}
	if again := w.record(lobes.Material{Text: port}); again.State != lobes.MaterialSettled {
		t.Errorf("the same material again is %q", again.State)
	}
	all := w.records()
	if len(all) != 1 || all[0].Kind != entry.RecordReceived || all[0].Actor != agent.Actor || all[0].Fields["stored"] != "1" || !reflect.DeepEqual(all[0].Entries, []string{e.ID}) {
		t.Errorf("written down: %+v", all)
	}
}

// Three tries are made, ever further apart, then the item is kept aside.
func TestAttempts(t *testing.T) {
	// A server that hangs is an error like any other: the caller still has time.
	fail := fmt.Errorf("nonsense: %w", context.DeadlineExceeded)
	f := &finder{answer: func(string) (lobes.Extracted, error) { return lobes.Extracted{}, fail }}
	w := working(t, f)
	w.record(lobes.Material{Text: port})
	for i, pause := range []time.Duration{0, time.Minute, time.Hour} {
		w.clock.pass(pause - time.Second)
		if pause > 0 {
			w.work(lobes.Working{})
			if f.times() != i {
				t.Fatalf("asked %d times before %v have passed", f.times(), pause)
			}
		}
		w.clock.pass(time.Second)
		w.open() // another process
		done := w.work(lobes.Working{})
		if f.times() != i+1 || (i < 2) != (done.Left == 1) || (i == 2) != (done.Failed == 1) {
			t.Fatalf("try %d: asked %d times, %+v", i+1, f.times(), done)
		}
	}
	failed := w.records(entry.RecordFailed)
	if len(failed) != 1 || failed[0].Fields["reason"] != fail.Error() || failed[0].Fields["attempts"] != "3" {
		t.Errorf("written down: %+v", failed)
	}
	if r := w.record(lobes.Material{Text: port}); r.State != lobes.MaterialFailed {
		t.Errorf("the same material again is %q", r.State)
	}
	if q := w.set.Diagnose(t.Context()).Queues; len(q) != 1 || q[0].Failed != 1 || q[0].LastError != fail.Error() || !strings.Contains(q[0].Next, "--retry") {
		t.Errorf("told %+v", q)
	}
	f.answer = nil
	if done := w.work(lobes.Working{Retry: true}); len(done.Items) != 1 || len(done.Items[0].Stored) != 1 || done.Failed != 0 {
		t.Errorf("taken up again: %+v", done)
	}
}

// What says nothing about an item does not count against it.
func TestInnocentFailures(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	for name, fail := range map[string]func() error{
		"no model": func() error {
			return &lobes.UnaskedError{Cause: errors.New("spent:\n" + strings.Repeat("says a program\n", 100))}
		},
		"the end": func() error { cancel(); return context.Canceled },
	} {
		f := &finder{answer: func(string) (lobes.Extracted, error) { return lobes.Extracted{}, fail() }}
		w := working(t, f)
		w.record(lobes.Material{Text: port})
		for range 5 {
			use := t.Context()
			if name == "the end" {
				use = ctx
			}
			done, err := w.set.Work(use, w.app(), lobes.Working{Patient: true})
			if strings.Contains(done.Stopped, "\n") || len(done.Stopped) > 400 {
				t.Errorf("%s: stopped for %q", name, done.Stopped)
			}
			if done.Left != 1 || done.Failed != 0 || (err != nil) != (name == "the end") {
				t.Fatalf("%s: %+v, %v", name, done, err)
			}
		}
		f.answer = nil
		if done := w.work(lobes.Working{}); len(done.Items) != 1 || len(done.Items[0].Stored) != 1 {
			t.Errorf("%s: %+v", name, done)
		}
	}
}

func TestFullLobeLetsMaterialWait(t *testing.T) {
	f := &finder{}
	w := newWorld(t, func(w *world) { w.options.Extractor, w.specs[0].Budget = f, 200 }, "app")
	w.record(lobes.Material{Text: port})
	for range 4 {
		w.clock.pass(2 * time.Hour)
		if done := w.work(lobes.Working{}); done.Left != 1 || done.Failed != 0 {
			t.Fatalf("worked %+v", done)
		}
	}
	w.specs[0].Budget = 0
	w.open()
	w.clock.pass(2 * time.Hour)
	if done := w.work(lobes.Working{}); len(done.Items) != 1 || len(done.Items[0].Stored) != 1 || f.times() != 1 {
		t.Errorf("with room: %+v, asked %d times", done, f.times())
	}
}

// A process that died leaves the item as it was written last: it is asked
// again only when no answer was written down, and nothing is stored twice.
func TestWorkAfterADeath(t *testing.T) {
	f := &finder{cut: len(port) + 1}
	w := working(t, f)
	w.record(lobes.Material{Text: port + "\n" + strings.ReplaceAll(port, "8081", "8082")})
	states := map[string][]byte{}
	f.answer = func(piece string) (lobes.Extracted, error) {
		name, b := w.item()
		states[fmt.Sprintf("%s when asked about %q", name, piece)] = b
		return linesOf(piece)
	}
	if done := w.work(lobes.Working{}); len(done.Items) != 1 || len(done.Items[0].Stored) != 2 {
		t.Fatalf("worked %+v", done)
	}
	if len(states) != 2 {
		t.Fatalf("%d states", len(states))
	}
	before := len(w.files(filepath.Join(w.root("app"), ".git", "memory", ".history")))
	for at, b := range states {
		name, _, _ := strings.Cut(at, " ")
		w.open()
		write(t, filepath.Join(w.inbox(), name), string(b))
		done := w.work(lobes.Working{})
		if len(done.Items) != 1 || len(done.Items[0].Stored) != 0 || done.Items[0].Known == 0 || done.Left != 0 {
			t.Errorf("%s: %+v", at, done)
		}
	}
	if after := len(w.files(filepath.Join(w.root("app"), ".git", "memory", ".history"))); after != before {
		t.Errorf("%d files of history, then %d", before, after)
	}
	if n := len(w.records(entry.RecordReceived)); n != 1 {
		t.Errorf("received %d times", n)
	}
}

// item is the one that waits.
func (w *world) item() (name string, b []byte) {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.inbox(), "item-*.json"))
	if err != nil || len(found) != 1 {
		w.Fatalf("items %q, %v", found, err)
	}
	if b, err = os.ReadFile(found[0]); err != nil {
		w.Fatal(err)
	}
	return filepath.Base(found[0]), b
}

// An answer that was written down is not asked for again, and a piece that
// killed its process three times is given up.
func TestItemsOfTheDead(t *testing.T) {
	f := &finder{}
	w := working(t, f)
	w.record(lobes.Material{Text: port})
	name, b := w.item()
	var it map[string]any
	if err := json.Unmarshal(b, &it); err != nil {
		t.Fatal(err)
	}
	it["found"], it["model"], it["attempts"] = []lobes.Candidate{said(port)}, "another@2", 1
	put := func() {
		b, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(w.inbox(), name), string(b))
	}
	put()
	done := w.work(lobes.Working{})
	if f.times() != 0 || len(done.Items) != 1 || len(done.Items[0].Stored) != 1 || done.Items[0].Stored[0].Actor != "another@2" {
		t.Errorf("asked %d times: %+v", f.times(), done)
	}
	delete(it, "found")
	it["attempts"], it["text"] = 3, "It kills."
	put()
	if done := w.work(lobes.Working{}); f.times() != 0 || len(done.Items) != 1 || !strings.Contains(done.Items[0].Failed, "interrupted 3 times") || done.Failed != 1 {
		t.Errorf("asked %d times: %+v", f.times(), done)
	}
	write(t, filepath.Join(w.inbox(), "item-x.json"), `{"text":`)
	if done := w.work(lobes.Working{}); len(done.Items) != 1 || done.Items[0].Failed == "" || done.Failed != 2 {
		t.Errorf("a file that is no item: %+v", done)
	}
}

// Several processes work at one inbox, and each item is looked through once.
func TestWorkersShareAnInbox(t *testing.T) {
	const items = 12
	f := &finder{}
	w := working(t, f)
	for i := range items {
		w.record(lobes.Material{Text: fmt.Sprintf("The listening port of the service number %d is %d.", i, 8000+i)})
	}
	var all sync.WaitGroup
	settled := make([]int, 4)
	for i := range settled {
		set := lobes.NewSet(w.specs, w.options)
		all.Go(func() {
			done, err := set.Work(context.Background(), w.app(), lobes.Working{Patient: true})
			if err != nil || done.Left != 0 {
				t.Errorf("worked %+v, %v", done, err)
			}
			settled[i] = len(done.Items)
		})
	}
	all.Wait()
	sum := 0
	for _, n := range settled {
		sum += n
	}
	if sum != items || f.times() != items {
		t.Errorf("%d items were settled as %v, and looked through %d times", items, settled, f.times())
	}
}

// What was taken back is not stored again, and what was erased takes its
// material along.
func TestWorkRespectsWhatWasTakenBack(t *testing.T) {
	f := &finder{cut: len(port) + 1}
	w := working(t, f)
	first := w.stored(w.app(), lobes.Note{Topic: "general", Text: port})
	w.correct(w.app(), lobes.Correction{ID: first.ID, Action: "delete"})
	w.record(lobes.Material{Text: port})
	if done := w.work(lobes.Working{}).Items[0]; done.Refused != 1 || len(done.Stored) != 0 {
		t.Errorf("retracted before: %+v", done)
	}
	second := strings.ReplaceAll(port, "8081", "8082")
	w.record(lobes.Material{Text: second + "\n" + strings.ReplaceAll(port, "8081", "8083")})
	f.answer = func(piece string) (lobes.Extracted, error) {
		if strings.Contains(piece, "8083") {
			found := w.recall(w.app(), lobes.Query{Filter: "8082"})
			if len(found.Results) != 1 {
				t.Fatalf("found %+v", found)
			}
			w.correct(w.app(), lobes.Correction{ID: found.Results[0].Entry.ID, Action: "erase"})
		}
		return linesOf(piece)
	}
	done := w.work(lobes.Working{})
	if len(done.Items) != 0 || done.Left != 0 || done.Failed != 0 {
		t.Errorf("worked on %+v", done)
	}
	if left := w.holding(w.root("app"), "808"); len(left) > 0 && strings.Contains(strings.Join(left, " "), ".inbox") {
		t.Errorf("the material is still in %q", left)
	}
}

func TestPause(t *testing.T) {
	w := working(t, &finder{})
	w.record(lobes.Material{Text: port})
	for _, pause := range []bool{true, true, false, false} {
		if _, err := w.set.Pause(t.Context(), person, w.app(), pause); err != nil {
			t.Fatal(err)
		}
		w.open()
		q := w.set.Diagnose(t.Context()).Queues
		if len(q) != 1 || (q[0].Paused != nil) != pause {
			t.Fatalf("paused %t: %+v", pause, q)
		}
		if pause {
			if done := w.work(lobes.Working{Patient: true}); done.Left != 1 || !strings.Contains(done.Stopped, "paused since") {
				t.Errorf("paused: %+v", done)
			}
		}
	}
	if done := w.work(lobes.Working{}); len(done.Items) != 1 {
		t.Errorf("resumed: %+v", done)
	}
	if n := len(w.records(entry.RecordPaused, entry.RecordResumed)); n != 2 {
		t.Errorf("%d records", n)
	}
}

// What a writer that died left half-written goes after a day, and counts as
// nothing meanwhile.
func TestInboxIsSwept(t *testing.T) {
	w := working(t, &finder{})
	w.record(lobes.Material{Text: port})
	half := filepath.Join(w.inbox(), ".tmp-123")
	write(t, half, `{"text":`)
	for _, age := range []time.Duration{23 * time.Hour, 25 * time.Hour} {
		if err := os.Chtimes(half, w.clock.Now().Add(-age), w.clock.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
		all, err := w.set.Stats(t.Context(), w.app())
		if err != nil || all[0].InboxFiles != all[0].Queue.Waiting {
			t.Errorf("counted %+v, %v", all, err)
		}
		w.work(lobes.Working{})
		if _, err := os.Stat(half); os.IsNotExist(err) != (age > 24*time.Hour) {
			t.Errorf("after %v: %v", age, err)
		}
		w.record(lobes.Material{Text: "The retry queue holds at most 500 jobs."})
	}
}
