package hosts_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"memory-mcp/cmd/internal/hosts"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func machine(system, home string, env map[string]string) hosts.Machine {
	return hosts.Machine{OS: system, Home: home, Project: "/p", Getenv: func(name string) string { return env[name] }}
}

func TestPathsOnEachSystem(t *testing.T) {
	tests := []struct {
		host   string
		system string
		env    map[string]string
		want   string // the first user file
	}{
		{"claude-code", "linux", nil, "/h/.claude.json"},
		{"claude-code", "linux", map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, "/c/.claude.json"},
		{"claude-code", "linux", map[string]string{"CLAUDE_CONFIG_DIR": "not/absolute"}, "/h/.claude.json"},
		{"claude-code", "windows", nil, `C:\h\.claude.json`},
		{"claude-code", "windows", map[string]string{"CLAUDE_CONFIG_DIR": `D:\c`}, `D:\c\.claude.json`},
		{"codex", "linux", map[string]string{"CODEX_HOME": "/x/"}, "/x/config.toml"},
		{"codex", "darwin", nil, "/h/.codex/config.toml"},
		{"copilot", "linux", map[string]string{"COPILOT_HOME": "/x"}, "/x/mcp-config.json"},
		{"vscode", "linux", nil, "/h/.config/Code/User/mcp.json"},
		{"vscode", "linux", map[string]string{"XDG_CONFIG_HOME": "/x"}, "/x/Code/User/mcp.json"},
		{"vscode", "darwin", map[string]string{"XDG_CONFIG_HOME": "/x"}, "/h/Library/Application Support/Code/User/mcp.json"},
		{"vscode", "windows", map[string]string{"APPDATA": `D:\Roaming`}, `D:\Roaming\Code\User\mcp.json`},
		{"vscode", "windows", nil, `C:\h\AppData\Roaming\Code\User\mcp.json`},
		{"vscode", "freebsd", nil, "/h/.config/Code/User/mcp.json"},
		{"zed", "darwin", map[string]string{"XDG_CONFIG_HOME": "/x"}, "/h/.config/zed/settings.json"},
		{"zed", "linux", map[string]string{"XDG_CONFIG_HOME": "/x"}, "/x/zed/settings.json"},
		{"opencode", "windows", nil, `C:\h\.config\opencode\opencode.json`},
		{"opencode", "darwin", map[string]string{"XDG_CONFIG_HOME": "/x"}, "/x/opencode/opencode.json"},
		{"claude-desktop", "darwin", nil, "/h/Library/Application Support/Claude/claude_desktop_config.json"},
		{"goose", "windows", nil, `C:\h\AppData\Roaming\Block\goose\config\config.yaml`},
	}
	for _, tt := range tests {
		home := "/h"
		if tt.system == "windows" {
			home = `C:\h`
		}
		h, _ := hosts.Lookup(tt.host)
		got := h.User[0].Paths.On(machine(tt.system, home, tt.env))
		if len(got) == 0 || got[0] != tt.want {
			t.Errorf("%s on %s with %v: %q, want %q first", tt.host, tt.system, tt.env, got, tt.want)
		}
	}
}

// TestGoldenPaths writes down all paths of all hosts on the three systems.
func TestGoldenPaths(t *testing.T) {
	var out bytes.Buffer
	for _, h := range hosts.All() {
		fmt.Fprintf(&out, "%s\n", h.ID)
		for _, system := range []string{"linux", "darwin", "windows"} {
			home := map[string]string{"linux": "/home/ann", "darwin": "/Users/ann", "windows": `C:\Users\ann`}[system]
			m := machine(system, home, nil)
			show := func(what string, p hosts.Paths) {
				for _, one := range p.On(m) {
					fmt.Fprintf(&out, "  %-8s %-8s %s\n", system, what, one)
				}
			}
			show("found", h.Found)
			for _, f := range h.User {
				show("user", f.Paths)
			}
			for _, f := range h.Project {
				show("project", f.Paths)
			}
			if h.Hooks != nil {
				show("hooks", h.Hooks.Paths)
			}
			for _, g := range h.Guides {
				show(string(g.Kind), g.User)
				show(string(g.Kind), g.Project)
			}
		}
	}
	golden := filepath.Join("testdata", "paths.txt")
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("the paths differ from %s; -update rewrites it:\n%s", golden, out.Bytes())
	}
}

func TestNoHomeNoPaths(t *testing.T) {
	for _, h := range hosts.All() {
		for _, f := range h.User {
			if got := f.Paths.On(hosts.Machine{OS: "linux"}); len(got) > 0 {
				t.Errorf("%s without a home: %q", h.ID, got)
			}
		}
	}
}

func TestRowsAreWhole(t *testing.T) {
	ruled := []string{"claude-code", "claude-desktop", "codex", "cursor", "windsurf", "vscode", "copilot", "cline", "gemini", "qwen", "opencode", "zed"}
	if got := hosts.IDs()[:len(ruled)]; !reflect.DeepEqual(got, ruled) {
		t.Errorf("the hosts begin with %q", got)
	}
	seen := map[string]bool{}
	for _, h := range hosts.All() {
		if seen[h.ID] || !regexp.MustCompile(`^[a-z-]+$`).MatchString(h.ID) || h.Name == "" || len(h.User) == 0 {
			t.Errorf("the row of %q is not whole, or there twice", h.ID)
		}
		seen[h.ID] = true
		for _, f := range append(h.User, h.Project...) {
			if f.Key == "" || f.Format == "" || f.Entry == "" {
				t.Errorf("%s: %+v", h.ID, f)
			}
		}
		if h.SkillsOf != "" {
			if _, ok := hosts.Lookup(h.SkillsOf); !ok {
				t.Errorf("%s reads the skills of %q", h.ID, h.SkillsOf)
			}
		}
		checkHooks(t, h)
	}
}

// checkHooks wants a small time for each event where the host can have one:
// the end of a session has the least.
func checkHooks(t *testing.T, h hosts.Host) {
	if h.Hooks == nil {
		return
	}
	for _, e := range h.Hooks.Events {
		if h.Hooks.Unit > 0 && (e.Timeout < time.Second || e.Timeout > 10*time.Second) {
			t.Errorf("%s waits %v for %s", h.ID, e.Timeout, e.Name)
		}
		if h.ID == "codex" && e.Name == "SessionEnd" && e.Timeout > 3*time.Second {
			t.Errorf("codex cuts %s at three seconds", e.Name)
		}
		if strings.ContainsAny(e.Matcher, " /") {
			t.Errorf("%s %s has the matcher %q", h.ID, e.Name, e.Matcher)
		}
	}
	if len(h.Hooks.Events) == 0 && h.Hooks.Style != hosts.Plugin {
		t.Errorf("%s has hooks and no event", h.ID)
	}
}

func TestShells(t *testing.T) {
	s := hosts.Shells{Windows: hosts.CMD}
	if s.On("windows") != hosts.CMD || s.On("linux") != hosts.POSIX || (hosts.Shells{}).On("windows") != hosts.POSIX {
		t.Error("a shell is of another system")
	}
}
