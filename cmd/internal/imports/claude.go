package imports

import (
	"path/filepath"
	"strings"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// claudeFiles are the memories in Claude Code's folder; its index only lists
// them.
func claudeFiles(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".md") && name != "MEMORY.md"
}

// claudeMemory reads one memory of Claude Code. It has the key that the mirror
// of that folder gives it, so that both are one entry.
func (b *Batch) claudeMemory(path, text string) {
	head, body := frontMatter(text)
	body = strings.TrimSpace(body)
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	n := lobes.Note{Title: either(head["name"], head["description"], name), Topic: "general", Tags: []string{"claude-memory"}, References: []string{filepath.Base(path)}}
	kind := head["type"]
	if kind == "" {
		kind, _, _ = strings.Cut(name, "_")
	} else {
		n.Tags = append(n.Tags, kind)
	}
	switch kind {
	case "user":
		n.Topic = "user"
	case "feedback":
		n.Topic, n.Kind = "preferences", "preference"
	}
	if about := head["description"]; about != "" && !strings.Contains(textanalysis.Normalize(body), textanalysis.Normalize(about)) {
		body = about + "\n\n" + body
	}
	n.Text = body
	key := strings.Join([]string{"claude-code", filepath.Base(filepath.Dir(filepath.Dir(absolute(path)))), filepath.Base(path)}, "\x00")
	b.add(filepath.Base(path), key, n)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func either(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// frontMatter takes a header of simple keys off a text. Keys of a group count
// as the file's own.
func frontMatter(text string) (head map[string]string, body string) {
	head = map[string]string{}
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return head, text
	}
	header, body, ok := strings.Cut(rest, "\n---")
	if !ok {
		return head, text
	}
	for l := range strings.SplitSeq(header, "\n") {
		key, value, ok := strings.Cut(strings.TrimSpace(l), ":")
		if value = strings.TrimSpace(value); ok && value != "" && head[key] == "" {
			head[key] = unquoted(value)
		}
	}
	_, body, _ = strings.Cut(body, "\n")
	return head, body
}

func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
