package hosts

// others are hosts of which less is certain: a file is edited only where it is
// there already, and otherwise the entry is shown.
func others() []Host {
	return []Host{
		plain("roo", "Roo Code", editorUser("Code", "/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json")),
		{
			ID: "kilo", Name: "Kilo Code", Commands: []string{"kilo"}, Found: at("{config}/kilo"),
			User: []File{{Paths: at("{config}/kilo/kilo.json", "{config}/kilo/kilo.jsonc"), Format: JSONC, Key: "mcp", Entry: Joined, Existing: true}},
		},
		{
			ID: "amp", Name: "Amp", Commands: []string{"amp"}, Found: at("{config}/amp"),
			User: []File{{
				Paths:  at("{config}/amp/settings.json", "{config}/amp/settings.jsonc"),
				Format: JSONC, Key: "amp.mcpServers", Entry: Plain, Existing: true,
			}},
		},
		plain("junie", "Junie", at("{home}/.junie/mcp/mcp.json")),
		plain("kiro", "Kiro", at("{home}/.kiro/settings/mcp.json")),
		plain("antigravity", "Antigravity", at("{home}/.gemini/config/mcp_config.json")),
		plain("kimi", "Kimi", at("{home}/.kimi-code/mcp.json")),
		plain("droid", "Factory Droid", at("{home}/.factory/mcp.json")),
		plain("lmstudio", "LM Studio", at("{home}/.lmstudio/mcp.json")),
		{
			ID: "grok", Name: "Grok Build", Commands: []string{"grok"}, Found: at("{home}/.grok/config.toml"),
			User: []File{{Paths: at("{home}/.grok/config.toml"), Format: TOML, Key: "mcp_servers", Entry: Table, Existing: true}},
		},
		{
			ID: "goose", Name: "Goose", Commands: []string{"goose"},
			Found: Paths{Any: []string{"{config}/goose"}, Windows: []string{"{appdata}/Block/goose"}},
			User: []File{{
				Paths:  Paths{Any: []string{"{config}/goose/config.yaml"}, Windows: []string{"{appdata}/Block/goose/config/config.yaml"}},
				Format: YAML, Key: "extensions", Entry: Goose,
			}},
		},
		{
			ID: "continue", Name: "Continue", Found: at("{home}/.continue"),
			User: []File{{Paths: at("{home}/.continue/config.yaml"), Format: YAML, Key: "mcpServers", Entry: Continue}},
		},
		{
			ID: "jetbrains", Name: "JetBrains AI Assistant",
			User: []File{{Format: Settings, Key: "mcpServers", Entry: Plain}},
		},
		{
			ID: "warp", Name: "Warp",
			User: []File{{Format: Settings, Key: "mcpServers", Entry: Plain}},
		},
	}
}

func plain(id, name string, file Paths) Host {
	return Host{
		ID: id, Name: name, Found: file,
		User:   []File{{Paths: file, Format: JSON, Key: "mcpServers", Entry: Plain, Existing: true}},
		Reload: "start it again",
	}
}
