package ops_test

import (
	"strings"
	"testing"

	"memory-mcp/cmd/internal/ops"
)

// TestWhatWaitsForAPersonIsNotBelieved: why said of a memory under review that
// it is believed.
func TestWhatWaitsForAPersonIsNotBelieved(t *testing.T) {
	for status, want := range map[string]string{"": "it is believed,", "active": "it is believed,", "review": "not recalled unasked, with the status review", "candidate": "with the status candidate"} {
		m := full()
		m.chain.Entry.Entry.Status = status
		got := text(t, env(m, ops.Facts{}), "memory_history", `{"action":"why","id":"gotcha-00000001"}`)
		if !strings.Contains(got, want) {
			t.Errorf("status %q: %s", status, got)
		}
	}
}
