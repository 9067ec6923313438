package install_test

import (
	"fmt"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/install"
)

// BenchmarkServerInLargeFile is setup's look at the state file of Claude Code
// of somebody with many projects.
func BenchmarkServerInLargeFile(b *testing.B) {
	var text strings.Builder
	text.WriteString("{\n  \"projects\": {")
	for i := range 4000 {
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, "\n    \"/home/ann/code/%d\": {\n      \"allowedTools\": [],\n      \"history\": [%q]\n    }", i, strings.Repeat("what was asked ", 60))
	}
	text.WriteString("\n  }\n}\n")
	o := withHome(machines()[0])
	edits, err := install.Edits(o, []string{"claude-code"})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		added, err := edits[0].Add([]byte(text.String()))
		if err == nil {
			_, err = edits[0].Remove(added)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
