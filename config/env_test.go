package config_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"memory-mcp/config"
)

func TestEnvironmentMakesTheLobes(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want []config.Lobe // paths are below the home directory
		warn string
	}{
		{"workspaces in their order", map[string]string{"MEMORY_MCP_WORKSPACES": `{"ios": "~/ios", "android": "sub/android"}`, "MEMORY_MCP_BUDGET": "1048576"},
			[]config.Lobe{{Name: "ios", Root: "ios", Budget: 1 << 20}, {Name: "android", Root: "work/sub/android", Budget: 1 << 20}}, ""},
		{"one root", map[string]string{"MEMORY_MCP_REPO_ROOT": "$HOME/repo", "MEMORY_MCP_DIR": ".memory"},
			[]config.Lobe{{Root: "repo", MemoryDir: "repo/.memory", Budget: 2 << 20}}, ""},
		{"only a folder", map[string]string{"MEMORY_MCP_DIR": "~/mem"},
			[]config.Lobe{{Root: "work", MemoryDir: "mem", Budget: 2 << 20}}, ""},
		{"a folder in each root", map[string]string{"MEMORY_MCP_WORKSPACES": `{"a": "~/a", "b": "~/b"}`, "MEMORY_MCP_DIR": "m"},
			[]config.Lobe{{Name: "a", Root: "a", MemoryDir: "a/m", Budget: 2 << 20}, {Name: "b", Root: "b", MemoryDir: "b/m", Budget: 2 << 20}}, ""},
		{"one bad workspace", map[string]string{"MEMORY_MCP_WORKSPACES": `{"a": "~/a", "b/c": "~/b", "d": 7, "e": "", "f": "~", "a": "~/z"}`},
			[]config.Lobe{{Name: "a", Root: "a", Budget: 2 << 20}}, `MEMORY_MCP_WORKSPACES.b/c: the name "b/c" has other characters than`},
		{"budget that is no number", map[string]string{"MEMORY_MCP_REPO_ROOT": "~/r", "MEMORY_MCP_BUDGET": "2MB"},
			[]config.Lobe{{Root: "r", Budget: 2 << 20}}, `MEMORY_MCP_BUDGET: "2MB" is not a number of bytes between`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			for k, v := range tt.env {
				w.env[k] = v
			}
			for i := range tt.want {
				tt.want[i].Root = filepath.Join(w.home, tt.want[i].Root)
				if tt.want[i].MemoryDir != "" {
					tt.want[i].MemoryDir = filepath.Join(w.home, tt.want[i].MemoryDir)
				}
			}
			c := w.load()
			if c.Source != config.SourceEnvironment || !reflect.DeepEqual(c.Lobes, tt.want) {
				t.Errorf("source is %q, lobes are\n%+v, want\n%+v", c.Source, c.Lobes, tt.want)
			}
			if got := warnings(c); (tt.warn == "") != (got == "") || !strings.Contains(got, tt.warn) {
				t.Errorf("warnings are %q, want %q", got, tt.warn)
			}
		})
	}
}

func TestEnvironmentThatLeadsElsewhereIsAnError(t *testing.T) {
	tests := []struct {
		name, value, more, want string
	}{
		{"MEMORY_MCP_WORKSPACES", `{"a": `, "", "MEMORY_MCP_WORKSPACES: the text is not JSON"},
		{"MEMORY_MCP_WORKSPACES", `["a"]`, "", "MEMORY_MCP_WORKSPACES: a list is not an object; write it like"},
		{"MEMORY_MCP_REPO_ROOT", `/`, "", `MEMORY_MCP_REPO_ROOT: "/" is the root of the file system and never a project`},
		{"MEMORY_MCP_REPO_ROOT", `$X/y`, "", `MEMORY_MCP_REPO_ROOT: "$X/y" uses the variable "X"`},
		{"MEMORY_MCP_WORKSPACES", `{"a": "~/a", "b": "~/b"}`, "/all", `MEMORY_MCP_DIR: "/all" would be one folder for the lobes "a" and "b"`},
	}
	for _, tt := range tests {
		w := newWorld(t)
		w.env[tt.name] = tt.value
		w.env["MEMORY_MCP_DIR"] = tt.more
		if _, err := config.Load(w.options()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s=%s gives %v, want %s", tt.name, tt.value, err, tt.want)
		}
	}
}

func TestFileOutranksTheEnvironmentsLobesAndSaysSo(t *testing.T) {
	w := newWorld(t)
	w.file(`{"lobes": {"a": {"root": "a"}}}`)
	w.env["MEMORY_MCP_REPO_ROOT"] = "~/other"
	c := w.load()
	if c.Source != config.SourceFile || c.Lobes[0].Name != "a" || !strings.Contains(warnings(c), "MEMORY_MCP_REPO_ROOT: the variable is not used, because "+c.Path) {
		t.Errorf("got %+v, warnings %q", c.Lobes, warnings(c))
	}
}

func TestSwitchesHaveTheLastWord(t *testing.T) {
	tests := []struct {
		name, value string
		tools       string
		readOnly    bool
		debug       bool
		warn        string
	}{
		{"MEMORY_MCP_READONLY", "1", "verbs", true, true, ""},
		{"MEMORY_MCP_DEBUG", "0", "verbs", false, false, ""},
		{"MEMORY_MCP_TOOLS", "full", "full", false, true, ""},
		{"MEMORY_MCP_TOOLS", "default", "", false, true, ""},
		{"MEMORY_MCP_TOOLS", "fulll", "verbs", false, true, `MEMORY_MCP_TOOLS: "fulll" is not one of verbs, full, default, and is ignored; did you mean "full"?`},
		{"MEMORY_MCP_READONLY", "maybe", "verbs", true, true, `MEMORY_MCP_READONLY: "maybe" is neither 1 nor 0; true is used; write 1 or 0`},
	}
	for _, tt := range tests {
		w := newWorld(t)
		w.file(`{"tools": "verbs", "debug": true}`)
		w.env[tt.name] = tt.value
		c := w.load()
		if c.Tools != tt.tools || c.ReadOnly != tt.readOnly || c.Debug != tt.debug || warnings(c) != tt.warn {
			t.Errorf("%s=%s gives tools %q, readOnly %t, debug %t, warnings %q", tt.name, tt.value, c.Tools, c.ReadOnly, c.Debug, warnings(c))
		}
	}
}
