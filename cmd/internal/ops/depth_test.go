package ops_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/ops"
)

// TestEachDepthKeepsItsBudget asks with entries that are long, and with others
// that hang together with them.
func TestEachDepthKeepsItsBudget(t *testing.T) {
	for _, tool := range []struct{ name, args string }{
		{"memory_context", `"context":"uploads"`}, {"memory_query", `"filter":"uploads"`},
	} {
		for depth := 1; depth <= 3; depth++ {
			for _, budget := range []int{150, 600, 2000, 20000} {
				m := full()
				m.answer.Results = results(12)
				for i := range m.answer.Results {
					r := &m.answer.Results[i]
					r.Entry.Body = strings.Repeat("the queue keeps events until 队列 says so. ", 40)
					r.Excerpt = r.Entry.Body[:300]
					r.Associated = i >= 7
					r.Why = "associated: of the session of x"
				}
				m.answer.Total, m.answer.Omitted = 7, 0
				args := fmt.Sprintf(`{%s,"depth":%d,"maxTokens":%d}`, tool.args, depth, budget)
				r, fault := ops.Call(t.Context(), env(m, ops.Facts{}), tool.name, json.RawMessage(args))
				if fault != nil {
					t.Fatalf("%s%s: %+v", tool.name, args, fault)
				}
				if n := measure(r.Text()); n > budget+1 {
					t.Errorf("%s%s takes %d tokens", tool.name, args, n)
				}
				b, err := r.JSON()
				if err != nil {
					t.Fatal(err)
				}
				if n := measure(string(b)); n > budget+1 && budget >= 2000 {
					t.Errorf("%s%s takes %d tokens as JSON", tool.name, args, n)
				}
				if m.query.Depth != depth {
					t.Errorf("%s%s asks for depth %d", tool.name, args, m.query.Depth)
				}
				whole := strings.Count(r.Text(), "the queue keeps")
				if budget == 20000 && (depth == 1) != (whole <= 3*12) {
					t.Errorf("%s%s tells the text %d times over", tool.name, args, whole)
				}
			}
		}
	}
}
