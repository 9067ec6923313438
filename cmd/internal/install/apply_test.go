package install_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/cmd/internal/install"
)

// A home is a person's folder with files of hosts.
type home struct {
	t   *testing.T
	dir string
}

func newHome(t *testing.T, files map[string]string) home {
	h := home{t, filepath.Join(t.TempDir(), "a home")}
	h.write(map[string]string{"keep": ""})
	h.write(files)
	return h
}

func (h home) write(files map[string]string) {
	h.t.Helper()
	for name, text := range files {
		at := filepath.Join(h.dir, name)
		if strings.HasSuffix(name, "/") {
			at = filepath.Join(at, "x")
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			h.t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if err := os.WriteFile(at, []byte(text), 0o640); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h home) options(hosts ...string) install.Options {
	return install.Options{
		Hosts: hosts, Command: testCommand, Home: h.dir, MemoryHome: filepath.Join(h.dir, ".memory-mcp"), OS: "linux",
		Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC) },
	}
}

// tree is all that is in the home but the memory's own folder.
func (h home) tree() map[string]string {
	h.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(h.dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == h.dir {
			return err
		}
		rel, err := filepath.Rel(h.dir, at)
		if err != nil {
			return err
		}
		if rel == ".memory-mcp" {
			return filepath.SkipDir
		}
		if d.IsDir() {
			found[rel+"/"] = ""
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(at)
		found[rel] = info.Mode().String() + "\n" + string(text)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

func (h home) apply(p install.Plan, err error) []install.Done {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
	done, err := p.Apply(context.Background())
	if err != nil {
		h.t.Fatal(err)
	}
	return done
}

func (h home) same(want map[string]string) {
	h.t.Helper()
	got := h.tree()
	if maps.Equal(got, want) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if was, ok := want[name]; !ok || was != got[name] {
			h.t.Errorf("%s (there before: %v) is\n%s\nand was\n%s", name, ok, got[name], was)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[name]; !ok {
			h.t.Errorf("%s is gone", name)
		}
	}
}

// aMachine has one of each kind of host.
func aMachine() map[string]string {
	return map[string]string{
		".claude.json":                        "{\n  \"numStartups\": 3,\n  \"mcpServers\": {}\n}",
		".claude/settings.json":               "{\"permissions\": {\"allow\": []}}\n",
		".codex/config.toml":                  "model = \"m\" # mine\n\n[mcp_servers.memory]\ncommand = \"npx\"\nargs = [\"server-memory\"]\n",
		".cursor/":                            "",
		".codeium/windsurf/mcp_config.json":   "",
		".config/devin/":                      "",
		".config/Code/User/mcp.json":          "{\r\n\t// mine\r\n\t\"servers\": {\r\n\t},\r\n}\r\n",
		".copilot/":                           "",
		".gemini/settings.json":               "{\n    // mine\n    \"hooks\": {\"SessionStart\": []}\n}\n",
		".qwen/settings.json":                 "{\"$version\":4}",
		".config/opencode/opencode.jsonc":     "{\n  \"mcp\": { \"a\": {}, },\n}",
		".config/zed/settings.json":           "// Zed\n{\n  \"theme\": \"x\", // y\n}\n",
		".cline/":                             "",
		".config/Claude/":                     "",
		".kiro/settings/mcp.json":             "{}",
		".config/goose/config.yaml":           "extensions: {}\n",
		"Documents/Cline/Hooks/PreToolUse":    "#!/bin/sh\n",
		".config/opencode/plugins/another.js": "x",
	}
}

func TestSetupAndUninstall(t *testing.T) {
	h := newHome(t, aMachine())
	before := h.tree()
	plan, err := install.Prepare(h.options())
	if err != nil {
		t.Fatal(err)
	}
	for _, hp := range plan.Hosts {
		if !hp.Here || len(hp.Errors) > 0 {
			t.Errorf("%s: %+v", hp.ID, hp)
		}
	}
	h.same(before) // a plan changes nothing
	done := h.apply(plan, nil)
	if len(done) < 25 {
		t.Errorf("only %d files: %+v", len(done), done)
	}
	after := h.tree()
	for _, d := range h.apply(install.Prepare(h.options())) {
		if d.Kind != "unchanged" {
			t.Errorf("the second setup has %s %s", d.Kind, d.Path)
		}
	}
	h.same(after)
	h.apply(install.PrepareRemoval(h.options()))
	h.same(before)
	if p, err := install.PrepareRemoval(h.options()); err != nil || len(p.Changes) > 0 {
		t.Errorf("a second removal has %+v, %v", p.Changes, err)
	}
}

func TestRemovalAfterEdits(t *testing.T) {
	h := newHome(t, map[string]string{
		".claude.json": "{\n  \"a\": 1\n}\n", ".claude/": "", ".codex/config.toml": "a = 1\n", ".config/zed/settings.json": "{\n  // c\n}\n",
	})
	h.apply(install.Prepare(h.options()))
	change := func(name, old, new string) {
		at := filepath.Join(h.dir, name)
		text, err := os.ReadFile(at)
		if err != nil || !bytes.Contains(text, []byte(old)) {
			t.Fatalf("%s has no %q (%v):\n%s", name, old, err, text)
		}
		if err := os.WriteFile(at, bytes.Replace(text, []byte(old), []byte(new), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(".claude.json", `"memory": {`, "\"mine\": {},\n    \"memory\": {\n      \"timeout\": 5,")
	change(".codex/config.toml", "args = [\"serve\"]", "args = [\"serve\"]\nenabled = true\n\n# mine\n[mcp_servers.mine]\nurl = \"u\"")
	change(".config/zed/settings.json", "// c\n", "// c\n  \"theme\": \"t\",\n")
	change(".claude/settings.json", `"Stop": [`, "\"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]},")
	again := h.apply(install.Prepare(h.options()))
	for _, d := range again {
		if d.Kind != "unchanged" {
			t.Errorf("setup after the edits has %s %s", d.Kind, d.Path)
		}
	}
	h.apply(install.PrepareRemoval(h.options()))
	want := map[string]string{
		".claude.json":       "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"mine\": {}\n  }\n}\n",
		".codex/config.toml": "a = 1\n\n# mine\n[mcp_servers.mine]\nurl = \"u\"\n",
		// The empty lines are the sign that the object was there, and empty.
		".config/zed/settings.json": "{\n  // c\n  \"theme\": \"t\"\n\n\n}\n",
		".claude/settings.json":     "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n    ]\n  }\n}\n",
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(h.dir, name))
		if err != nil || string(got) != text {
			t.Errorf("%s is (%v)\n%s\nwant\n%s", name, err, got, text)
		}
	}
}

func TestUpdateKeepsWhatThePersonAdded(t *testing.T) {
	h := newHome(t, map[string]string{
		".claude.json":       "{\"mcpServers\": {\"memory\": {\"type\": \"stdio\", \"command\": \"/old/memory-mcp\", \"args\": [\"serve\"], \"timeout\": 9, \"env\": {\"A\": \"b\", \"MEMORY_MCP_HOME\": \"/gone\"}}}}",
		".codex/config.toml": "[mcp_servers.memory]\n# kept\ncommand = \"/old/memory-mcp\"\nargs = [\n  \"serve\",\n]\nenabled = false # kept\n\n[mcp_servers.memory.env]\nA = \"b\"\n\n[z]\n",
		".codex/hooks.json":  "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"'/old/memory-mcp' hook codex\",\"timeout\":99,\"async\":true}]},{\"hooks\":[{\"type\":\"command\",\"command\":\"/old/memory-mcp hook codex\"}]}],\"Notification\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/old/memory-mcp hook codex\"}]}]}}",
	})
	o := h.options()
	o.SetHome = "/new home"
	h.apply(install.Prepare(o))
	for name, wants := range map[string][]string{
		".claude.json":       {`"timeout": 9`, `"A": "b"`, `"MEMORY_MCP_HOME": "/new home"`, `"command": "/opt/my tools/memory-mcp"`},
		".codex/config.toml": {"# kept\n", "enabled = false # kept", "MEMORY_MCP_HOME = \"/new home\"\nA = \"b\"", "command = \"/opt/my tools/memory-mcp\"\nargs = [\"serve\"]\nenabled", "\n\n[z]\n"},
		".codex/hooks.json":  {`"async":true`, `"timeout":5`, `"'/opt/my tools/memory-mcp' hook codex --home '/new home'"`},
	} {
		got, err := os.ReadFile(filepath.Join(h.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !bytes.Contains(got, []byte(want)) {
				t.Errorf("%s has no %q:\n%s", name, want, got)
			}
		}
		if bytes.Contains(got, []byte("/old/")) || bytes.Contains(got, []byte("Notification")) || bytes.Count(got, []byte(`"Stop"`)) > 1 {
			t.Errorf("%s holds what is old:\n%s", name, got)
		}
	}
	states, err := install.Look(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range states {
		for _, f := range s.Files {
			if f.State != "current" {
				t.Errorf("%s %s is %s (%v)", s.ID, f.Path, f.State, f.Err)
			}
		}
		if len(s.Servers) != 1 || s.Servers[0].Command != testCommand || s.Servers[0].Env["MEMORY_MCP_HOME"] != "/new home" {
			t.Errorf("%s: %+v", s.ID, s.Servers)
		}
	}
}

func TestBrokenFilesAreLeftAlone(t *testing.T) {
	h := newHome(t, map[string]string{
		".claude.json": "{\n  \"a\": 1, // strict\n}\n", ".gemini/settings.json": "{\"a\": 1,}", ".codex/config.toml": "a = \n",
		".cursor/mcp.json":    `{"mcpServers": {"memory": {"url": "u"}, "mem": {"command": "other"}}}`,
		".qwen/settings.json": "{}", ".claude/skills/memory/SKILL.md": "another\n",
	})
	plan, err := install.Prepare(h.options())
	if err != nil {
		t.Fatal(err)
	}
	wrong := map[string]string{}
	for _, hp := range plan.Hosts {
		for _, e := range hp.Errors {
			wrong[strings.TrimPrefix(e.Path, h.dir+"/")] = e.Error()
		}
	}
	for name, part := range map[string]string{
		".claude.json": "line 2", ".gemini/settings.json": "comma", ".codex/config.toml": "line 1", ".cursor/mcp.json": "memory and mem",
		".claude/skills/memory/SKILL.md": "another file",
	} {
		if !strings.Contains(wrong[name], part) || !strings.Contains(wrong[name], name) {
			t.Errorf("%s: %q, want %q", name, wrong[name], part)
		}
	}
	before := h.tree()
	h.apply(plan, nil)
	after := h.tree()
	for name := range wrong {
		if before[name] != after[name] {
			t.Errorf("%s changed:\n%s", name, after[name])
		}
	}
	if !strings.Contains(after[".qwen/settings.json"], testCommand) {
		t.Error("the good file was not written")
	}
}

func TestChangedBetweenPlanAndApply(t *testing.T) {
	h := newHome(t, map[string]string{".claude.json": "{}"})
	plan, err := install.Prepare(h.options("claude-code"))
	if err != nil {
		t.Fatal(err)
	}
	h.write(map[string]string{".claude.json": "{\"new\": true}"})
	h.apply(plan, nil)
	text, err := os.ReadFile(filepath.Join(h.dir, ".claude.json"))
	if err != nil || !bytes.HasPrefix(text, []byte(`{"new": true,`)) || !bytes.Contains(text, []byte(testCommand)) {
		t.Errorf("%s (%v)", text, err)
	}
	h.apply(install.PrepareRemoval(h.options()))
	if text, err = os.ReadFile(filepath.Join(h.dir, ".claude.json")); err != nil || string(text) != `{"new": true}` {
		t.Errorf("%s (%v)", text, err)
	}
}

func TestTwoAtOnce(t *testing.T) {
	h := newHome(t, aMachine())
	before := h.tree()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			plan, err := install.Prepare(h.options())
			if err == nil {
				_, err = plan.Apply(context.Background())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for name, text := range h.tree() {
		if strings.Count(text, `"memory": {`) > 1 {
			t.Errorf("%s has two:\n%s", name, text)
		}
	}
	h.apply(install.PrepareRemoval(h.options()))
	h.same(before)
}

func TestReadOnlyHome(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is closed to this user")
	}
	h := newHome(t, map[string]string{".cursor/": ""})
	before := h.tree()
	if err := os.Chmod(h.dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { restore(t, h.dir) })
	plan, err := install.Prepare(h.options())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Apply(context.Background()); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("no error about permission: %v", err)
	}
	h.same(before)
}

func restore(t *testing.T, dir string) {
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Error(err)
	}
}

// TestOneFileThatCannotBeWritten: a folder stands where a file should be.
func TestOneFileThatCannotBeWritten(t *testing.T) {
	h := newHome(t, map[string]string{".cursor/mcp.json/": "", ".qwen/": ""})
	plan, err := install.Prepare(h.options())
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(plan.Hosts, func(hp install.HostPlan) bool { return hp.ID == "cursor" }); i < 0 || len(plan.Hosts[i].Errors) != 1 {
		t.Errorf("%+v", plan.Hosts)
	}
	h.apply(plan, nil)
	if !strings.Contains(h.tree()[".qwen/settings.json"], testCommand) {
		t.Error("the other file was not written")
	}
}

func TestLinkStaysALink(t *testing.T) {
	h := newHome(t, map[string]string{"dotfiles/claude.json": "{}\n", ".claude/": ""})
	link := filepath.Join(h.dir, ".claude.json")
	if err := os.Symlink(filepath.Join(h.dir, "dotfiles/claude.json"), link); err != nil {
		t.Skip(err)
	}
	h.apply(install.Prepare(h.options()))
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || !strings.Contains(h.tree()["dotfiles/claude.json"], testCommand) {
		t.Errorf("%v, %v", info, err)
	}
}
