package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// A realHost is an agent's program as its maker publishes it, and how to drive
// it without an account.
type realHost struct {
	id, pack, version string
	bin               string // below node_modules/.bin
	files             map[string]string
	env               []string
	list              []string // its own command that lists servers, and connects
	prompt            func(text string) []string
	touches           []string // what the host itself may rewrite
}

func realHosts(base string) []realHost {
	return []realHost{
		{
			id: "claude-code", pack: "@anthropic-ai/claude-code", version: "2.1.332", bin: "claude",
			files: map[string]string{".claude/settings.json": "{\n  \"cleanupPeriodDays\": 30\n}\n"},
			env: []string{
				"ANTHROPIC_BASE_URL=" + base, "ANTHROPIC_API_KEY=dummy", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=false",
			},
			list:    []string{"mcp", "list"},
			prompt:  func(text string) []string { return []string{"-p", text, "--allowedTools", "mcp__memory__*"} },
			touches: []string{".claude.json"},
		},
		{
			id: "codex", pack: "@openai/codex", version: "0.171.0", bin: "codex",
			files: map[string]string{".codex/config.toml": "# mine\nmodel = \"fake\" # no account\nmodel_provider = \"fake\"\n\n[model_providers.fake]\nname = \"fake\"\nbase_url = \"" + base + "/v1\"\nwire_api = \"responses\"\nenv_key = \"FAKE_KEY\"\n"},
			env:   []string{"FAKE_KEY=dummy"},
			list:  []string{"mcp", "list"},
			prompt: func(text string) []string {
				return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", text}
			},
		},
		{
			id: "gemini", pack: "@google/gemini-cli", version: "0.61.0", bin: "gemini",
			files: map[string]string{".gemini/settings.json": "{\n  // no account\n  \"security\": { \"auth\": { \"selectedType\": \"gemini-api-key\" } }\n}\n"},
			env:   []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + base, "GEMINI_CLI_TRUST_WORKSPACE=true"},
			list:  []string{"mcp", "list"},
			prompt: func(text string) []string {
				return []string{"-p", text, "-m", "gemini-2.5-flash", "--yolo"}
			},
		},
		{
			id: "opencode", pack: "opencode-ai", version: "1.18.33", bin: "opencode",
			files: map[string]string{".config/opencode/opencode.jsonc": "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // no account\n  \"model\": \"fake/fake\",\n  \"provider\": {\n    \"fake\": {\n      \"npm\": \"@ai-sdk/openai-compatible\",\n      \"options\": { \"baseURL\": \"" + base + "/v1\", \"apiKey\": \"dummy\" },\n      \"models\": { \"fake\": {} },\n    },\n  },\n}\n"},
			env:   []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
			list:  []string{"mcp", "list"},
			prompt: func(text string) []string {
				return []string{"run", text}
			},
		},
	}
}

// realHostsVariable switches these tests on: they fetch hundreds of megabytes.
const realHostsVariable = "MEMORY_MCP_REAL_HOSTS"

// TestRealHosts gives each agent the memory in an empty home, drives it against
// a fake model, and takes everything back.
func TestRealHosts(t *testing.T) {
	if os.Getenv(realHostsVariable) == "" {
		t.Skipf("it fetches the agents from npm: set %s=1 to run it", realHostsVariable)
	}
	for _, h := range realHosts("") {
		t.Run(h.id, func(t *testing.T) {
			model := newFakeModel(t)
			i := slices.IndexFunc(realHosts(""), func(r realHost) bool { return r.id == h.id })
			h := realHosts(model.URL)[i]
			newStage(t, h, model).play()
		})
	}
}

// cannot says by name what cannot be had: a failure where all is to be proven,
// and never a silent success.
func cannot(t *testing.T, h realHost, format string, args ...any) {
	t.Helper()
	text := fmt.Sprintf("%s %s@%s cannot be had, so nothing is proven of it: ", h.id, h.pack, h.version) + fmt.Sprintf(format, args...)
	if os.Getenv("CI") != "" {
		t.Fatal(text)
	}
	t.Skip(text)
}

// fetch installs a host from npm once, and gives the folder of its command.
func fetch(t *testing.T, h realHost) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		cannot(t, h, "%v", err)
	}
	cache := os.Getenv("MEMORY_MCP_HOSTS_CACHE")
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			cannot(t, h, "%v", err)
		}
		cache = filepath.Join(cache, "memory-mcp-hosts")
	}
	dir := filepath.Join(cache, h.id+"-"+h.version)
	bin := filepath.Join(dir, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return bin
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--loglevel=error", h.pack+"@"+h.version)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		cannot(t, h, "npm: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return bin
}

// A stage is a home with one agent in it, and a repository.
type stage struct {
	t               *testing.T
	host            realHost
	model           *fakeModel
	top, home, repo string
	bin, program    string
}

func newStage(t *testing.T, h realHost, model *fakeModel) *stage {
	top := t.TempDir()
	s := &stage{t: t, host: h, model: model, bin: fetch(t, h), top: top, home: filepath.Join(top, "a home"), repo: filepath.Join(top, "a home", "parcels")}
	s.program = filepath.Join(top, "build", "memory-mcp")
	if out, err := exec.Command("go", "build", "-o", s.program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	s.write(".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")
	s.write("parcels/README.md", "# Parcels\n\nTracks parcels.\n")
	s.write("parcels/go.mod", "module example.org/parcels\n\ngo 1.26\n")
	for name, text := range h.files {
		s.write(name, text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "feat: parcels"}} {
		s.must("git", args...)
	}
	return s
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	at := filepath.Join(s.home, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// longest is how long one program may take: far more than it needs.
const longest = 3 * time.Minute

// run starts a program in the repository, in an environment with nothing of
// this process but the PATH.
func (s *stage) run(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = s.repo
	tmp := filepath.Join(s.top, "tmp")
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return "", err
	}
	c.Env = append([]string{
		"HOME=" + s.home, "PATH=" + s.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + tmp, "TERM=dumb", "NO_COLOR=1", "GIT_CONFIG_NOSYSTEM=1",
	}, s.host.env...)
	for _, name := range []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"} {
		if v := os.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that a host goes with all that it started
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.String(), err
}

func (s *stage) must(name string, args ...string) string {
	s.t.Helper()
	out, err := s.run(name, args...)
	if err != nil {
		s.t.Fatalf("%s %q: %v\n%s", filepath.Base(name), args, err, out)
	}
	return out
}

// snapshot are the files of the home but those of the memory and of git.
func (s *stage) snapshot() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(s.home, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == ".git" || name == ".memory-mcp") {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(s.home, at)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		found[rel] = string(text)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}
