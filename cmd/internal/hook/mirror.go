package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
	"memory-mcp/textanalysis"
)

// mirror hands on a file that a tool wrote into the host's own memory.
func (h *Hook) mirror(e Event) error {
	if h.Start == nil || !h.remembers(e.Host, e.File) {
		return nil
	}
	args := []string{"sweep", "--host", e.Host, "--session", e.ID, "--memory-file", e.File}
	if len(h.Target.Dirs) > 0 {
		args = append(args, "--dir", h.Target.Dirs[len(h.Target.Dirs)-1])
	}
	return h.Start(args...)
}

// indexFile is the list of its memories that a host keeps beside them.
const indexFile = "MEMORY.md"

// remembers tells whether a file is a memory of its host's own.
func (h *Hook) remembers(host, path string) bool {
	if host != claudeCode || !strings.EqualFold(filepath.Ext(path), ".md") || filepath.Base(path) == indexFile {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	for _, dir := range h.folders(host) {
		top, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		inside, err := filepath.Rel(filepath.Join(top, "projects"), real)
		parts := strings.Split(filepath.ToSlash(inside), "/")
		if err == nil && len(parts) >= 3 && parts[0] != ".." && parts[1] == "memory" {
			return true
		}
		if own := moved(filepath.Join(top, "settings.json"), h.Machine.Home); own != "" && repo.PathWithin(own, real) {
			return true
		}
	}
	return false
}

// moved is where the host's settings put its memory; empty when they do not
// say.
func moved(settings, home string) string {
	b, err := os.ReadFile(settings)
	if err != nil {
		return ""
	}
	var s struct{ AutoMemoryDirectory string }
	if json.Unmarshal(b, &s) != nil || s.AutoMemoryDirectory == "" {
		return ""
	}
	dir := s.AutoMemoryDirectory
	if rest, ok := strings.CutPrefix(dir, "~/"); ok && home != "" {
		dir = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// Mirror stores what a host wrote into its own memory, one memory a file. A
// newer text takes the place of the one before; one that was changed here as
// well is held beside it; one that was taken back stays so.
func (h *Hook) Mirror(ctx context.Context, host, session, path string) (lobes.Receipt, error) {
	if !h.remembers(host, path) {
		return lobes.Receipt{}, fmt.Errorf("mirror %s: it is no memory of %s", path, word(host))
	}
	text, err := readNote(path)
	if err != nil {
		return lobes.Receipt{}, err
	}
	n := noteOf(path, text)
	if strings.TrimSpace(n.Text) == "" {
		return lobes.Receipt{}, nil // an editor's first save
	}
	by := lobes.By{Actor: host, Session: session, Role: "assistant", Source: lobes.MirrorSource}
	key := strings.Join([]string{host, filepath.Base(filepath.Dir(filepath.Dir(path))), filepath.Base(path)}, "\x00")
	return h.Set.Receive(ctx, by, h.Target, []lobes.Received{{Note: n, Key: key, Follow: true}}, 0)
}

func readNote(path string) (text string, err error) {
	f, err := openTranscript(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, err := io.ReadAll(io.LimitReader(f, lobes.MaxText+1))
	if err == nil && len(b) > lobes.MaxText {
		err = fmt.Errorf("mirror %s: it is longer than %d bytes", path, lobes.MaxText)
	}
	return string(b), err
}

// noteOf makes a note of a host's memory file: its name is the title, its
// description opens the text, its type gives the topic and is a tag.
func noteOf(path, text string) lobes.Note {
	head, body := frontMatter(strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\uFEFF"))
	body = strings.TrimSpace(body)
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	n := lobes.Note{
		Title: either(head["name"], either(head["description"], name)), Topic: "general", Trust: "agent-inferred",
		Tags: []string{"claude-memory"}, References: []string{filepath.Base(path)}, StoreAnyway: true,
	}
	switch head["type"] {
	case "user":
		n.Topic = "user"
	case "feedback":
		n.Topic, n.Kind = "preferences", "preference"
	case "":
		prefix, _, _ := strings.Cut(name, "_")
		switch prefix {
		case "user":
			n.Topic = "user"
		case "feedback":
			n.Topic, n.Kind = "preferences", "preference"
		}
	}
	if head["type"] != "" {
		n.Tags = append(n.Tags, head["type"])
	}
	if about := head["description"]; about != "" && !strings.Contains(textanalysis.Normalize(body), textanalysis.Normalize(about)) {
		body = strings.TrimSpace(about + "\n\n" + body)
	}
	n.Text = body
	return n
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
		value = strings.TrimSpace(value)
		if ok && value != "" && head[key] == "" {
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
