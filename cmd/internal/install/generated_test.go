package install_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/cmd/internal/hosts"
	"memory-mcp/cmd/internal/install"
)

// space is white space of any kind, with comments where the dialect has them.
func space(t *rapid.T, nl string, comments bool) string {
	parts := []string{"", "", "", " ", "  ", "\t", nl, nl + "  ", nl + "\t\t", nl + nl}
	if comments {
		parts = append(parts, "/* c */", " // c"+nl, "/* a"+nl+"b */ ", "//"+nl+nl+"  ")
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 2).Draw(t, "space"), "")
}

// document writes an object in a manner that nobody would.
func document(t *rapid.T, depth int, nl string, comments, commas bool) string {
	s := func() string { return space(t, nl, comments) }
	var b strings.Builder
	b.WriteString("{" + s())
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"mcpServers", "servers", "context_servers", "mcp", "hooks", "version", "other", "SessionStart", "Stop", "stop", "a\\u0062",
	}), 0, 4, rapid.ID).Draw(t, "names")
	for i, name := range names {
		b.WriteString(s() + `"` + name + `"` + s() + ":" + s() + value(t, name, depth, nl, comments, commas) + s())
		if i < len(names)-1 || commas && rapid.Bool().Draw(t, "comma") {
			b.WriteString("," + s())
		}
	}
	return b.String() + "}"
}

func value(t *rapid.T, name string, depth int, nl string, comments, commas bool) string {
	switch {
	case strings.ToLower(name) == "stop" || name == "SessionStart":
		inner := rapid.SampledFrom([]string{"", "", `{"command":"x"}`, `{"hooks":[]}, {}`, `{"hooks": [ {"command" : "y"} ]}`}).Draw(t, "element")
		return "[" + space(t, nl, comments) + inner + space(t, nl, comments) + "]"
	case name == "version":
		return "1"
	case name == "other" || depth == 0:
		return rapid.SampledFrom([]string{"{}", `"}"`, `"// no"`, "[1, 2]", "-1e3", "null"}).Draw(t, "leaf")
	}
	return document(t, depth-1, nl, comments, commas)
}

// file is a whole file in a dialect.
func file(t *rapid.T, comments, commas bool) []byte {
	nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	mark := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark")
	text := mark + space(t, nl, comments) + document(t, 2, nl, comments, commas) + space(t, nl, comments)
	return []byte(text)
}

func jsonEdits(t testing.TB) []install.Edit {
	var edits []install.Edit
	for _, e := range everyEdit(t, "linux") {
		if (e.What == "server" || e.What == "hooks") && !strings.HasSuffix(e.Path, ".toml") {
			edits = append(edits, e)
		}
	}
	return edits
}

func TestLawsOnGeneratedFiles(t *testing.T) {
	edits := jsonEdits(t)
	rapid.Check(t, func(t *rapid.T) {
		comments := rapid.Bool().Draw(t, "comments")
		text := file(t, comments, comments && rapid.Bool().Draw(t, "commas"))
		for range 4 {
			e := rapid.SampledFrom(edits).Draw(t, "edit")
			lawful(t, e, text)
			afterAnEdit(t, e, text)
		}
	})
}

func lawful(t *rapid.T, e install.Edit, old []byte) {
	added, err := e.Add(old)
	if err != nil {
		return
	}
	twice, err := e.Add(added)
	if err != nil || !equal(twice, added) {
		t.Fatalf("%s %s twice is not once (%v):\n%q\n%q", e.Host, e.What, err, added, twice)
	}
	if back, err := e.Remove(added); err != nil || !equal(back, old) {
		t.Fatalf("%s %s of\n%q\nis\n%q\nand back (%v)\n%q", e.Host, e.What, old, added, err, back)
	}
}

// afterAnEdit: a person who adds a first member to the file finds it alone
// with what was there, whether before or after ours came and went.
func afterAnEdit(t *rapid.T, e install.Edit, old []byte) {
	added, err := e.Add(old)
	if err != nil || !bytes.Contains(old, []byte(`":`)) && !bytes.Contains(old, []byte(`" `)) {
		return
	}
	edit := func(text []byte) []byte {
		i := bytes.IndexByte(text, '{')
		return append(append(bytes.Clone(text[:i+1]), `"mine": true, `...), text[i+1:]...)
	}
	if _, err := e.Add(edit(old)); err != nil {
		return // it has no member, so the edit was none
	}
	if back, err := e.Remove(edit(added)); err != nil || !equal(back, edit(old)) {
		t.Fatalf("%s %s: after an edit of\n%q\nis left (%v)\n%q", e.Host, e.What, added, err, back)
	}
}

// TestHostsDialects: what a host could not read is refused, not written.
func TestHostsDialects(t *testing.T) {
	tests := []struct {
		host, text string
		ok         bool
	}{
		{"claude-code", "{\"a\": 1, // c\n \"b\": 2}", false},
		{"claude-code", "{\"a\": 1,}", false},
		{"gemini", "{\"a\": 1 // c\n}", true},
		{"gemini", "{\"a\": [1,]}", false},
		{"zed", "{\"a\": [1,], // c\n}", true},
		{"zed", "{\"context_servers\": []}", false},
		{"zed", "[]", false},
		{"codex", "a = 1 # c\n", true},
		{"codex", "a = 1\na = 2\n", false},
		{"codex", "mcp_servers = {}\n", false},
		{"codex", "mcp_servers.memory = { command = \"/x/memory-mcp\", args = [\"serve\"] }\n", false},
	}
	o := machines()[0]
	o.MemoryHome = "/m"
	for _, tt := range tests {
		if _, known := hosts.Lookup(tt.host); !known {
			t.Fatal(tt.host)
		}
		edits, err := install.Edits(o, []string{tt.host})
		if err != nil {
			t.Fatal(err)
		}
		out, err := edits[0].Add([]byte(tt.text))
		if (err == nil) != tt.ok {
			t.Errorf("%s with %q: %q, %v", tt.host, tt.text, out, err)
		}
		if err == nil && !bytes.Contains(out, []byte("c\n")) {
			t.Errorf("%s lost the comment: %q", tt.host, out)
		}
	}
}

// TestAFormThatCannotBeTakenBackIsRefused: a comment after the last member of
// a file without indentation would move by a blank.
func TestAFormThatCannotBeTakenBackIsRefused(t *testing.T) {
	old := []byte("{ \n\"mcpServers\":{} // c\n}")
	for _, e := range jsonEdits(t) {
		added, err := e.Add(old)
		if err != nil {
			continue
		}
		if back, err := e.Remove(added); err != nil || !equal(back, old) {
			t.Errorf("%s %s: %q became %q, and back %q (%v)", e.Host, e.What, old, added, back, err)
		}
	}
}
