package lobes_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memory-mcp/lobes"
)

// The model is a map from id to title, text and topic; the lobe must agree
// with it after any verbs, and again when it is opened anew.
type model struct {
	*world
	t       *rapid.T
	entries map[string]believed
	gone    []string
	n       int
}

type believed struct{ topic, title, body string }

func TestAgainstAPlainMap(t *testing.T) {
	// Each check works on real folders: fewer of them, unless more are asked for.
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("20"); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := f.Value.Set(f.DefValue); err != nil {
				t.Fatal(err)
			}
		}()
	}
	w := newWorld(t, nil, "app")
	lobe := 0
	rapid.Check(t, func(rt *rapid.T) {
		lobe++
		w.specs = []lobes.Spec{w.place(w.repository(fmt.Sprint("app", lobe))), lobes.GlobalSpec(filepath.Join(w.home, fmt.Sprint(lobe)))}
		w.open()
		m := &model{world: w, t: rt, entries: map[string]believed{}}
		rt.Repeat(map[string]func(*rapid.T){
			"":        m.agree,
			"store":   m.store,
			"again":   m.storeAgain,
			"append":  m.append,
			"replace": m.replace,
			"delete":  m.delete,
			"edit":    m.retitle,
			"hand":    m.byHand,
			"remove":  m.removeByHand,
			"reopen":  func(*rapid.T) { w.open() },
		})
	})
}

func (m *model) target() lobes.Target { return lobes.Target{Lobe: m.specs[0].Name} }

// words makes a text that resembles no other.
func (m *model) words() string {
	m.n++
	return rapid.SampledFrom([]string{
		"Zone q%d borders on z%d.", "Item q%d weighs z%d grams.\n\nIt is sold by the dozen.", "- **id**: q%d\n- **topic**: z%d",
		"---\nq%d: z%d\n---", "# q%d\n\nz%d", "第q%d区与z%d相邻", "\tq%d := z%d",
	}).Draw(m.t, "shape")
}

func (m *model) text() string {
	shape := m.words()
	return strings.TrimSpace(fmt.Sprintf(shape, m.n*7919, m.n*104729))
}

func (m *model) pick() (string, bool) {
	ids := []string{}
	for id := range m.entries {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return "", false
	}
	return rapid.SampledFrom(sorted(ids)).Draw(m.t, "id"), true
}

func (m *model) store(*rapid.T) {
	n := lobes.Note{Topic: rapid.SampledFrom([]string{"gotchas", "general", "modules/a b"}).Draw(m.t, "topic"), Text: m.text(), Title: fmt.Sprint("Title: #", m.n), StoreAnyway: true}
	s := m.world.stored(m.target(), n)
	if _, known := m.entries[s.ID]; known || s.Action != "created" {
		m.t.Fatalf("a new note: %+v", s)
	}
	m.entries[s.ID] = believed{s.Topic, n.Title, n.Text}
}

func (m *model) storeAgain(*rapid.T) {
	id, ok := m.pick()
	if !ok {
		return
	}
	e := m.entries[id]
	s := m.world.stored(m.target(), lobes.Note{Topic: e.topic, Title: e.title, Text: m.text(), StoreAnyway: true})
	if s.ID != id || s.Action != "replaced" {
		m.t.Fatalf("of the same title as %s: %+v", id, s)
	}
	m.entries[id] = believed{e.topic, e.title, m.body(id)}
}

// body is what the lobe says, checked against the file itself.
func (m *model) body(id string) string {
	r := m.get(m.target(), id)
	b, err := os.ReadFile(r.Path)
	if err != nil {
		m.t.Fatal(err)
	}
	if !strings.Contains(string(b), r.Entry.Body) {
		m.t.Fatalf("%s holds %q, which does not have %q", r.Path, b, r.Entry.Body)
	}
	return r.Entry.Body
}

func (m *model) append(*rapid.T) {
	if id, ok := m.pick(); ok {
		text := m.text()
		m.correct(m.target(), lobes.Correction{ID: id, Action: "append", Text: text})
		e := m.entries[id]
		m.entries[id] = believed{e.topic, e.title, e.body + "\n\n" + text}
	}
}

func (m *model) replace(*rapid.T) {
	if id, ok := m.pick(); ok {
		text := m.text()
		m.correct(m.target(), lobes.Correction{ID: id, Action: "replace", Text: text})
		e := m.entries[id]
		m.entries[id] = believed{e.topic, e.title, text}
	}
}

