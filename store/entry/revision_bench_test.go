package entry_test

import (
	"os"
	"testing"

	"memory-mcp/store/entry"
)

// BenchmarkParseRevision is what each file of history costs that is read.
func BenchmarkParseRevision(b *testing.B) {
	text, err := os.ReadFile("testdata/revision/usual.md")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := entry.ParseRevision(text); err != nil {
			b.Fatal(err)
		}
	}
}
