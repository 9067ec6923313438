package install_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/install"
)

func TestDiffShowsWhatChanges(t *testing.T) {
	h := newHome(t, map[string]string{".cursor/mcp.json": "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n", ".claude.json": "{\"long\": \"" + strings.Repeat("é", 400) + "\"}"})
	plan, err := install.Prepare(h.options())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range plan.Changes {
		d := c.Diff()
		switch {
		case strings.HasSuffix(c.Path, "mcp.json"):
			if c.Kind() != "changed" || !strings.Contains(d, "\n-    \"a\": {}\n+    \"a\": {},\n+    \"memory\": {\n") {
				t.Errorf("%s %s", c.Kind(), d)
			}
		case strings.HasSuffix(c.Path, ".claude.json"):
			if len(d) > 2000 || !strings.Contains(d, "…\n") {
				t.Errorf("a long line is shown whole: %d bytes", len(d))
			}
		case !strings.HasPrefix(d, "--- "+os.DevNull) || c.Kind() != "created":
			t.Errorf("%s %s", c.Kind(), d)
		}
	}
}

func TestOptionsThatCannotWork(t *testing.T) {
	h := newHome(t, nil)
	for what, change := range map[string]func(*install.Options){
		`"nobody"`:      func(o *install.Options) { o.Hosts = []string{"nobody"} },
		"absolute path": func(o *install.Options) { o.Command, o.OS = "memory-mcp", runtime.GOOS },
		`"planet"`:      func(o *install.Options) { o.Scope = "planet" },
		"home folder":   func(o *install.Options) { o.Home = "" },
		"no project":    func(o *install.Options) { o.Scope = install.Project },
	} {
		o := h.options()
		change(&o)
		if _, err := install.Prepare(o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("want an error about %s, got %v", what, err)
		}
	}
	o := h.options("nobody")
	var unknown *install.UnknownHostError
	if _, err := install.Prepare(o); !errors.As(err, &unknown) || unknown.ID != "nobody" || len(unknown.Known) < 12 {
		t.Errorf("%v", unknown)
	}
}

// TestHostThatIsNotHere: it is told, shown and left without any folder.
func TestHostThatIsNotHere(t *testing.T) {
	h := newHome(t, nil)
	before := h.tree()
	plan, err := install.Prepare(h.options("zed"))
	if err != nil || len(plan.Hosts) != 1 || plan.Hosts[0].Here || plan.Hosts[0].Show == nil || len(plan.Changes) > 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	h.apply(plan, nil)
	h.same(before)
}

