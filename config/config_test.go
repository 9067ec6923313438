package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"memory-mcp/config"
)

// world is a home directory, a working directory and an environment of its own.
type world struct {
	t    *testing.T
	home string
	cwd  string
	env  map[string]string
	path string
	bin  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	home := t.TempDir()
	cwd := filepath.Join(home, "work")
	if err := os.MkdirAll(cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	return &world{t: t, home: home, cwd: cwd, bin: filepath.Join(home, "bin"), env: map[string]string{"XDG_CONFIG_HOME": filepath.Join(home, "xdg")}}
}

func (w *world) options() config.Options {
	return config.Options{Path: w.path, Getenv: func(k string) string { return w.env[k] }, Home: w.home, Cwd: w.cwd, BinaryDir: w.bin}
}

// file writes a configuration at the explicit place and returns its path.
func (w *world) file(text string) string {
	w.t.Helper()
	w.path = filepath.Join(w.home, "explicit.json")
	return w.write(w.path, text)
}

func (w *world) write(path, text string) string {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) load() *config.Config {
	w.t.Helper()
	c, err := config.Load(w.options())
	if err != nil {
		w.t.Fatalf("Load: %v", err)
	}
	return c
}

func warnings(c *config.Config) string {
	var lines []string
	for _, p := range c.Warnings {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

func TestWithoutAnythingTheWorkingDirectoryIsTheLobe(t *testing.T) {
	w := newWorld(t)
	c := w.load()
	want := []config.Lobe{{Root: w.cwd, Budget: 2 << 20}}
	if c.Source != config.SourceDefault || c.Path != "" || !reflect.DeepEqual(c.Lobes, want) {
		t.Errorf("got source %q, path %q, lobes %+v", c.Source, c.Path, c.Lobes)
	}
	if c.Home != filepath.Join(w.home, ".memory-mcp") {
		t.Errorf("home is %q", c.Home)
	}
	b := config.Behavior{StaleDaysStandard: 30, MaxStaleInBriefing: 5, MaxDedupSuggestions: 3, MaxConflictPairs: 2,
		HalfLifeDays: 30, HalfLives: map[string]float64{}, Boosts: true}
	if !reflect.DeepEqual(c.Behavior, b) {
		t.Errorf("behavior is %+v, want %+v", c.Behavior, b)
	}
	if len(c.Warnings) != 0 {
		t.Errorf("warnings: %s", warnings(c))
	}
}

func TestPlacesAreReadInOrder(t *testing.T) {
	w := newWorld(t)
	places := []string{
		filepath.Join(w.bin, config.FileName),
		filepath.Join(w.home, ".memory-mcp", config.FileName),
		filepath.Join(w.home, "xdg", "memory-mcp", config.FileName),
		filepath.Join(w.home, "variable.json"),
		filepath.Join(w.home, "flag.json"),
	}
	for i, place := range places {
		w.write(place, `{"lobes": {"a": {"root": "a"}}}`)
		if i == 3 {
			w.env["MEMORY_MCP_CONFIG"] = "~/variable.json"
		}
		if i == 4 {
			w.path = place
		}
		c := w.load()
		if c.Path != place || config.DefaultPath(w.options()) != place {
			t.Errorf("Load read %q and DefaultPath is %q, want %q", c.Path, config.DefaultPath(w.options()), place)
		}
		if want := filepath.Join(filepath.Dir(place), "a"); c.Lobes[0].Root != want {
			t.Errorf("root is %q, want %q", c.Lobes[0].Root, want)
		}
		if hidden := len(c.Warnings); i < 3 && hidden != i {
			t.Errorf("%d files are hidden and %d are told: %s", i, hidden, warnings(c))
		}
	}
}

func TestMovedHome(t *testing.T) {
	w := newWorld(t)
	moved := filepath.Join(w.home, "elsewhere")
	w.env["MEMORY_MCP_HOME"] = moved
	if c := w.load(); c.Home != moved {
		t.Errorf("home is %q, want %q", c.Home, moved)
	}
	if got, want := config.DefaultPath(w.options()), filepath.Join(moved, config.FileName); got != want {
		t.Errorf("DefaultPath is %q, want %q", got, want)
	}
	w.file("{")
	if home, err := config.HomePath(w.options()); home != moved || err != nil {
		t.Errorf("with a broken file, HomePath is %q (%v), want %q", home, err, moved)
	}
	w.env["MEMORY_MCP_HOME"] = "relative"
	if _, err := config.Load(w.options()); err == nil || !strings.Contains(err.Error(), `MEMORY_MCP_HOME: "relative" is not an absolute path`) {
		t.Errorf("a relative home gives %v", err)
	}
}

func TestNewFileBelongsToTheUserConfigurationDirectory(t *testing.T) {
	w := newWorld(t)
	if got, want := config.DefaultPath(w.options()), filepath.Join(w.home, "xdg", "memory-mcp", config.FileName); got != want {
		t.Errorf("DefaultPath is %q, want %q", got, want)
	}
	delete(w.env, "XDG_CONFIG_HOME")
	want := map[string]string{"linux": ".config", "darwin": "Library/Application Support", "windows": "AppData/Roaming"}[runtime.GOOS]
	if want == "" {
		t.Skipf("the configuration directory of %s is not in the table", runtime.GOOS)
	}
	if got, want := config.DefaultPath(w.options()), filepath.Join(w.home, want, "memory-mcp", config.FileName); got != want {
		t.Errorf("DefaultPath is %q, want %q", got, want)
	}
}

func TestFileIsReadWhole(t *testing.T) {
	w := newWorld(t)
	path := w.file("\ufeff" + `// what we remember
{
  "lobes": {
    "workrail": {"root": "$HOME/git/workrail", "budgetMB": 0.5},
    /* shared */
    "notes.v2": {"root": "~/notes", "memoryDir": "${HOME}/mem", "alwaysInclude": true, "files": "user", "fileNames": "slug"},
    "near": {"root": "near", "memoryDir": "m", "files": "agent-inferred", "fileNames": "id", "budgetMB": null},
  },
  "//": "a comment of strict JSON", "$schema": "x",
  "tools": "verbs", "readOnly": true, "debug": true,
  "trustedRoots": ["/srv/a", "~/b"], "bareRepositories": "/srv/c.git", "languages": ["French", "ru", "ru"],
  "behavior": {"staleDaysStandard": 7, "staleDaysPreferences": 90, "staleDaysGotchas": 0, "maxStaleInBriefing": 1, "maxDedupSuggestions": 10,
    "maxConflictPairs": 5, "halfLifeDays": 90, "halfLives": {"episode": 14}, "boosts": "off"}
} // no end of line`)
	c := w.load()
	if len(c.Warnings) != 0 {
		t.Fatalf("warnings: %s", warnings(c))
	}
	want := []config.Lobe{
		{Name: "workrail", Root: filepath.Join(w.home, "git/workrail"), Budget: 1 << 19, Line: 4},
		{Name: "notes.v2", Root: filepath.Join(w.home, "notes"), MemoryDir: filepath.Join(w.home, "mem"), Budget: 2 << 20, AlwaysInclude: true, Files: "user", FileNames: "slug", Line: 6},
		{Name: "near", Root: filepath.Join(w.home, "near"), MemoryDir: filepath.Join(w.home, "near/m"), Budget: 2 << 20, Line: 7},
	}
	if !reflect.DeepEqual(c.Lobes, want) {
		t.Errorf("lobes are\n%+v, want\n%+v", c.Lobes, want)
	}
	if c.Source != config.SourceFile || c.Path != path || c.Tools != "verbs" || !c.ReadOnly || !c.Debug {
		t.Errorf("got %+v", c)
	}
	if want := []string{filepath.FromSlash("/srv/a"), filepath.Join(w.home, "b")}; !reflect.DeepEqual(c.TrustedRoots, want) {
		t.Errorf("trustedRoots are %q, want %q", c.TrustedRoots, want)
	}
	if len(c.BareRepositories) != 1 || !reflect.DeepEqual(c.Languages, []string{"french", "russian"}) {
		t.Errorf("bareRepositories are %q, languages %q", c.BareRepositories, c.Languages)
	}
	b := config.Behavior{StaleDaysStandard: 7, StaleDaysPreferences: 90, MaxStaleInBriefing: 1, MaxDedupSuggestions: 10, MaxConflictPairs: 5,
		HalfLifeDays: 90, HalfLives: map[string]float64{"episode": 14}}
	if !reflect.DeepEqual(c.Behavior, b) {
		t.Errorf("behavior is %+v, want %+v", c.Behavior, b)
	}
	if c.Behavior.HalfLife("episode") != 14 || c.Behavior.HalfLife("fact") != 90 {
		t.Errorf("half-lives are %v and %v", c.Behavior.HalfLife("episode"), c.Behavior.HalfLife("fact"))
	}
}

func TestFileWithoutLobesKeepsItsSettings(t *testing.T) {
	w := newWorld(t)
	path := w.file(`{"lobes": {}, "tools": "full"}`)
	c := w.load()
	if c.Source != config.SourceDefault || c.Path != path || c.Tools != "full" || len(c.Lobes) != 1 || c.Lobes[0].Root != w.cwd {
		t.Errorf("got %+v", c)
	}
}

func TestLobesThatCannotBeReadAreNotReplacedByOthers(t *testing.T) {
	for _, text := range []string{`{"lobes": {"a": {}}}`, `{"lobes": 3}`, `{"lobes": {"global": {"root": "x"}}}`} {
		w := newWorld(t)
		w.file(text)
		c := w.load()
		if c.Source != config.SourceFile || len(c.Lobes) != 0 || len(c.Warnings) == 0 {
			t.Errorf("%s: source %q, lobes %+v, warnings %q", text, c.Source, c.Lobes, warnings(c))
		}
	}
}

func TestExampleIsStrictCompleteAndQuiet(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "memory-config.json.example"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.file(string(text))
	c := w.load()
	if len(c.Warnings) != 0 || len(c.Lobes) == 0 || len(c.Lobes[0].Root) == 0 {
		t.Errorf("lobes %+v, warnings: %s", c.Lobes, warnings(c))
	}
	for _, key := range missingKeys(t, text) {
		t.Errorf("the example does not show the key %q", key)
	}
}
