package hook

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
)

// mostLine is the size in bytes of the longest line of a transcript that is
// read; what is longer holds a file or a picture, and is passed over.
const mostLine = 4 << 20

// Said streams what was said in a transcript, in its order: the words of the
// person and of the agent, without tools and their results, without what hosts
// and we put in. It knows the forms of all hosts by what a line looks like. A
// line that cannot be read, and one that was seen before, counts as nothing.
func Said(r io.Reader) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		seen := map[string]bool{}
		for line := range linesOf(r) {
			m, ok := messageOf(line)
			if !ok || m.ID != "" && seen[m.ID] && !m.Kept {
				continue
			}
			if m.ID != "" {
				seen[m.ID] = true
			}
			if m.Role == user {
				m.Text = personal(m.Text)
			} else {
				m.Text = clean(m.Text)
			}
			if (m.Text != "" || m.Kept) && !yield(m) {
				return
			}
		}
	}
}

// linesOf streams lines. One that is too long is left out, and so is a last
// one that a writer has not finished.
func linesOf(r io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		var long []byte
		for skip := false; ; {
			part, err := in.ReadSlice('\n')
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				if skip = skip || len(long)+len(part) > mostLine; !skip {
					long = append(long, part...)
				}
			case err != nil && (len(part) == 0 && len(long) == 0 || skip):
				return
			case err != nil:
				yield(append(long, part...)) // parses only when it is whole
				return
			case skip:
				skip, long = false, long[:0]
			case len(long) > 0:
				if !yield(append(long, part...)) {
					return
				}
				long = long[:0]
			default:
				if !yield(part) {
					return
				}
			}
			if skip {
				long = long[:0]
			}
		}
	}
}

// personal is what the person typed of a message in the person's name; empty
// when a host or a program wrote it.
func personal(text string) string {
	bare := strings.TrimSpace(text)
	for _, start := range []string{
		"<command-name>", "<command-message>", "<local-command-", "<system-reminder>", "Caveat:", "<environment_context>",
		"<user_instructions>", "# AGENTS.md", "This session is being continued from a previous conversation", "[Request interrupted",
		"<turn_aborted>", "<bash-", "<task-notification>", "<teammate-message", sign,
	} {
		if strings.HasPrefix(bare, start) {
			return ""
		}
	}
	return clean(text)
}

// messageOf reads one line of a transcript, whichever host's it is.
func messageOf(line []byte) (Message, bool) {
	var f fields
	if json.Unmarshal(line, &f) != nil || f == nil {
		return Message{}, false
	}
	switch {
	case f.has("payload"):
		return rolloutMessage(f)
	case f.has("data"):
		return eventMessage(f)
	case f.has("message"):
		return envelopeMessage(f)
	case f.has("role") && f.has("text"):
		m := Message{ID: f.text("id"), Role: f.text("role"), Text: f.text("text"), Kept: f.flag("kept")}
		return m, m.Role == user || m.Role == assistant
	}
	return turnMessage(f)
}

// envelopeMessage is a line of Claude Code, Qwen Code or Cursor: a message
// with facts about it around.
func envelopeMessage(f fields) (Message, bool) {
	for _, not := range []string{"isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"} {
		if f.flag(not) {
			return Message{}, false
		}
	}
	inner := f.object("message")
	m := Message{ID: f.text("uuid", "id")}
	switch either(either(f.text("type"), inner.text("role")), f.text("role")) {
	case user:
		m.Role = user
	case assistant, "model":
		m.Role = assistant
	default:
		return Message{}, false
	}
	p := partsOf(inner["content"])
	if inner.has("parts") {
		p = partsOf(inner["parts"])
	}
	m.Text, m.Kept = p.text, p.kept
	return m, true
}