func TestHostFoundByItsCommand(t *testing.T) {
	h := newHome(t, map[string]string{"bin/codex": "#!/bin/sh\n", "bin/zed": ""})
	if err := os.Chmod(filepath.Join(h.dir, "bin/codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := h.tree()
	o := h.options()
	o.Getenv = func(name string) string { return map[string]string{"PATH": filepath.Join(h.dir, "bin")}[name] }
	plan, err := install.Prepare(o)
	if err != nil || len(plan.Hosts) != 1 || plan.Hosts[0].ID != "codex" || plan.Hosts[0].Sign != "the command codex" {
		t.Fatalf("%+v, %v", plan.Hosts, err)
	}
	if next := strings.Join(plan.Hosts[0].Next, "\n"); !strings.Contains(next, "/hooks") {
		t.Errorf("nothing is said about the review: %q", next)
	}
	h.apply(plan, nil)
	h.apply(install.PrepareRemoval(o))
	h.same(before) // with the folder of Codex, which was made
}

func TestForeignServerKeepsItsName(t *testing.T) {
	h := newHome(t, map[string]string{".cursor/mcp.json": `{"mcpServers": {"memory": {"command": "npx"}}}`})
	before := h.tree()
	plan, err := install.Prepare(h.options())
	if err != nil || len(plan.Hosts) != 1 || !strings.Contains(strings.Join(plan.Hosts[0].Notes, "\n"), `ours is "mem"`) {
		t.Fatalf("%+v, %v", plan.Hosts, err)
	}
	h.apply(plan, nil)
	states, err := install.Look(h.options())
	if err != nil || len(states) != 1 || len(states[0].Servers) != 1 || states[0].Servers[0].Name != "mem" {
		t.Errorf("%+v, %v", states, err)
	}
	h.apply(install.PrepareRemoval(h.options()))
	h.same(before)
}

// TestAnotherProgram: a build under another name is taken back from the
// record, without being named again.
func TestAnotherProgram(t *testing.T) {
	h := newHome(t, map[string]string{".claude.json": "{}", ".codex/config.toml": ""})
	before := h.tree()
	o := h.options()
	o.Command, o.ReadOnly = "/opt/it's mine/build 7", true
	h.apply(install.Prepare(o))
	hooks, err := os.ReadFile(filepath.Join(h.dir, ".codex/hooks.json"))
	if err != nil || !strings.Contains(string(hooks), `'/opt/it'\\''s mine/build 7' hook codex`) {
		t.Errorf("%s, %v", hooks, err)
	}
	if text := h.tree()[".claude.json"]; !strings.Contains(text, `["serve", "--read-only"]`) {
		t.Errorf("not read-only:\n%s", text)
	}
	o.Command = ""
	h.apply(install.PrepareRemoval(o))
	h.same(before)
}

func TestProjectScope(t *testing.T) {
	h := newHome(t, map[string]string{
		".claude/": "", ".codex/": "", ".gemini/": "", ".cursor/": "", ".copilot/": "",
		"code/AGENTS.md": "# Mine", "code/.mcp.json": "{\n  \"mcpServers\": {}\n}",
	})
	before := h.tree()
	o := h.options()
	o.Scope, o.Project, o.SetHome = install.Project, filepath.Join(h.dir, "code"), "/somewhere"
	h.apply(install.Prepare(o))
	after := h.tree()
	for name, text := range after {
		if strings.HasPrefix(name, "code/") && (strings.Contains(text, testCommand) || strings.Contains(text, "/somewhere")) {
			t.Errorf("%s names a folder of one person:\n%s", name, text)
		}
		if !strings.HasPrefix(name, "code/") && before[name] != text {
			t.Errorf("%s is not of the project", name)
		}
	}
	for _, name := range []string{"code/GEMINI.md", "code/.cursor/rules/memory.mdc", "code/.codex/config.toml", "code/.claude/commands/mem.md"} {
		if after[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	if n := strings.Count(after["code/AGENTS.md"], "memory-mcp: begin"); n != 1 {
		t.Errorf("AGENTS.md has %d blocks:\n%s", n, after["code/AGENTS.md"])
	}
	o.Scope = ""
	h.apply(install.PrepareRemoval(o))
	h.same(before)
}

func TestNoHooks(t *testing.T) {
	h := newHome(t, map[string]string{".claude/": "", ".config/opencode/": "", ".cline/": ""})
	o := h.options()
	o.NoHooks = true
	h.apply(install.Prepare(o))
	for name, text := range h.tree() {
		if strings.Contains(text, `"hook"`) || strings.Contains(text, " hook ") || strings.Contains(name, "plugins") {
			t.Errorf("%s has a hook:\n%s", name, text)
		}
	}
}

// TestTextsChangedByHand: a text of ours that a person changed is theirs.
func TestTextsChangedByHand(t *testing.T) {
	h := newHome(t, map[string]string{".claude/": ""})
	h.apply(install.Prepare(h.options()))
	skill := filepath.Join(h.dir, ".claude/skills/memory/SKILL.md")
	text, err := os.ReadFile(skill)
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.Replace(string(text), "# Memory", "# My memory", 1)
	h.write(map[string]string{".claude/skills/memory/SKILL.md": mine})
	var foreign *install.ForeignFileError
	for _, prepare := range []func(install.Options) (install.Plan, error){install.Prepare, install.PrepareRemoval} {
		plan, err := prepare(h.options())
		if err != nil || len(plan.Hosts) != 1 || len(plan.Hosts[0].Errors) != 1 || !errors.As(plan.Hosts[0].Errors[0], &foreign) || !foreign.Edited {
			t.Errorf("%+v, %v", plan.Hosts, err)
		}
		h.apply(plan, nil)
	}
	if now, err := os.ReadFile(skill); err != nil || string(now) != mine {
		t.Errorf("%s, %v", now, err)
	}
}

func TestBackups(t *testing.T) {
	h := newHome(t, map[string]string{".claude.json": "{}"})
	for range 5 {
		done := h.apply(install.Prepare(h.options("claude-code")))
		if done[0].Backup == "" {
			t.Fatalf("%+v", done)
		}
		if text, err := os.ReadFile(done[0].Backup); err != nil || string(text) != "{}" {
			t.Errorf("the copy is %q, %v", text, err)
		}
		h.apply(install.PrepareRemoval(h.options()))
	}
	found, err := filepath.Glob(filepath.Join(h.dir, ".memory-mcp/backups/.claude.json.*"))
	if err != nil || len(found) == 0 || len(found) > 3 {
		t.Errorf("%q, %v", found, err)
	}
}

func TestApplyOfNothingLeavesNoTrace(t *testing.T) {
	h := newHome(t, nil)
	plan, err := install.PrepareRemoval(h.options())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(h.dir, ".memory-mcp")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the memory's home was made: %v", err)
	}
}

// TestOneOfSeveralFiles: Claude Desktop on Windows reads the file in the folder
// that it made; when it made two, a file that is there decides.
func TestOneOfSeveralFiles(t *testing.T) {
	h := newHome(t, nil)
	o := h.options("claude-desktop")
	o.OS = "windows"
	made := map[string]string{}
	look := func(pattern string) string { return made[pattern] }
	local, roaming := `C:\h\AppData\Local\Packages\Claude_*\LocalCache\Roaming\Claude`, `C:\h\AppData\Roaming\Claude`
	real := strings.Replace(local, "*", "abc", 1)
	o.Home = `C:\h`
	const file = `\claude_desktop_config.json`
	for _, tt := range []struct {
		made map[string]string
		want string
	}{
		{map[string]string{}, roaming + file},
		{map[string]string{local: real}, real + file},
		{map[string]string{local: real, roaming: roaming}, ""},
		{map[string]string{local: real, roaming: roaming, roaming + file: roaming + file}, roaming + file},
	} {
		made = tt.made
		edits, err := install.EditsWith(o, []string{"claude-desktop"}, look)
		got := ""
		if len(edits) > 0 {
			got = edits[0].Path
		}
		if err != nil || got != tt.want {
			t.Errorf("with %q: %q, want %q (%v)", tt.made, got, tt.want, err)
		}
	}
}
