package hook

import (
	"bytes"
	"encoding/json"
)

// An Answer is what a hook says, before it is in a host's words. The zero one
// is silence.
type Answer struct {
	Context string // to be put before the model
	Nudge   string // why the agent should go on for a moment
}

// nested is the answer of Claude Code and of the hosts that took it over. They
// drop the whole of it over one key that they do not know.
type nested struct {
	Output specific `json:"hookSpecificOutput"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

type decision struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

// Encode writes an answer in the words of the event's host: one JSON document
// with a line end, or nothing where there is nothing to say or the host would
// not hear it.
func (e Event) Encode(a Answer) ([]byte, error) {
	switch {
	case a.Context != "":
		return document(e.context(a.Context))
	case a.Nudge != "":
		return document(e.nudge(a.Nudge))
	}
	return nil, nil
}

func (e Event) context(text string) any {
	if e.Moment != Start && e.Moment != Prompt && e.Moment != Wrote {
		return nil // no host adds anything then
	}
	switch e.Host {
	case claudeCode, codex, gemini, qwen, vscode:
		return nested{specific{e.Name, text}}
	case copilot, opencode:
		return struct {
			Context string `json:"additionalContext"`
		}{text}
	case cursor:
		if e.Moment == Prompt {
			return nil // this host only lets a prompt through or not
		}
		return struct {
			Context string `json:"additional_context"`
		}{text}
	case cline:
		return struct {
			Cancel  bool   `json:"cancel"`
			Context string `json:"contextModification"`
			Error   string `json:"errorMessage"`
		}{Context: text}
	}
	return nil
}

func (e Event) nudge(text string) any {
	switch e.Host {
	case claudeCode, codex, qwen, vscode, copilot:
		return decision{"block", text}
	case gemini:
		return decision{"deny", text}
	case cursor:
		return struct {
			Message string `json:"followup_message"`
		}{text}
	}
	return nil
}

func document(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
