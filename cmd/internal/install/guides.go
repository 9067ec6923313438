package install

import (
	_ "embed"
	"strings"

	"memory-mcp/cmd/internal/hosts"
)

// The texts that tell an agent when to use the memory. Each is there once.
var (
	//go:embed texts/skill.md
	skillText string
	//go:embed texts/command.md
	commandText string
	//go:embed texts/prompt.md
	promptText string
	//go:embed texts/block.md
	blockText string
	//go:embed texts/rule.mdc
	ruleText string
	//go:embed texts/plugin.js
	pluginText string
)

// guideFile is the whole file of a guide that has one of its own.
func (s server) guideFile(kind hosts.GuideKind) []byte {
	run := line(hosts.POSIX, []string{s.command})
	prompt := strings.ReplaceAll(promptText, "{{program}}", run)
	switch kind {
	case hosts.Command:
		text := strings.ReplaceAll(commandText, "{{prompt}}", strings.ReplaceAll(prompt, "{{args}}", "$ARGUMENTS"))
		return seal(text, "<!-- ", " -->")
	case hosts.CommandTOML:
		text := "description = \"Memory: context, stats, health or start\"\nprompt = " + literal(prompt) + "\n"
		return seal(text, "# ", "")
	case hosts.Rule:
		return seal(ruleText+blockText, "<!-- ", " -->")
	}
	return seal(skillText, "<!-- ", " -->")
}

// plugin is the program for hosts that run one instead of a command.
func plugin(words []string) []byte {
	return seal(strings.ReplaceAll(pluginText, "{{words}}", literal(words)), "// ", "")
}

// script is the program of one event.
func script(words []string) []byte {
	return seal("#!/bin/sh\nexec "+line(hosts.POSIX, words)+"\n", "# ", "")
}
