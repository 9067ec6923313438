package hook

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"memory-mcp/lobes"
)

// A Moment is what happens in a session.
type Moment string

// The moments at which something is done.
const (
	Start   Moment = "start"   // a session begins, or goes on with an empty context
	Prompt  Moment = "prompt"  // the person said something
	Wrote   Moment = "wrote"   // a tool wrote a file
	Stop    Moment = "stop"    // the agent thinks that it is done
	Compact Moment = "compact" // the context is about to be shortened
	End     Moment = "end"     // the session is over
)

// An Event is one call of a host, in our own words.
type Event struct {
	Host   string // whose words the answer is in
	Moment Moment
	Name   string // as the host calls it
	// Source tells how a session starts: startup, resume, clear, compact or
	// fork, as far as the host tells.
	Source string
	lobes.Session
	Transcript string // absolute path; empty when the host keeps none
	Dir        string // where the person works
	Text       string // of the prompt, without what hosts and we put into it
	File       string // that a tool wrote
	Again      bool   // the agent goes on only because a hook asked it to
	Counted    bool   // the host tells when that is so
	// Messages are what was said lately, where the host keeps no transcript
	// that could be read.
	Messages []Message
}

// MaxInput is the size in bytes of the largest event that is read.
const MaxInput = 64 << 20

// Read understands an event. It is not ok when there is nothing to do for it:
// a moment that does not matter, a host that is not known, or no event at all.
// getenv tells which host has started us where the event does not.
func Read(host string, input []byte, getenv func(string) string) (Event, bool) {
	var f fields
	if err := json.Unmarshal(input, &f); err != nil || f == nil {
		return Event{}, false
	}
	e := Event{Host: speaker(host, f, getenv)}
	e.Name = f.text("hook_event_name", "hookEventName", "hookName")
	if e.Name == "" && e.Host == copilot {
		e.Name = copilotEvent(f)
	}
	e.Moment = momentOf(e.Host, e.Name)
	if e.Moment == "" {
		return Event{}, false
	}
	inner := f.object(lowerFirst(e.Name)) // where Cline puts what is particular
	e.ID = f.text("session_id", "sessionId", "conversation_id", "taskId")
	e.Agent = f.text("agent_id", "agentId")
	e.Source = strings.ToLower(f.text("source"))
	e.Transcript = absolute(f.text("transcript_path", "transcriptPath", "agent_transcript_path"))
	e.Dir = absolute(f.text("cwd"))
	if roots := f.list("workspace_roots", "workspaceRoots"); e.Dir == "" || e.Host == cursor {
		for _, root := range roots {
			if root = absolute(root); root != "" {
				e.Dir = root
				break
			}
		}
	}
	e.Text = clean(either(f.text("prompt", "initialPrompt"), inner.text("prompt", "task")))
	e.Again = f.flag("stop_hook_active", "stopHookActive") || f.number("loop_count") > 0
	e.Counted = f.has("stop_hook_active") || f.has("stopHookActive") || f.has("loop_count")
	for _, name := range []string{"tool_input", "toolArgs"} {
		e.File = either(e.File, absolute(f.object(name).text("file_path", "filePath", "path")))
	}
	e.Messages = f.messages()
	return e, true
}

// fields are the members of an event. A member of another kind than was
// expected counts as missing.
type fields map[string]json.RawMessage

func (f fields) text(names ...string) string {
	for _, name := range names {
		var s string
		if raw, ok := f[name]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func (f fields) flag(names ...string) bool {
	for _, name := range names {
		var b bool
		if raw, ok := f[name]; ok && json.Unmarshal(raw, &b) == nil && b {
			return true
		}
	}
	return false
}

func (f fields) number(name string) int {
	n, err := strconv.Atoi(string(f[name]))
	if err != nil {
		return 0
	}
	return n
}

func (f fields) list(names ...string) []string {
	for _, name := range names {
		var l []string
		if raw, ok := f[name]; ok && json.Unmarshal(raw, &l) == nil && len(l) > 0 {
			return l
		}
	}
	return nil
}

func (f fields) object(name string) fields {
	var o fields
	if raw, ok := f[name]; ok && json.Unmarshal(raw, &o) == nil {
		return o
	}
	return nil
}

func (f fields) has(name string) bool { _, ok := f[name]; return ok }

func absolute(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

func either(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
