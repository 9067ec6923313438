package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A registration tells one agent's host how to start the server. It is printed
// and never written: the host's files are the person's.
type registration struct {
	Host  string   `json:"host"`  // as --host names it
	Title string   `json:"title"` // as its maker does
	How   string   `json:"how"`   // where the text goes
	Text  []string `json:"text"`  // a command line, or the lines of a file
}

// serverName is what hosts know the server by: short, since some join it with
// the names of the tools and cut the result.
const serverName = "memory"

// registrations are the ways to register a command with each host. env is
// what the server needs in its environment.
func registrations(command string, env map[string]string) []registration {
	s := server{command, []string{"serve"}, env}
	return []registration{
		{"claude-code", "Claude Code", "run", []string{s.line("-e", "claude mcp add", "--scope user "+serverName+" --")}},
		{"claude-desktop", "Claude Desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)", s.json("mcpServers", s.plain())},
		{"codex", "Codex", "run", []string{s.line("--env", "codex mcp add", serverName+" --")}},
		{"cursor", "Cursor", "~/.cursor/mcp.json", s.json("mcpServers", s.plain())},
		{"windsurf", "Windsurf, Devin", "~/.codeium/windsurf/mcp_config.json or ~/.config/devin/mcp_config.json", s.json("mcpServers", s.plain())},
		{"vscode", "VS Code", "run", []string{"code --add-mcp " + shellWord(compact(s.named()))}},
		{"copilot", "Copilot CLI", "~/.copilot/mcp-config.json", s.json("mcpServers", s.copilot())},
		{"cline", "Cline", "cline_mcp_settings.json (MCP Servers, Configure)", s.json("mcpServers", s.plain())},
		{"gemini", "Gemini CLI", "run", []string{s.line("-e", "gemini mcp add", "-s user "+serverName)}},
		{"qwen", "Qwen Code", "run", []string{s.line("-e", "qwen mcp add", "-s user "+serverName)}},
		{"opencode", "opencode", "~/.config/opencode/opencode.json", s.json("mcp", s.opencode())},
		{"zed", "Zed", "settings.json", s.json("context_servers", s.zed())},
	}
}

// server is what a host starts.
type server struct {
	command string
	args    []string
	env     map[string]string
}

// line is a command line of a host: its beginning, what sets a variable for
// each of the server's, its end, and the server's own command. The variables
// come first, since some hosts take all words after one for more of them, up to
// the next option.
func (s server) line(option, beginning, end string) string {
	var b strings.Builder
	b.WriteString(beginning)
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		b.WriteString(" " + option + " " + shellWord(name+"="+s.env[name]))
	}
	b.WriteString(" " + end)
	for _, w := range append([]string{s.command}, s.args...) {
		b.WriteString(" " + shellWord(w))
	}
	return b.String()
}

// json are the lines of a settings file that hold one server.
func (s server) json(root string, entry any) []string {
	return []string{
		"{",
		fmt.Sprintf("  %q: {", root),
		fmt.Sprintf("    %q: %s", serverName, compact(entry)),
		"  }",
		"}",
	}
}

func (s server) plain() any {
	return struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
	}{s.command, s.args, s.env}
}

func (s server) named() any {
	return struct {
		Name    string            `json:"name"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
	}{serverName, s.command, s.args, s.env}
}

func (s server) copilot() any {
	return struct {
		Type    string            `json:"type"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
		Tools   []string          `json:"tools"`
	}{"local", s.command, s.args, s.env, []string{"*"}}
}

func (s server) opencode() any {
	return struct {
		Type        string            `json:"type"`
		Command     []string          `json:"command"`
		Environment map[string]string `json:"environment,omitempty"`
		Enabled     bool              `json:"enabled"`
	}{"local", append([]string{s.command}, s.args...), s.env, true}
}

func (s server) zed() any {
	return struct {
		Source  string            `json:"source"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
	}{"custom", s.command, s.args, s.env}
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// shellWord quotes a word for a shell where it must be.
func shellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r) ||
			r == '\\' && runtime.GOOS == "windows"
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	if runtime.GOOS == "windows" {
		return strconv.Quote(w)
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
