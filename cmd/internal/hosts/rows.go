package hosts

import "time"

// All are the hosts, those with an id of their own in the documents first.
func All() []Host {
	return append([]Host{
		claudeCode(), claudeDesktop(), codex(), cursor(), windsurf(), vscode(),
		copilot(), cline(), gemini(), qwen(), opencode(), zed(),
	}, others()...)
}

func claudeCode() Host {
	return Host{
		ID: "claude-code", Name: "Claude Code", Commands: []string{"claude"},
		Found:   at("{claude}", "{claudejson}/.claude.json"),
		User:    []File{{Paths: at("{claudejson}/.claude.json"), Format: JSON, Key: "mcpServers", Entry: Stdio}},
		Project: []File{{Paths: at("{project}/.mcp.json"), Format: JSON, Key: "mcpServers", Entry: Stdio}},
		Hooks: &Hooks{
			Paths: at("{claude}/settings.json"), Format: JSON, Style: Exec, Unit: time.Second,
			Events: []Event{
				{Name: "SessionStart", Matcher: "startup|resume|clear|compact|fork", Timeout: 10 * time.Second},
				{Name: "UserPromptSubmit", Timeout: 5 * time.Second},
				{Name: "PostToolUse", Matcher: "Write|Edit|MultiEdit", Timeout: 5 * time.Second},
				{Name: "Stop", Timeout: 5 * time.Second},
				{Name: "PreCompact", Timeout: 10 * time.Second},
				{Name: "SessionEnd", Timeout: 10 * time.Second},
			},
		},
		Guides: []Guide{
			{Kind: Skill, User: at("{claude}/skills/memory/SKILL.md"), Project: at("{project}/.claude/skills/memory/SKILL.md")},
			{Kind: Command, User: at("{claude}/commands/mem.md"), Project: at("{project}/.claude/commands/mem.md")},
		},
		Dirs: []string{"CLAUDE_PROJECT_DIR"}, Sessions: []string{"CLAUDE_CODE_SESSION_ID"},
		Reload: "start a new session; a project's .mcp.json has to be approved there once",
	}
}

// claudeDesktop on Windows reads one of several files, by how it was installed;
// the newest way comes first.
func claudeDesktop() Host {
	const file = "/claude_desktop_config.json"
	windows := []string{
		"{localappdata}/Claude-Data/claude_*", "{localappdata}/Packages/Claude_*/LocalCache/Roaming/Claude", "{appdata}/Claude",
	}
	var files []string
	for _, dir := range windows {
		files = append(files, dir+file)
	}
	return Host{
		ID: "claude-desktop", Name: "Claude Desktop",
		Found: Paths{
			Linux: []string{"{config}/Claude"}, Windows: windows,
			Darwin: []string{"{support}/Claude", "/Applications/Claude.app"},
		},
		User: []File{{
			Paths:  Paths{Linux: []string{"{config}/Claude" + file}, Darwin: []string{"{support}/Claude" + file}, Windows: files},
			Format: JSON, Key: "mcpServers", Entry: Plain,
		}},
		Reload: "quit it from the tray or the menu bar, and start it again",
	}
}

func codex() Host {
	return Host{
		ID: "codex", Name: "Codex", Commands: []string{"codex"}, Found: at("{codex}"),
		User:    []File{{Paths: at("{codex}/config.toml"), Format: TOML, Key: "mcp_servers", Entry: Table}},
		Project: []File{{Paths: at("{project}/.codex/config.toml"), Format: TOML, Key: "mcp_servers", Entry: Table}},
		Hooks: &Hooks{
			Paths: at("{codex}/hooks.json"), Format: JSON, Style: Grouped, Unit: time.Second, Shell: Shells{Windows: CMD},
			Review: "Codex skips hooks that nobody has reviewed, and says nothing: start codex and run /hooks once",
			Events: []Event{
				{Name: "SessionStart", Timeout: 10 * time.Second},
				{Name: "UserPromptSubmit", Timeout: 5 * time.Second},
				{Name: "Stop", Timeout: 5 * time.Second},
				{Name: "PreCompact", Timeout: 10 * time.Second},
				{Name: "SessionEnd", Timeout: 3 * time.Second},
			},
		},
		Guides: []Guide{
			{Kind: Skill, User: at("{codex}/skills/memory/SKILL.md")},
			{Kind: Command, User: at("{codex}/prompts/mem.md")},
			{Kind: Block, Project: at("{project}/AGENTS.md")},
		},
		Reload: "start a new session",
	}
}

