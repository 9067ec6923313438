package main_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"memory-mcp/cmd/internal/cli"
)

// TestMain lets the test binary play the program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"memory-mcp": func() { os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Process())) },
	})
}

func TestScript(t *testing.T) { runScripts(t, "script", nil) }

// runScripts runs the scripts of a folder in testdata, each in a world of its
// own, to which more is added.
func runScripts(t *testing.T, dir string, more func(work string) error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", dir),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("MEMORY_MCP_HOME", filepath.Join(env.WorkDir, "memory"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("NO_COLOR", "1")
			env.Setenv("TERM", "xterm")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			if more != nil {
				if err := more(env.WorkDir); err != nil {
					return err
				}
			}
			config := "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
			return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600)
		},
		Cmds: commands(),
	})
}
