package install_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"memory-mcp/cmd/internal/hosts"
	"memory-mcp/cmd/internal/install"
)

// testCommand has a blank, as folders of people do.
const testCommand = "/opt/my tools/memory-mcp"

// everyEdit makes the edits of all hosts for an empty machine on which every
// host is there; one of each host's kind of file.
func everyEdit(t testing.TB, system string) []install.Edit {
	t.Helper()
	o := install.Options{Command: testCommand, MemoryHome: "/h/.memory-mcp", SetHome: "/h/elsewhere", Home: "/h", Project: "/p", OS: system,
		Getenv: func(string) string { return "" }}
	var all []install.Edit
	seen := map[string]bool{}
	for _, scope := range []install.Scope{install.User, install.Project} {
		o.Scope = scope
		edits, err := install.Edits(o, hosts.IDs())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range edits {
			if key := kind(e); !seen[key] {
				seen[key] = true
				all = append(all, e)
			}
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d edits", len(all))
	}
	return all
}

// kind is the same for edits that do the same.
func kind(e install.Edit) string {
	if e.What == "server" || e.What == "hooks" {
		return e.Host + e.What + e.Path
	}
	return e.What + filepath.Ext(e.Path)
}

// check holds an edit against the laws for one text.
func check(t testing.TB, e install.Edit, old []byte) {
	t.Helper()
	bare, err := e.Remove(old)
	if err != nil || !equal(bare, old) {
		return // the text holds ours, or is not the host's
	}
	kept := bytes.Clone(old)
	added, err := e.Add(old)
	if err != nil {
		return
	}
	if !bytes.Equal(old, kept) {
		t.Fatalf("%s %s changed its argument", e.Host, e.What)
	}
	if equal(added, old) {
		t.Fatalf("%s %s added nothing to %q", e.Host, e.What, old)
	}
	twice, err := e.Add(added)
	if err != nil || !equal(twice, added) {
		t.Fatalf("%s %s twice is not once:\n%s\n--- then (%v)\n%s", e.Host, e.What, added, err, twice)
	}
	back, err := e.Remove(added)
	if err != nil || !equal(back, old) {
		t.Fatalf("%s %s is not taken back from\n%q\nwhich became\n%q\nand gave (%v)\n%q", e.Host, e.What, old, added, err, back)
	}
}

func equal(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// texts are files in the states in which they are found.
func texts() []string {
	json := []string{
		"", "\n", " \t\r\n", "{}", "{}\n", "{\n}\n", "{ }", "\ufeff", "\ufeff{}\r\n", "{\r\n}\r\n", "{\t}\n\n\n",
		"// only a comment", "// only a comment\n", "/* a */\n{}", "{}// end", "{ // inside\n}", "{ /* inside */ }",
	}
	for _, key := range []string{"mcpServers", "servers", "context_servers", "mcp", "amp.mcpServers", "hooks"} {
		for _, form := range []string{
			`{%q:{}}`, `{ %q: {} }`, "{\n  %q: {}\n}\n", "{\n  %q: {\n  }\n}\n", "{\r\n\t%q: {\r\n\t}\r\n}\r\n", "{\n    %q: {}, \"z\": 1\n}",
			"{\n\t%q: {\n\t\t\"other\": {\"command\": \"x\"}\n\t}\n}", `{%q:{"other":{"command":"x","args":[]}}}`,
			"{\n  \"a\": [1, 2], // one\n  %q: {\n    \"o\": {}, // two\n    // three\n  },\n}\n",
			"{\n  %q: {\n    \"o\": {} // last\n  } // out\n}\n", "{%q:{\"o\":1 // c\n}}", "{%q: {/* x */}, }", "{\n %q: { \"o\" : 1 , },\n}\n",
			`{%q: {"memory": {"command": "npx", "args": ["-y", "server-memory"]}}}`, "{\n  %q: { // note\n  }\n}\n",
			`{%q: null}`, `{%q: {"memory": null}}`, `{%q: []}`, `{%[1]q: {}, %[1]q: {}}`, "{\"x\":{\"y\":\n{}},%q:\n{}}", "{/* a\nb */ %q: {}}",
		} {
			json = append(json, fmt.Sprintf(form, key))
		}
	}
	return append(json,
		`{"version":1}`, "{\n  \"version\": 1\n}\n", "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n", "{\n  \"hooks\": {},\n  \"version\": 1\n}\n",
		"{\n  \"hooks\": {\n    \"stop\": []\n  },\n  \"version\": 1\n}\n", `{"hooks":{"stop":[{"command":"say"}],"Stop":[{"hooks":[{"type":"command","command":"say"}]}]}}`,
		"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]\n      }\n    ]\n  }\n}\n",
		"[]", "null", "{", "not json", "{\"a\":1,}", "{'a':1}",
		"model = \"x\"\n", "model = \"x\"", "model = \"x\"\r\n\r\n[a]\r\nb = 1\r\n", "# only\n", "[mcp_servers]\n", "[mcp_servers.memory]\ncommand = \"npx\"\n",
		"[mcp_servers.other]\ncommand = \"x\" # c\n\n\n", "a = \"\"\"\n[mcp_servers.memory]\n\"\"\"\n", "a = [\n  1, # ]\n  2,\n]\n", "mcp_servers = {}\n",
		"[[a]]\nb = '''x'''\n[a.b]\nc = { d = [1] }", "a = ", "\ufeffa = 1\n",
		"# Agents\n\nText.\n", "# Agents\r\n\r\nText.", "<!-- memory-mcp: begin -->\nbroken", "text\n\n\n",
	)
}

func TestLaws(t *testing.T) {
	for _, system := range []string{"linux", "windows"} {
		for _, e := range everyEdit(t, system) {
			check(t, e, nil)
			for i, text := range texts() {
				if system == "linux" || i%7 == 0 { // the other differs in a few words
					check(t, e, []byte(text))
				}
			}
		}
	}
}

func FuzzLaws(f *testing.F) {
	edits := everyEdit(f, "linux")
	all := texts()
	if len(all) < 50 {
		f.Fatal("no seeds")
	}
	for i, text := range all {
		f.Add([]byte(text), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, n uint8) {
		if text == nil {
			text = []byte{}
		}
		check(t, edits[int(n)%len(edits)], text)
	})
}
