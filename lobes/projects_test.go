package lobes_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"memory-mcp/lobes"
)

// A matcher takes lobes for one project by their names.
type matcher struct {
	ruler
	one  string // the first letters that lobes of one project have
	said []lobes.JudgedSide
}

func (m *matcher) SameProject(_ context.Context, a, b lobes.JudgedSide) (bool, error) {
	m.said = append(m.said, a, b)
	return strings.HasPrefix(a.Project, m.one) && strings.HasPrefix(b.Project, m.one), m.err
}

// That two lobes may be of one project is suggested to a person, and nothing is moved.
func TestLobesOfOneProjectAreSuggested(t *testing.T) {
	m := &matcher{one: "shop"}
	w := newWorld(t, func(w *world) { w.options.Judge = m }, "shop", "shop-old", "tool", "empty")
	for _, name := range []string{"shop", "shop-old", "tool"} {
		for i, text := range queue[:5] {
			w.stored(w.in(name), lobes.Note{Topic: "architecture", Title: fmt.Sprint("Queue ", i), Text: text + strings.Repeat(" More of it.", 40)})
		}
		w.stored(w.in(name), lobes.Note{Topic: "preferences", Scope: "project", Text: "I am called Zanzibar by everybody."})
	}
	all := lobes.Target{Lobe: "*"}
	suggested := func() []string {
		var found []string
		for _, p := range w.set.Diagnose(t.Context()).Problems {
			if strings.Contains(p.What, "same project") {
				found = append(found, p.Lobe+": "+p.What)
			}
		}
		return found
	}
	if _, err := w.set.Work(t.Context(), all, lobes.Working{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"shop: lobe shop-old may be of the same project as lobe shop, says the judge"}
	if got := suggested(); !slices.Equal(got, want) {
		t.Errorf("suggested %q", got)
	}
	if len(m.said) != 6 {
		t.Errorf("%d sides were told", len(m.said))
	}
	for _, side := range m.said {
		if n := len(strings.Split(side.Text, "Queue ")); n > 5 || len([]rune(side.Text)) > 4*201+4 || strings.Contains(side.Text, "Zanzibar") {
			t.Errorf("told %q", side.Text)
		}
	}
	w.open()
	if got := suggested(); !slices.Equal(got, want) {
		t.Errorf("another process is told %q", got)
	}
	// It takes back what it said.
	m.one = "-"
	if _, err := w.set.Work(t.Context(), all, lobes.Working{}); err != nil {
		t.Fatal(err)
	}
	if got := suggested(); len(got) != 0 {
		t.Errorf("still %q", got)
	}
}
