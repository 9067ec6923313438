package hosts

import "time"

func copilot() Host {
	return Host{
		ID: "copilot", Name: "Copilot CLI", Commands: []string{"copilot"}, Found: at("{copilot}"),
		User:    []File{{Paths: at("{copilot}/mcp-config.json"), Format: JSON, Key: "mcpServers", Entry: Tools}},
		Project: []File{{Paths: at("{project}/.github/mcp.json"), Format: JSON, Key: "mcpServers", Entry: Tools}},
		Hooks: &Hooks{
			Paths: at("{copilot}/hooks/memory-mcp.json"), Format: JSON, Style: ListExec, Unit: time.Second,
			Events: []Event{
				{Name: "sessionStart", Timeout: 10 * time.Second},
				{Name: "userPromptSubmitted", Timeout: 5 * time.Second},
				{Name: "agentStop", Timeout: 5 * time.Second},
				{Name: "preCompact", Timeout: 10 * time.Second},
				{Name: "sessionEnd", Timeout: 10 * time.Second},
			},
		},
		Guides: []Guide{
			{Kind: Skill, User: at("{copilot}/skills/memory/SKILL.md")},
			{Kind: Block, Project: at("{project}/AGENTS.md")},
		},
		Dirs:   []string{"COPILOT_PROJECT_DIR"},
		Reload: "start a new session",
	}
}

// cline has one program per event, and none of ours where there is no POSIX
// shell to start it.
func cline() Host {
	const settings = "/settings/cline_mcp_settings.json"
	extension := editorUser("Code", "/globalStorage/saoudrizwan.claude-dev")
	return Host{
		ID: "cline", Name: "Cline", Commands: []string{"cline"},
		Found: Paths{
			Linux: append([]string{"{cline}"}, extension.Linux...), Darwin: append([]string{"{cline}"}, extension.Darwin...),
			Windows: append([]string{"{cline}"}, extension.Windows...),
		},
		User: []File{
			{Paths: editorUser("Code", "/globalStorage/saoudrizwan.claude-dev"+settings), Needs: extension, Format: JSON, Key: "mcpServers", Entry: Plain},
			{Paths: at("{cline}/data" + settings), Needs: at("{cline}"), Commands: []string{"cline"}, Format: JSON, Key: "mcpServers", Entry: Plain},
		},
		Hooks: &Hooks{
			Paths: Paths{Any: []string{"{home}/Documents/Cline/Hooks"}, Windows: []string{}}, Style: Scripts,
			Review: "Cline runs hooks only when they are switched on in its settings",
			Events: []Event{
				{Name: "TaskStart"}, {Name: "TaskResume"}, {Name: "UserPromptSubmit"}, {Name: "PreCompact"}, {Name: "TaskComplete"}, {Name: "TaskCancel"},
			},
		},
		Guides: []Guide{{Kind: Block, Project: at("{project}/AGENTS.md")}},
		Reload: "nothing: it watches its file",
	}
}

func gemini() Host {
	return Host{
		ID: "gemini", Name: "Gemini CLI", Commands: []string{"gemini"}, Found: at("{home}/.gemini"),
		User:    []File{{Paths: at("{home}/.gemini/settings.json"), Format: JSONComments, Key: "mcpServers", Entry: Plain}},
		Project: []File{{Paths: at("{project}/.gemini/settings.json"), Format: JSONComments, Key: "mcpServers", Entry: Plain}},
		Hooks: &Hooks{
			Paths: at("{home}/.gemini/settings.json"), Format: JSONComments, Style: Grouped, Unit: time.Millisecond, Shell: Shells{Windows: PowerShell},
			Events: []Event{
				{Name: "SessionStart", Timeout: 10 * time.Second},
				{Name: "BeforeAgent", Timeout: 5 * time.Second},
				{Name: "AfterAgent", Timeout: 5 * time.Second},
				{Name: "SessionEnd", Timeout: 10 * time.Second},
			},
		},
		Guides: []Guide{
			{Kind: CommandTOML, User: at("{home}/.gemini/commands/mem.toml"), Project: at("{project}/.gemini/commands/mem.toml")},
			{Kind: Block, Project: at("{project}/GEMINI.md")},
		},
		Dirs: []string{"GEMINI_PROJECT_DIR"}, Sessions: []string{"GEMINI_SESSION_ID"},
		Reload: "run /mcp refresh, or start a new session",
	}
}

