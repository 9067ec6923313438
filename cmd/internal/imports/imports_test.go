package imports_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/cmd/internal/imports"
	"memory-mcp/lobes"
)

func read(t *testing.T, kind imports.Kind, name, text string) (imports.Batch, error) {
	t.Helper()
	at := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return imports.Read(kind, at)
}

func TestInstructions(t *testing.T) {
	const item = "Run the linter before each commit"
	tests := []struct {
		name, text string
		want       []string // topic and text
	}{
		{"items", "# Rules\n- " + item + "\n* Use tabs, not spaces\n1. Never push to main\n", []string{"conventions " + item, "conventions Use tabs, not spaces", "conventions Never push to main"}},
		{"an item with more", "- " + item + "\n  since the CI refuses\n    - also on Fridays\n", []string{"conventions " + item + "\n  since the CI refuses\n    - also on Fridays"}},
		{"paragraphs", "The API is slow at night.\nIt restarts then.\n\nUploads use a queue.\n", []string{"conventions The API is slow at night.\nIt restarts then.", "conventions Uploads use a queue."}},
		{"code stays with its text", "Build it like this:\n\n```sh\n# not a heading\n- not an item\n```\n", []string{"conventions Build it like this:\n\n```sh\n# not a heading\n- not an item\n```"}},
		{"code that never ends", "Build it like this:\n```\n- x\n", []string{"conventions Build it like this:\n```\n- x"}},
		{"headings give topics", "# Architecture\nOne binary, no daemon.\n# Pitfalls\nThe clock drifts badly.\n", []string{"architecture One binary, no daemon.", "gotchas The clock drifts badly."}},
		{"imports, comments, ours", "@docs/a.md\n<!-- hidden words are here -->\n<!-- memory-mcp: begin -->\nours is not a memory\n<!-- memory-mcp: end -->\nThis one is kept.\n", []string{"conventions This one is kept."}},
		{"too short to say anything", "Yes.\n\n- `make lint`\n", []string{"conventions `make lint`"}},
		{"windows and a mark", "\ufeff# A\r\n- One two three.\r\n", []string{"conventions One two three."}},
		{"the same twice", "- One two three.\n- one  two three.\n", []string{"conventions One two three."}},
		{"nothing", "", nil},
		{"headings alone", "# A\n## B\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := read(t, imports.ClaudeMD, "CLAUDE.md", tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range b.Notes {
				got = append(got, n.Topic+" "+n.Text)
				if n.Trust != "agent-inferred" || *n.Confidence > 0.5 || len(n.References) != 1 {
					t.Errorf("%+v", n)
				}
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if len(got) == 0 && len(b.Skipped) == 0 {
				t.Error("nothing came of it, and nothing is said")
			}
		})
	}
}

func TestBadFiles(t *testing.T) {
	for _, kind := range imports.Kinds() {
		for name, text := range map[string]string{"bytes": "a\xff\xfe", "nul": "a\x00b"} {
			if _, err := read(t, kind, name+".md", text); err == nil || !strings.Contains(err.Error(), "UTF-8") {
				t.Errorf("%s of %s: %v", kind, name, err)
			}
		}
		if _, err := imports.Read(kind, filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := imports.Read(kind, t.TempDir()); err == nil {
			t.Errorf("%s found something in an empty folder", kind)
		}
	}
	var unknown *imports.UnknownKindError
	if _, err := imports.Read("emacs", "/"); !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
	b, err := read(t, imports.ClaudeMemory, "project_a.md", strings.Repeat("a ", lobes.MaxText))
	if err != nil || len(b.Notes) > 0 || len(b.Skipped) != 1 {
		t.Errorf("a text that is too long: %d notes, %v, %v", len(b.Notes), b.Skipped, err)
	}
}

// TestLinesOfAnyKind: what is no line of a graph or an export is told, and
// breaks nothing.
func TestLinesOfAnyKind(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"", "{", "[]", "null", "1", `{"type":"entity"}`, `{"type":"entity","name":"a","observations":null}`, `{"type":"entity","name":1}`,
			`{"type":"relation","from":"a","to":"b","relationType":"x"}`, `{"format":"memory-mcp/1"}`, `{"format":"memory-mcp/1","id":"x","file":{}}`,
			`{"format":"memory-mcp/1","id":"x","file":{"base64":"!"}}`, `{"format":"memory-mcp/1","id":"../x","path":"/etc","file":"t"}`,
		})).Draw(rt, "lines"), "\n")
		for _, kind := range []imports.Kind{imports.MCPMemory, imports.MemoryMCP} {
			if _, err := read(t, kind, "f.jsonl", text); err != nil {
				rt.Fatal(err)
			}
		}
	})
}

// TestExportIsReadBack: bytes of any kind come back as they were.
func TestExportIsReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var all []lobes.Copy
		for range rapid.IntRange(1, 3).Draw(rt, "n") {
			c := lobes.Copy{ID: "mem-00000001", Lobe: rapid.String().Draw(rt, "lobe"), Path: "general/a.md"}
			c.Head = rapid.SliceOfN(rapid.Byte(), 1, 30).Draw(rt, "head")
			for range rapid.IntRange(0, 2).Draw(rt, "revisions") {
				c.Revisions = append(c.Revisions, rapid.SliceOf(rapid.Byte()).Draw(rt, "revision"))
			}
			all = append(all, c)
		}
		var out bytes.Buffer
		if err := imports.Write(&out, all); err != nil {
			rt.Fatal(err)
		}
		b, err := read(t, imports.MemoryMCP, "e.jsonl", out.String())
		if err != nil || len(b.Copies) != len(all) {
			rt.Fatalf("%v, %v", b, err)
		}
		for i, c := range all {
			got := b.Copies[i]
			if got.ID != c.ID || !bytes.Equal(got.Head, c.Head) || len(got.Revisions) != len(c.Revisions) {
				rt.Fatalf("%q became %q", c, got)
			}
			for j := range c.Revisions {
				if !bytes.Equal(got.Revisions[j], c.Revisions[j]) {
					rt.Fatalf("%q became %q", c.Revisions[j], got.Revisions[j])
				}
			}
		}
	})
}
