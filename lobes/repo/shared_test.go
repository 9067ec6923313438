package repo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"memory-mcp/lobes/repo"
)

func TestShared(t *testing.T) {
	for value, want := range map[string]fs.FileMode{
		"": 0, "umask": 0, "false": 0, "0": 0, "nonsense": 0,
		"group": 0o070, "true": 0o070, "1": 0o070,
		"all": 0o075, "world": 0o075, "2": 0o075,
		"0660": 0o070, "0640": 0o050, "0664": 0o075, "0400": 0, "0600": 0,
	} {
		dir := t.TempDir()
		text := "[core]\n\trepositoryformatversion = 0\n"
		if value != "" {
			text += "\tsharedRepository = " + value + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, "config"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := (repo.Repo{CommonDir: dir, GitDir: dir}).Shared(); got != want {
			t.Errorf("core.sharedRepository %q gives %o, want %o", value, got, want)
		}
	}
}
