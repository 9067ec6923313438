package ops_test

import (
	"strings"
	"testing"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/textanalysis"
)

// TestAnAnswerIsRecalledAsAWhole: a recorder that put an answer back in had the
// lines around its fence looked through, and "1 memory in lobe app" remembered.
func TestAnAnswerIsRecalledAsAWhole(t *testing.T) {
	for op, args := range map[string]string{
		"memory_context": `{"context":"how do uploads work"}`,
		"memory_query":   `{"filter":"uploads","detail":"standard"}`,
	} {
		m := full()
		m.answer.Missing, m.answer.Fallback = nil, "" // what was not found is news
		answer := text(t, env(m, ops.Facts{}), op, args)
		if left := strings.TrimSpace(textanalysis.DropFenced("Look.\n" + answer + "\n\nThe port is 8081.")); strings.Join(strings.Fields(left), " ") != "Look. The port is 8081." {
			t.Errorf("%s: of\n%s\nis left\n%s", op, answer, left)
		}
	}
}