func (m *model) retitle(*rapid.T) {
	if id, ok := m.pick(); ok {
		m.n++
		title := fmt.Sprint("Another title ", m.n)
		m.correct(m.target(), lobes.Correction{ID: id, Action: "edit", Title: &title})
		e := m.entries[id]
		m.entries[id] = believed{e.topic, title, e.body}
	}
}

func (m *model) delete(*rapid.T) {
	if id, ok := m.pick(); ok {
		m.correct(m.target(), lobes.Correction{ID: id, Action: "delete"})
		delete(m.entries, id)
		m.gone = append(m.gone, id)
	}
}

func (m *model) byHand(*rapid.T) {
	m.n++
	id := fmt.Sprintf("hand-%d", m.n)
	text := m.text()
	file := filepath.Join(m.specs[0].Dir, "gotchas", id+".md")
	write(m.T, file, fmt.Sprintf("---\nid: %s\ntopic: gotchas\n---\n# By hand %d\n\n%s\n", id, m.n, text))
	// No editor has it open any more, as far as its times tell.
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, past, past); err != nil {
		m.t.Fatal(err)
	}
	m.entries[id] = believed{"gotchas", fmt.Sprint("By hand ", m.n), text}
}

func (m *model) removeByHand(*rapid.T) {
	if id, ok := m.pick(); ok {
		if err := os.Remove(m.get(m.target(), id).Path); err != nil {
			m.t.Fatal(err)
		}
		delete(m.entries, id)
	}
}

func (m *model) agree(*rapid.T) {
	a := m.recall(m.target(), lobes.Query{Limit: lobes.MaxLimit})
	if a.Total != len(m.entries) {
		m.t.Fatalf("the lobe has %d entries, the map %d", a.Total, len(m.entries))
	}
	for _, r := range a.Results {
		want, ok := m.entries[r.Entry.ID]
		if got := (believed{r.Entry.Topic, r.Entry.Title, r.Entry.Body}); !ok || got != want {
			m.t.Fatalf("%s is %q, want %q (known %v)", r.Entry.ID, got, want, ok)
		}
	}
	for _, id := range m.gone {
		if _, err := m.set.Recall(context.Background(), m.target(), lobes.Query{IDs: []string{id}}); err == nil {
			m.t.Fatalf("%s was deleted and is there", id)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	w := newWorld(t, nil, "app", "lib")
	ctx := context.Background()
	w.set.Warm(ctx)
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			target := w.in([]string{"app", "lib"}[worker%2])
			for i := range 5 {
				note := lobes.Note{Title: fmt.Sprint("T", worker, i), Text: fmt.Sprintf("Worker w%d wrote n%d here.", worker*97, i*31)}
				r, err := w.set.Remember(ctx, agent, target, []lobes.Note{note})
				if err != nil {
					t.Error(err)
					return
				}
				if a, err := w.set.Recall(ctx, target, lobes.Query{IDs: []string{r.Stored[0].ID}}); err != nil || len(a.Results) != 1 {
					t.Errorf("what was just stored: %+v, %v", a, err)
				}
				if _, err := w.set.Recall(ctx, target, lobes.Query{Text: "worker wrote here", MinMatch: 0.2, Always: true}); err != nil {
					t.Error(err)
				}
				if _, err := w.set.Brief(ctx, target); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Go(func() {
		for range 5 {
			w.set.Diagnose(ctx)
			w.set.List(ctx, lobes.Target{})
			if err := w.set.Settle(ctx); err != nil {
				t.Error(err)
			}
		}
	})
	wait.Wait()
	same(t, "entries", w.recall(lobes.Target{Lobe: "*"}, lobes.Query{}).Total, 20)
}

// TestTwoSetsOneTitle has two processes store under one title at once: there
// is one entry in the end, and the history has both texts.
func TestTwoSetsOneTitle(t *testing.T) {
	w := newWorld(t, nil, "app")
	other := lobes.NewSet(w.specs, w.options)
	defer func() {
		if err := other.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	var wait sync.WaitGroup
	for i, set := range []*lobes.Set{w.set, other} {
		wait.Go(func() {
			note := lobes.Note{Topic: "gotchas", Title: "One", Text: fmt.Sprintf("Set s%d says v%d.", i*13, i*17)}
			if _, err := set.Remember(context.Background(), agent, lobes.Target{}, []lobes.Note{note}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	same(t, "entries", w.recall(lobes.Target{}, lobes.Query{}).Total, 1)
	history := w.files(filepath.Join(w.specs[0].Dir, ".history"))
	same(t, "states", len(history), 2)
}