func qwen() Host {
	return Host{
		ID: "qwen", Name: "Qwen Code", Commands: []string{"qwen"}, Found: at("{home}/.qwen"),
		User:    []File{{Paths: at("{home}/.qwen/settings.json"), Format: JSONComments, Key: "mcpServers", Entry: Plain}},
		Project: []File{{Paths: at("{project}/.qwen/settings.json"), Format: JSONComments, Key: "mcpServers", Entry: Plain}},
		Hooks: &Hooks{
			Paths: at("{home}/.qwen/settings.json"), Format: JSONComments, Style: Grouped, Unit: time.Millisecond, Shell: Shells{Windows: CMD},
			Events: []Event{
				{Name: "SessionStart", Timeout: 10 * time.Second},
				{Name: "UserPromptSubmit", Timeout: 5 * time.Second},
				{Name: "Stop", Timeout: 5 * time.Second},
				{Name: "PreCompact", Timeout: 10 * time.Second},
				{Name: "SessionEnd", Timeout: 10 * time.Second},
			},
		},
		Guides: []Guide{
			{Kind: CommandTOML, User: at("{home}/.qwen/commands/mem.toml"), Project: at("{project}/.qwen/commands/mem.toml")},
			{Kind: Block, Project: at("{project}/AGENTS.md")},
		},
		Dirs: []string{"QWEN_PROJECT_DIR"}, Sessions: []string{"QWEN_CODE_SESSION_ID"},
		Reload: "start a new session",
	}
}

func opencode() Host {
	return Host{
		ID: "opencode", Name: "opencode", Commands: []string{"opencode"}, Found: at("{config}/opencode"),
		User:    []File{{Paths: at("{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"), Format: JSONC, Key: "mcp", Entry: Joined}},
		Project: []File{{Paths: at("{project}/opencode.json", "{project}/opencode.jsonc"), Format: JSONC, Key: "mcp", Entry: Joined}},
		Hooks:   &Hooks{Paths: at("{config}/opencode/plugins/memory-mcp.js"), Style: Plugin},
		Guides: []Guide{
			{Kind: Skill, User: at("{config}/opencode/skills/memory/SKILL.md")},
			{Kind: Command, User: at("{config}/opencode/commands/mem.md"), Project: at("{project}/.opencode/commands/mem.md")},
			{Kind: Block, Project: at("{project}/AGENTS.md")},
		},
		SkillsOf: "claude-code",
		Reload:   "start it again",
	}
}

func zed() Host {
	user := Paths{
		Linux: []string{"{config}/zed/settings.json"}, Darwin: []string{"{dotconfig}/zed/settings.json"},
		Windows: []string{"{appdata}/Zed/settings.json"},
	}
	return Host{
		ID: "zed", Name: "Zed", Commands: []string{"zed", "zeditor"},
		Found: Paths{
			Linux: []string{"{config}/zed"}, Darwin: []string{"{dotconfig}/zed", "/Applications/Zed.app"},
			Windows: []string{"{appdata}/Zed"},
		},
		User:    []File{{Paths: user, Format: JSONC, Key: "context_servers", Entry: Custom}},
		Project: []File{{Paths: at("{project}/.zed/settings.json"), Format: JSONC, Key: "context_servers", Entry: Custom}},
		Guides:  []Guide{{Kind: Block, Project: at("{project}/AGENTS.md")}},
		Reload:  "nothing: it reads its settings when they are saved",
	}
}
