package install_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/hosts"
	"memory-mcp/cmd/internal/install"
)

func isUpdate() bool { return flag.Lookup("update").Value.String() == "true" }

func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite the golden files")
	flag.Parse()
	os.Exit(m.Run())
}

// machines are one of each system, with what moves folders there.
func machines() []install.Options {
	env := func(pairs map[string]string) func(string) string {
		return func(name string) string { return pairs[name] }
	}
	return []install.Options{
		{OS: "linux", Home: "/home/ann", Project: "/home/ann/code", Command: "/opt/my tools/memory-mcp", Getenv: env(nil)},
		{OS: "darwin", Home: "/Users/ann", Project: "/Users/ann/code", Command: "/opt/homebrew/bin/memory-mcp", Getenv: env(nil)},
		{
			OS: "windows", Home: `C:\Users\Ann Lee`, Project: `C:\code`, Command: `C:\Program Files\memory\memory-mcp.exe`,
			Getenv: env(map[string]string{"APPDATA": `C:\Users\Ann Lee\AppData\Roaming`, "LOCALAPPDATA": `C:\Users\Ann Lee\AppData\Local`}),
		},
	}
}

// befores are files that a host may have, in its own manner.
func befores(e install.Edit) []string {
	switch ext := filepath.Ext(strings.ReplaceAll(e.Path, `\`, "/")); {
	case ext == ".toml" && e.What == "server":
		return []string{"model = \"m\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\n"}
	case e.What == "server":
		return []string{"{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \"theme\": \"dark\"\n}\n"}
	case e.What == "hooks":
		return []string{"{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n\t\t]\n\t}\n}\n"}
	case e.What == "instructions":
		return []string{"# Agents\n\nBuild with go.\n"}
	}
	return nil
}

// TestGolden writes down what each host gets on each system: into no file and
// into one that is there, and that taking it back gives what was there.
func TestGolden(t *testing.T) {
	for _, id := range hosts.IDs() {
		t.Run(id, func(t *testing.T) {
			var out bytes.Buffer
			for _, o := range machines() {
				o.MemoryHome = o.Home + "/.memory-mcp"
				for _, scope := range []install.Scope{install.User, install.Project} {
					o.Scope = scope
					writeGolden(t, &out, o, id)
				}
			}
			s, err := install.Show(withHome(machines()[0]), id)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "==== to paste into %q\n%s", s.Path, s.Text)
			compare(t, filepath.Join("testdata", "golden", id+".txt"), out.Bytes())
		})
	}
}

func writeGolden(t *testing.T, out *bytes.Buffer, o install.Options, id string) {
	edits, err := install.Edits(o, []string{id})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		fmt.Fprintf(out, "==== %s, %s: %s in %s\n", o.OS, o.Scope, e.What, e.Path)
		if guide := !slices.Contains([]string{"server", "hooks", "plugin"}, e.What); o.OS == "darwin" || guide && o.OS == "windows" {
			continue // only the path differs from Linux
		}
		for _, before := range append([]string{""}, befores(e)...) {
			old := []byte(before)
			if before == "" {
				old = nil
			} else {
				fmt.Fprintf(out, "---- before\n%s", before)
			}
			after, err := e.Add(old)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(out, "---- after\n%s", after)
			back, err := e.Remove(after)
			if err != nil || !equal(back, old) {
				t.Errorf("%s is not taken back (%v):\n%s", e.Path, err, back)
			}
		}
	}
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	if isUpdate() {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; -update rewrites it. Now:\n%s", name, got)
	}
}

func withHome(o install.Options) install.Options {
	o.MemoryHome = o.Home + "/.memory-mcp"
	return o
}
