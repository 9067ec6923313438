package entry_test

import (
	"strings"
	"testing"
	"time"

	"memory-mcp/store/entry"
)

const usual = `---
id: arch-3f7a2b1c
topic: architecture
trust: agent-inferred
confidence: 0.70
created: 2026-02-18T12:00:00.000Z
sources: [go.mod, store/store.go]
tags: [build, go]
---
# Build system and language

Detected: Go 1.26, plain go commands.

- one item with some words about the way in which the build is done
- another item; the tests run in parallel, and the store is checked
`

const ancestors = `# Build system and language
- **id**: arch-3f7a2b1c
- **topic**: architecture
- **confidence**: 0.7
- **trust**: agent-inferred
- **created**: 2026-02-18T12:00:00.000Z
- **lastAccessed**: 2026-02-18T12:00:00.000Z
- **source**: go.mod, store/store.go

Detected: Go 1.26, plain go commands.
`

func BenchmarkParseFile(b *testing.B) {
	for name, text := range map[string]string{
		"front": usual, "bullets": ancestors, "plain": "# Title\n\n" + strings.Repeat("some words in a line\n", 20),
		"yaml":     strings.Replace(usual, "tags: [build, go]", "tags:\n  - build\n  - \"go\" # the language", 1),
		"untitled": strings.Repeat("some words in a line, with a - dash\n", 20),
	} {
		file := []byte(text)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := entry.ParseFile("architecture/arch-3f7a2b1c.md", time.Time{}, file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRewrite(b *testing.B) {
	file := []byte(usual)
	e, err := entry.Parse(file)
	if err != nil {
		b.Fatal(err)
	}
	e.Body += "\n\nMore."
	e.Tags = []string{"build"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := entry.Rewrite(file, e); err != nil {
			b.Fatal(err)
		}
	}
}