func cursor() Host {
	return Host{
		ID: "cursor", Name: "Cursor", Commands: []string{"cursor-agent", "cursor"},
		Found:   Paths{Any: []string{"{home}/.cursor"}, Darwin: []string{"{home}/.cursor", "/Applications/Cursor.app"}},
		User:    []File{{Paths: at("{home}/.cursor/mcp.json"), Format: JSON, Key: "mcpServers", Entry: Plain}},
		Project: []File{{Paths: at("{project}/.cursor/mcp.json"), Format: JSON, Key: "mcpServers", Entry: Plain}},
		Hooks: &Hooks{
			Paths: at("{home}/.cursor/hooks.json"), Format: JSON, Style: Listed, Unit: time.Second, Shell: Shells{Windows: CMD},
			Events: []Event{
				{Name: "sessionStart", Timeout: 10 * time.Second},
				{Name: "preCompact", Timeout: 10 * time.Second},
				{Name: "stop", Timeout: 5 * time.Second},
				{Name: "sessionEnd", Timeout: 10 * time.Second},
			},
		},
		Guides: []Guide{
			{Kind: Skill, User: at("{home}/.cursor/skills/memory/SKILL.md")},
			{Kind: Rule, Project: at("{project}/.cursor/rules/memory.mdc")},
			{Kind: Command, User: at("{home}/.cursor/commands/mem.md"), Project: at("{project}/.cursor/commands/mem.md")},
		},
		SkillsOf: "claude-code",
		Dirs:     []string{"CURSOR_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS"},
		Reload:   "switch the server on in Settings, MCP, if it is off",
	}
}

func windsurf() Host {
	devin := Paths{Any: []string{"{dotconfig}/devin"}, Windows: []string{"{appdata}/devin"}}
	in := func(name string) Paths {
		return Paths{Any: []string{"{dotconfig}/devin/" + name}, Windows: []string{"{appdata}/devin/" + name}}
	}
	cascade := at("{home}/.codeium/windsurf")
	return Host{
		ID: "windsurf", Name: "Windsurf, Devin", Commands: []string{"windsurf", "devin"},
		Found: Paths{Any: append([]string{"{dotconfig}/devin"}, cascade.Any...), Windows: append([]string{"{appdata}/devin"}, cascade.Any...)},
		User: []File{
			{Paths: at("{home}/.codeium/windsurf/mcp_config.json"), Needs: cascade, Commands: []string{"windsurf"}, Format: JSON, Key: "mcpServers", Entry: Plain},
			{Paths: in("mcp_config.json"), Needs: devin, Format: JSON, Key: "mcpServers", Entry: Plain},
			{Paths: in("config.json"), Needs: in("config.json"), Commands: []string{"devin"}, Format: JSONC, Key: "mcpServers", Entry: Plain},
		},
		Project: []File{{Paths: at("{project}/.devin/mcp_config.json"), Format: JSON, Key: "mcpServers", Entry: Plain}},
		Hooks: &Hooks{
			Paths: at("{home}/.codeium/windsurf/hooks.json"), Format: JSON, Style: Cascade,
			Events: []Event{{Name: "post_cascade_response"}},
		},
		Guides: []Guide{{Kind: Block, Project: at("{project}/AGENTS.md")}},
		Reload: "refresh the MCP panel, or start it again",
	}
}

// vscode runs the hooks of Claude Code's settings and of Copilot's folder, so
// it gets none of its own.
func vscode() Host {
	user := func(name string) Paths { return editorUser("Code", name) }
	return Host{
		ID: "vscode", Name: "VS Code", Commands: []string{"code"},
		Found:   user(""),
		User:    []File{{Paths: user("/mcp.json"), Format: JSONC, Key: "servers", Entry: Stdio}},
		Project: []File{{Paths: at("{project}/.vscode/mcp.json"), Format: JSONC, Key: "servers", Entry: Stdio}},
		Guides:  []Guide{{Kind: Block, Project: at("{project}/AGENTS.md")}},
		Dirs:    []string{"WORKSPACE_FOLDER_PATHS"},
		Reload:  "say yes when it asks whether to trust the server",
	}
}

// editorUser is a file in the user folder of VS Code or of one of its kin.
func editorUser(name, rest string) Paths {
	return Paths{
		Linux: []string{"{config}/" + name + "/User" + rest}, Darwin: []string{"{support}/" + name + "/User" + rest},
		Windows: []string{"{appdata}/" + name + "/User" + rest},
	}
}
