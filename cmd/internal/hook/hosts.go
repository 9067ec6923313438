package hook

import "strings"

// The hosts whose words differ. Their ids are those of the package hosts.
const (
	claudeCode = "claude-code"
	codex      = "codex"
	gemini     = "gemini"
	qwen       = "qwen"
	cursor     = "cursor"
	copilot    = "copilot"
	vscode     = "vscode"
	cline      = "cline"
	opencode   = "opencode"
	windsurf   = "windsurf"
)

// speaker tells whose words an event is in. Hosts also run the hooks that they
// find in other hosts' files: what the event looks like counts more than what
// the command line says.
func speaker(host string, f fields, getenv func(string) string) string {
	switch {
	case f.has("cursor_version"):
		return cursor
	case f.has("clineVersion"):
		return cline
	case f.has("agent_action_name"):
		return windsurf
	case f.has("sessionId") && f.has("hookEventName"):
		return vscode
	}
	if host != claudeCode && host != "" {
		return host
	}
	for _, h := range []struct{ variable, id string }{
		{"QWEN_CODE_CLI", qwen}, {"QWEN_CODE_SESSION_ID", qwen}, {"GEMINI_SESSION_ID", gemini}, {"COPILOT_CLI", copilot},
	} {
		if host == "" && getenv(h.variable) != "" || host == claudeCode && h.id == copilot && getenv(h.variable) != "" && getenv("CLAUDECODE") == "" {
			return h.id
		}
	}
	switch {
	case host != "":
		return host
	case f.has("turn_id"):
		return codex
	}
	return claudeCode
}

// momentOf translates the name of an event. Only a few names mean different
// things to different hosts.
func momentOf(host, name string) Moment {
	switch strings.ToLower(name) {
	case "sessionstart", "taskstart", "taskresume":
		return Start
	case "userpromptsubmit", "userpromptsubmitted", "beforeagent", "experimental.chat.system.transform":
		return Prompt
	case "posttooluse", "aftertool":
		return Wrote
	case "stop", "agentstop", "afteragent", "session.idle":
		return Stop
	case "precompact", "experimental.session.compacting":
		return Compact
	case "precompress":
		return "" // comes with every turn, whether or not anything is shortened
	case "sessionend", "taskcomplete", "taskcancel", "session.deleted":
		return End
	}
	return ""
}

// copilotEvent finds the name of an event that Copilot's own hooks leave out.
func copilotEvent(f fields) string {
	switch {
	case f.has("toolName"):
		return "postToolUse"
	case f.has("stopReason") || f.has("stop_hook_active"):
		return "agentStop"
	case f.has("prompt"):
		return "userPromptSubmitted"
	case f.has("initialPrompt") || f.has("source"):
		return "sessionStart"
	case f.has("trigger"):
		return "preCompact"
	case f.has("reason"):
		return "sessionEnd"
	}
	return ""
}
