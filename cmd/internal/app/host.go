package app

import (
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/lobes/repo"
)

// hostDirVariables name the project in the environment that agents' hosts give
// to the programs they start, the most particular first: some hosts also set
// the variables of others.
func hostDirVariables() []string {
	return []string{
		"CURSOR_PROJECT_DIR", "QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR",
		"WORKSPACE_FOLDER_PATHS",
	}
}

func sessionVariables() []string {
	return []string{"QWEN_CODE_SESSION_ID", "GEMINI_SESSION_ID", "CLAUDE_CODE_SESSION_ID"}
}

// hostDirs are the folders that the agent's host named in the environment.
func (a *App) hostDirs() []string {
	var found []string
	for _, name := range hostDirVariables() {
		for _, dir := range filepath.SplitList(a.o.Getenv(name)) {
			for part := range strings.SplitSeq(dir, ",") {
				if filepath.IsAbs(part) && !slices.Contains(found, part) {
					found = append(found, filepath.Clean(part))
				}
			}
		}
	}
	return found
}

// Session is the id of the host's session, empty when it does not tell.
func (a *App) Session() string {
	for _, name := range sessionVariables() {
		if id := a.o.Getenv(name); id != "" {
			return id
		}
	}
	return ""
}

// inRepository tells whether a folder belongs to a repository that can be
// used. The caller holds the lock.
func (a *App) inRepository(dir string) bool {
	_, err := repo.Discover(dir, a.git(a.now.config))
	return err == nil
}
