package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"memory-mcp/cmd/internal/imports"
	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
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
	batch, err := imports.Read(imports.ClaudeMemory, path)
	if err != nil {
		return lobes.Receipt{}, fmt.Errorf("mirror: %w", err)
	}
	for i := range batch.Notes { // what an agent writes down as it works, not what is brought in
		batch.Notes[i].Confidence = nil
	}
	if len(batch.Notes) == 0 {
		return lobes.Receipt{}, tooLong(path) // or empty: an editor's first save
	}
	by := lobes.By{Actor: host, Session: session, Role: "assistant", Source: lobes.MirrorSource}
	return h.Set.Receive(ctx, by, h.Target, batch.Notes, 0)
}

func tooLong(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() > lobes.MaxText {
		err = fmt.Errorf("mirror %s: it is longer than %d bytes", path, lobes.MaxText)
	}
	return err
}
