package ops_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

func TestStorePassesEveryFieldOn(t *testing.T) {
	m := full()
	text(t, env(m, ops.Facts{}), "memory_store", `{"content":"c","title":"t","topic":"gotchas","scope":"global","kind":"decision","trust":"user",
		"provenance":"human","confidence":"0.9","importance":0.8,"tags":["a"],"sources":["s"],"references":["r"],"files":["f"],"conditions":["os: linux"],
		"subject":"su","problem":"p","solution":"so","quote":"q","branch":"b","expires":"2026-12-31","validFrom":"2026-01-01","validUntil":"30d",
		"durabilityDecision":"store-anyway","lobe":"app"}`)
	num := func(f float64) *float64 { return &f }
	want := []lobes.Note{{
		Topic: "gotchas", Scope: "global", Title: "t", Text: "c", Kind: "decision", Trust: "user", Provenance: "human", Confidence: num(.9), Importance: num(.8),
		Tags: []string{"a"}, Sources: []string{"s"}, References: []string{"r"}, Files: []string{"f"}, Conditions: []string{"os: linux"},
		Subject: "su", Problem: "p", Solution: "so", Quote: "q", Branch: "b",
		Expires: "2027-01-01T00:00:00Z", ValidFrom: "2026-01-01T00:00:00Z", ValidUntil: "2026-12-30T12:00:00Z", StoreAnyway: true,
	}}
	if !reflect.DeepEqual(m.notes, want) {
		t.Errorf("got\n%+v\nwant\n%+v", m.notes, want)
	}
	if want := (lobes.Target{Lobe: "app", Paths: []string{"s", "r", "f"}, Dirs: []string{"/src/app"}}); !reflect.DeepEqual(m.target, want) {
		t.Errorf("target is %+v, want %+v", m.target, want)
	}
	if m.by.Actor != "claude-code 2.1" {
		t.Errorf("by is %+v", m.by)
	}
}

func TestStoreTakesBothGenerations(t *testing.T) {
	tests := []struct {
		given string
		want  []lobes.Note
	}{
		{`{"title":"t","content":"c"}`, []lobes.Note{{Title: "t", Text: "c"}}},
		{`"c"`, []lobes.Note{{Text: "c"}}},
		{`{"title":"only a title"}`, []lobes.Note{{Text: "only a title"}}},
		{`{"entries":[{"title":"a","fact":"x"},{"content":"y","tags":"k"}],"topic":"gotchas","tags":["all"]}`,
			[]lobes.Note{{Topic: "gotchas", Title: "a", Text: "x", Tags: []string{"all"}}, {Topic: "gotchas", Text: "y", Tags: []string{"k"}}}},
		{`{"entries":"{\"title\":\"a\",\"fact\":\"x\"}"}`, []lobes.Note{{Title: "a", Text: "x"}}},
		{`{"content":"c","entries":[{"fact":"x"}]}`, []lobes.Note{{Text: "c"}, {Text: "x"}}},
		{`{"content":"c","scope":"gotcha"}`, []lobes.Note{{Topic: "gotchas", Text: "c"}}},
		{`{"content":"c","scope":"Project"}`, []lobes.Note{{Scope: "project", Text: "c"}}},
		{`{}`, []lobes.Note{{}}},
	}
	for _, tt := range tests {
		m := full()
		text(t, env(m, ops.Facts{}), "memory_store", tt.given)
		if !reflect.DeepEqual(m.notes, tt.want) {
			t.Errorf("%s stores\n%+v\nwant\n%+v", tt.given, m.notes, tt.want)
		}
	}
}

func TestQueryPassesEveryFieldOn(t *testing.T) {
	m := full()
	text(t, env(m, ops.Facts{}), "memory_query", `{"filter":"f","scope":"module/x","branch":"all","kind":"decision","status":"review","subject":"s","maxResults":500,"offset":"20","minMatch":2}`)
	want := lobes.Query{Filter: "f", Scope: "modules/x", Branch: "*", Kind: "decision", Status: "review", Subject: "s", Limit: lobes.MaxLimit, Offset: 20, MinMatch: 1, Excerpt: lobes.MaxExcerpt}
	if !reflect.DeepEqual(m.query, want) {
		t.Errorf("got\n%+v\nwant\n%+v", m.query, want)
	}
	text(t, env(m, ops.Facts{}), "memory_query", `{"filter":"f","detail":"full"}`)
	if !m.query.Commits || !m.query.History {
		t.Errorf("full detail asks for %+v", m.query)
	}
	text(t, env(m, ops.Facts{}), "memory_context", `{"context":"c","maxResults":-1,"minMatch":-3}`)
	want = lobes.Query{Text: "c", Limit: lobes.DefaultLimit, Always: true, Excerpt: lobes.MaxExcerpt}
	if !reflect.DeepEqual(m.query, want) {
		t.Errorf("got\n%+v\nwant\n%+v", m.query, want)
	}
}

