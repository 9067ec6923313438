package hook

import (
	"encoding/json"
	"strings"
)

// A Message is one thing that was said in a session.
type Message struct {
	ID   string `json:"id"`
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
	// Kept tells that the agent wrote into the memory with this message.
	Kept bool `json:"kept,omitempty"`
}

// The roles of a [Message].
const (
	user      = "user"
	assistant = "assistant"
)

// sign opens every text that a hook puts before a model in the person's place,
// so that it is known for ours when it comes back in a transcript.
const sign = "[memory-mcp]"

// blocks are parts of a message that nobody said: what hosts put into it, and
// what we did. The names are those of tags, and may go on.
func blocks() []string {
	return []string{
		"hook_context", "recalled-memory", "system-reminder", "system_reminder", "qwen:", "command-name", "command-message",
		"command-args", "local-command-", "environment_context", "user_instructions", "private", "task-notification",
	}
}

// clean is what the person really said: without what hosts and we put into it.
func clean(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), sign) {
		return ""
	}
	for _, tag := range blocks() {
		text = without(text, tag)
	}
	return strings.TrimSpace(text)
}

// without takes the blocks of a tag out of a text. One that is never closed
// reaches to the end.
func without(text, tag string) string {
	open := "<" + tag
	at := strings.Index(text, open)
	if at < 0 {
		return text
	}
	var b strings.Builder
	for at >= 0 {
		b.WriteString(text[:at])
		name := tagName(text[at+1:])
		rest := text[at:]
		end := strings.Index(rest, "</"+name)
		if end < 0 {
			return b.String()
		}
		rest = rest[end:]
		shut := strings.IndexByte(rest, '>')
		if shut < 0 {
			return b.String()
		}
		text = rest[shut+1:]
		at = strings.Index(text, open)
	}
	b.WriteString(text)
	return b.String()
}

// tagName is the name at the beginning of a tag's inside.
func tagName(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return r == '>' || r == ' ' || r == '\n' || r == '\t' || r == '/' })
	if end < 0 {
		return s
	}
	return s[:end]
}

// within shortens a text to its beginning and its end: people say what they
// want before or after what they paste.
func within(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := text[:most*3/4], text[len(text)-most/4:]
	return strings.ToValidUTF8(head, "") + "\n" + strings.ToValidUTF8(tail, "")
}

// messages are what the event itself holds of the conversation.
func (f fields) messages() []Message {
	var all []Message
	if raw, ok := f["messages"]; ok {
		if err := json.Unmarshal(raw, &all); err != nil {
			return nil
		}
	}
	for i := range all {
		all[i].Text = clean(all[i].Text)
	}
	return all
}
