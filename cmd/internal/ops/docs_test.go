package ops_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"memory-mcp/cmd/internal/ops"
)

const toolsPage = "../../../docs/tools.md"

func TestToolsPageIsUpToDate(t *testing.T) {
	got := ops.Manual()
	if *update {
		if err := os.WriteFile(toolsPage, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(toolsPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table says; run this test with -update", toolsPage)
	}
	for _, o := range ops.All() {
		if !bytes.Contains(got, fmt.Appendf(nil, "## %s\n", o.Name)) {
			t.Errorf("%s has no section for %s", toolsPage, o.Name)
		}
	}
}
