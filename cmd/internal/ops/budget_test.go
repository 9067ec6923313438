package ops_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// measure counts a quarter of the bytes, and a sign of Chinese whole.
func measure(s string) int {
	quarters := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			quarters += 4
		} else {
			quarters += utf8.RuneLen(r)
		}
	}
	return quarters / 4
}

func TestEveryAnswerKeepsItsBudget(t *testing.T) {
	fillers := []string{"the queue keeps events ", "队列保存事件", "é", "x", "a\n\nb\n", "🙂 "}
	rapid.Check(t, func(t *rapid.T) {
		m := full()
		filler := rapid.SampledFrom(fillers).Draw(t, "filler")
		n := rapid.IntRange(0, 25).Draw(t, "hits")
		length := rapid.IntRange(0, 400).Draw(t, "length")
		m.answer.Results = results(n)
		for i := range m.answer.Results {
			m.answer.Results[i].Entry.Body = strings.Repeat(filler, length)
			m.answer.Results[i].Excerpt = strings.Repeat(filler, min(length, 300))
		}
		m.answer.Total = n + rapid.IntRange(0, 100).Draw(t, "more")
		m.answer.Omitted = m.answer.Total - n
		m.briefing.Sections = []lobes.Section{{Topic: "gotchas", Lobe: "app", Results: m.answer.Results}}
		budget := rapid.IntRange(40, 3000).Draw(t, "budget")
		op := rapid.SampledFrom(ops.All()).Draw(t, "op")
		detail := rapid.SampledFrom([]string{"brief", "standard", "full"}).Draw(t, "detail")
		args := fmt.Sprintf(`{"maxTokens":%d,"detail":%q,"id":%q,"context":%q,"content":"x","observation":"x","rule":"y","correction":"z","action":"replace"}`,
			budget, detail, rapid.SampledFrom([]string{"", "gotcha-00000001"}).Draw(t, "id"), rapid.SampledFrom([]string{"", "uploads"}).Draw(t, "context"))
		e := env(m, ops.Facts{})
		r, fault := ops.Call(t.Context(), e, op.Name, json.RawMessage(args))
		if fault != nil {
			return
		}
		got := r.Text()
		if n := measure(got); n > budget+1 {
			t.Fatalf("%s%s takes %d tokens of %d:\n%s", op.Name, args, n, budget, got)
		}
		checkStructure(t, r, budget)
	})
}

func checkStructure(t *rapid.T, r ops.Reply, budget int) {
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Results   []json.RawMessage
		Total     int
		Omitted   int
		Truncated bool
		RankedBy  string `json:"ranked_by"`
	}
	if err := json.Unmarshal(b, &found); err != nil {
		t.Fatal(err)
	}
	if found.RankedBy == lobes.RankedByWords && len(found.Results)+found.Omitted != found.Total {
		t.Fatalf("%d shown and %d omitted of %d", len(found.Results), found.Omitted, found.Total)
	}
	// The names of the fields alone are more than a small budget.
	if n := measure(string(b)); n > max(budget, 900)*11/10 {
		t.Fatalf("the structure takes %d tokens of %d: %s", n, budget, b)
	}
}

func TestTextAndStructureDoNotDisturbEachOther(t *testing.T) {
	m := full()
	m.answer.Results = results(50)
	m.answer.Total, m.answer.Omitted = 50, 0
	for _, args := range []string{`{"filter":"x","maxTokens":700}`, `{"filter":"x","detail":"full","maxTokens":700}`} {
		r := ask(t, env(m, ops.Facts{}), "memory_query", args)
		first, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		text := r.Text()
		second, err := r.JSON()
		if err != nil || !bytes.Equal(first, second) || r.Text() != text {
			t.Errorf("%s: an answer changes when it is told twice (%v)", args, err)
		}
		fresh := ask(t, env(m, ops.Facts{}), "memory_query", args)
		if fresh.Text() != text {
			t.Errorf("%s: the text depends on whether the structure was asked for first", args)
		}
	}
}

func TestStructures(t *testing.T) {
	tests := []struct {
		op, args string
		keys     []string
	}{
		{"memory_store", `{"content":"x"}`, []string{"stored", "confirmed", "similar", "preferences", "masked", "warnings"}},
		{"memory_query", `{"filter":"x"}`, []string{"lobe", "lobes", "results", "total", "omitted", "truncated", "ranked_by", "fallback", "as_of", "valid_at", "vector_share"}},
		{"memory_context", `{"context":"x"}`, []string{"lobe", "results", "total", "omitted", "ranked_by"}},
		{"memory_context", `{}`, []string{"lobe", "results", "total", "omitted", "ranked_by", "stale_first", "overrides", "crashes"}},
		{"memory_correct", `{"id":"a","action":"delete"}`, []string{"id", "lobe", "path", "revision", "action"}},
		{"memory_diagnose", `{}`, []string{"mode", "lobes", "problems", "crashes", "behavior"}},
		{"memory_list_lobes", `{}`, []string{"mode", "lobes"}},
		{"memory_stats", `{}`, []string{"lobes"}},
		{"memory_bootstrap", `{}`, []string{"lobe", "stored", "warnings"}},
	}
	for _, tt := range tests {
		for _, m := range []*memory{full(), {mode: lobes.Running}} {
			r := ask(t, env(m, ops.Facts{}), tt.op, tt.args)
			b, err := r.JSON()
			if err != nil {
				t.Fatal(err)
			}
			var keys map[string]any
			if err := json.Unmarshal(b, &keys); err != nil {
				t.Fatal(err)
			}
			for _, k := range tt.keys {
				if _, ok := keys[k]; !ok {
					t.Errorf("%s has no %s: %s", tt.op, k, b)
				}
			}
			if bytes.Contains(b, []byte(":null")) {
				t.Errorf("%s has a null: %s", tt.op, b)
			}
			checkSnakeCase(t, tt.op, keys)
		}
	}
	r := ask(t, env(full(), ops.Facts{}), "memory_query", `{"detail":"full","format":"json"}`)
	b, err := r.JSON()
	if err != nil || !r.AsJSON {
		t.Fatal(r.AsJSON, err)
	}
	var found struct{ Results []map[string]any }
	if err := json.Unmarshal(b, &found); err != nil {
		t.Fatal(err)
	}
	hit := found.Results[0]
	for _, k := range []string{"id", "lobe", "topic", "title", "trust", "confidence", "fresh", "score", "why", "reasons", "content", "path"} {
		if _, ok := hit[k]; !ok {
			t.Errorf("a hit has no %s: %v", k, hit)
		}
	}
	if _, ok := hit["excerpt"]; ok {
		t.Errorf("a hit in full has an excerpt: %v", hit)
	}
	if f, ok := hit["fresh"].(map[string]any); !ok || f["verdict"] != "fresh" || f["changes"] == nil {
		t.Errorf("fresh is %v", hit["fresh"])
	}
}

func checkSnakeCase(t *testing.T, at string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			if k != strings.ToLower(k) {
				t.Errorf("%s has the key %q", at, k)
			}
			checkSnakeCase(t, at+"."+k, inner)
		}
	case []any:
		for _, inner := range v {
			checkSnakeCase(t, at+"[]", inner)
		}
	}
}