// rolloutMessage is a line of Codex.
func rolloutMessage(f fields) (Message, bool) {
	if f.text("type") != "response_item" {
		return Message{}, false // events tell the same once more
	}
	p := f.object("payload")
	switch p.text("type") {
	case "function_call", "custom_tool_call", "mcp_tool_call":
		kept := keeps(p.text("name"), p["arguments"])
		return Message{ID: p.text("call_id"), Role: assistant, Kept: kept}, kept
	case "message":
	default:
		return Message{}, false
	}
	m := Message{ID: either(p.text("id"), f.text("id")), Role: p.text("role")}
	if m.Role != user && m.Role != assistant {
		return Message{}, false
	}
	kinds := p.list("content_item_kinds")
	if kinds == nil {
		kinds = p.object("metadata").list("content_item_kinds")
	}
	m.Text = rolloutText(p["content"], kinds)
	return m, true
}

// rolloutText joins the parts of a message; where Codex tells what each part
// is, only the person's own.
func rolloutText(raw json.RawMessage, kinds []string) string {
	var all []struct{ Text string }
	if json.Unmarshal(raw, &all) != nil {
		return ""
	}
	var texts []string
	for i, part := range all {
		if i < len(kinds) && strings.Contains(kinds[i], ".") && kinds[i] != "user.text" && !strings.HasPrefix(kinds[i], "assistant.") {
			continue
		}
		texts = append(texts, personal(part.Text))
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// eventMessage is a line of Copilot.
func eventMessage(f fields) (Message, bool) {
	data := f.object("data")
	m := Message{ID: f.text("id"), Text: data.text("content")}
	switch f.text("type") {
	case "user.message":
		m.Role = user
	case "assistant.message":
		m.Role = assistant
		m.Kept = partsOf(data["toolRequests"]).kept
	default:
		return Message{}, false
	}
	return m, true
}

// turnMessage is a line of Gemini.
func turnMessage(f fields) (Message, bool) {
	m := Message{ID: f.text("id")}
	switch f.text("type") {
	case user:
		m.Role = user
	case "gemini", assistant:
		m.Role = assistant
	default:
		return Message{}, false
	}
	p := partsOf(f["content"])
	m.Text, m.Kept = p.text, p.kept || partsOf(f["toolCalls"]).kept
	return m, true
}

// parts are the pieces of a message taken together.
type parts struct {
	text string
	kept bool // one of them calls the memory to write
}

func partsOf(raw json.RawMessage) parts {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		return parts{text: whole}
	}
	var list []fields
	if json.Unmarshal(raw, &list) != nil {
		return parts{}
	}
	var p parts
	var texts []string
	for _, f := range list {
		kind := f.text("type")
		if call := f.object("functionCall"); call != nil {
			p.kept = p.kept || keeps(call.text("name"), call["args"])
		}
		if kind != "tool_result" && f.has("name") {
			p.kept = p.kept || keeps(f.text("name"), orRaw(f["input"], orRaw(f["arguments"], f["args"])))
		}
		if kind == "" || kind == "text" || kind == "input_text" || kind == "output_text" {
			texts = append(texts, f.text("text"))
		}
	}
	p.text = strings.TrimSpace(strings.Join(texts, "\n"))
	return p
}

func orRaw(a, b json.RawMessage) json.RawMessage {
	if len(a) > 0 {
		return a
	}
	return b
}

// keeps tells whether a call of a tool writes into the memory.
func keeps(tool string, args json.RawMessage) bool {
	tool = strings.ToLower(tool)
	for _, verb := range []string{"memory_store", "memory_correct", "memory_checkpoint", "memory_record", "memory_feedback"} {
		if strings.Contains(tool, verb) {
			return true
		}
	}
	for _, verb := range []string{"learn", "prefer", "gotcha", "convention", "fix"} {
		if strings.HasSuffix(tool, verb) && strings.Contains(tool, "mem") {
			return true
		}
	}
	for _, command := range []string{"memory-mcp store", "memory-mcp correct", "memory-mcp checkpoint"} {
		if strings.Contains(string(args), command) {
			return true
		}
	}
	return false
}