func TestOnlyTheWordDeleteDeletes(t *testing.T) {
	tests := []struct{ given, want string }{
		{`{"id":"a","action":"delete"}`, "delete"},
		{`{"id":"a","action":"retract"}`, "delete"},
		{`{"id":"a","correction":"x"}`, "replace"},
		{`{"id":"a","title":"x"}`, "edit"},
		{`{"id":"a","action":"edit","title":"x","correction":"y"}`, "replace"},
		{`{"id":"a","action":"append","correction":""}`, "confirm"},
		{`{"id":"a","action":"append"}`, "confirm"},
		{`{"id":"a","action":"append","correction":"x"}`, "append"},
		{`{"id":"a","action":"update","tags":"x"}`, "edit"},
		{`{"id":"a","action":"edit","correction":"x"}`, "replace"},
		{`{"id":"a"}`, ""},
		{`{"id":"a","correction":""}`, ""},
		{`{"id":"a","action":"replace","correction":"  "}`, ""},
		{`{"action":"delete"}`, ""},
	}
	for _, tt := range tests {
		m := full()
		_, fault := ops.Call(t.Context(), env(m, ops.Facts{}), "memory_correct", json.RawMessage(tt.given))
		if tt.want == "" {
			if fault == nil || fault.Code != "bad_argument" || m.calls != 0 {
				t.Errorf("%s: fault %v after %d calls", tt.given, fault, m.calls)
			}
			continue
		}
		if fault != nil || m.correction.Action != tt.want {
			t.Errorf("%s is %q (%v), want %q", tt.given, m.correction.Action, fault, tt.want)
		}
	}
	if _, fault := ops.Call(t.Context(), env(full(), ops.Facts{}), "fix", json.RawMessage(`{"id":"a"}`)); fault == nil {
		t.Error("fix without a text or an action did something")
	}
}

func TestRootsAreAskedForOnlyWhenNothingElseTells(t *testing.T) {
	asked := 0
	var bound []string
	e := func(m *memory) *ops.Env {
		e := env(m, ops.Facts{})
		e.Roots = func(context.Context) ([]string, bool) { asked++; return []string{"/src/web"}, true }
		e.Bind = func(roots []string) { bound = roots }
		return e
	}
	m := full()
	text(t, e(m), "memory_context", `{"context":"x"}`)
	if asked != 0 || m.calls != 1 {
		t.Errorf("asked %d times, %d calls", asked, m.calls)
	}
	m.answer.Lobes = []string{"global"}
	text(t, e(m), "memory_context", `{"context":"x"}`)
	if asked != 1 || m.calls != 3 || !reflect.DeepEqual(m.target.Roots, []string{"/src/web"}) || !reflect.DeepEqual(bound, m.target.Roots) {
		t.Errorf("asked %d times, %d calls, target %+v, bound %q", asked, m.calls, m.target, bound)
	}
	m = full()
	m.err = &lobes.AmbiguousError{Candidates: []string{"app", "web"}}
	m.verb = func() {
		if len(m.target.Roots) > 0 {
			m.err = nil
		}
	}
	text(t, e(m), "memory_store", `"x"`)
	if asked != 2 || m.calls != 2 {
		t.Errorf("asked %d times, %d calls", asked, m.calls)
	}
	m = full()
	m.err = &lobes.AmbiguousError{Candidates: []string{"app", "web"}}
	if _, fault := ops.Call(t.Context(), e(m), "memory_store", json.RawMessage(`{"content":"x","lobe":"app"}`)); fault == nil || asked != 2 {
		t.Errorf("fault %v, asked %d times", fault, asked)
	}
}

func TestPanicIsAFault(t *testing.T) {
	m := full()
	m.verb = func() { panic("boom") }
	e := env(m, ops.Facts{})
	e.Journal = &journal{}
	_, fault := ops.Call(t.Context(), e, "memory_context", nil)
	if fault == nil || fault.Code != "panic" || !strings.Contains(fault.Message, "/home/x/crashes/1.json") {
		t.Errorf("got %+v", fault)
	}
}

func TestReadOnlyRefusesEveryWrite(t *testing.T) {
	for _, o := range ops.All() {
		m := full()
		_, fault := ops.Call(t.Context(), env(m, ops.Facts{ReadOnly: true}), o.Name, json.RawMessage(`{"id":"a","context":"x","content":"x","observation":"x","rule":"x","action":"`+anAction(o)+`"}`))
		if o.Effect.Writes() != (fault != nil) {
			t.Errorf("%s: %v", o.Name, fault)
		}
		if fault != nil && (fault.Code != "read_only" || m.calls > 0) {
			t.Errorf("%s: %+v after %d calls", o.Name, fault, m.calls)
		}
	}
}

// anAction is one that the operation knows.
func anAction(o ops.Op) string {
	if o.Name == "memory_history" {
		return "why"
	}
	return "delete"
}

func TestUnknownToolNamesTheNearest(t *testing.T) {
	_, fault := ops.Call(t.Context(), env(full(), ops.Facts{}), "memory_qury", nil)
	if fault == nil || fault.Code != "unknown_tool" {
		t.Fatalf("got %v", fault)
	}
	has(t, fault.Hint, "memory_query(")
	for _, name := range []string{"Memory_Query", "memory-query", "mcp__memory__memory_query", "query"} {
		if o, ok := ops.Find(name); !ok || o.Name != "memory_query" {
			t.Errorf("%q is %q", name, o.Name)
		}
	}
	if o, _ := ops.Find("recall"); o.Name != "recall" {
		t.Errorf("recall is %q", o.Name)
	}
}
