package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/config"
)

func TestWhatIsIgnoredIsTold(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key near a known one", "{\n\"lobs\": {}}", `:2: lobs: the key is not known, and is ignored; did you mean "lobes"?`},
		{"other spelling of a lobe's key", `{"lobes": {"a": {"root": "a", "budget_mb": 3}}}`, `:1: lobes.a.budget_mb: the key is not known, and is ignored; did you mean "budgetMB"?`},
		{"unknown key like none", `{"embeddings": {}}`, `embeddings: the key is not known, and is ignored; the keys here are lobes, tools,`},
		{"behavior at the top", `{"boosts": "off"}`, `boosts: the key does not belong here, and is ignored; move it into "behavior"`},
		{"lobe's key at the top", `{"root": "x"}`, `root: the key does not belong here, and is ignored; move it into a lobe`},
		{"lobe at the top", `{"my-project": {"root": "x"}}`, `my-project: the key does not belong here, and is ignored; move it into "lobes"`},
		{"top key in behavior", `{"behavior": {"tools": "full"}}`, `behavior.tools: the key does not belong here, and is ignored; move it into the outermost object`},
		{"key twice", "{\"tools\": \"full\",\n\"tools\": \"verbs\"}", `:2: tools: the key is there twice, the first time in line 1, and this one is ignored; remove one of the two`},
		{"lobe twice", "{\"lobes\": {\"a\": {\"root\": \"a\"},\n\n\"a\": {\"root\": \"b\"}}}", `:3: lobes.a: the key is there twice, the first time in line 1`},
		{"lobe without root", `{"lobes": {"a": {"budgetMB": 2}}}`, `lobes.a: the lobe has no root, and is skipped; add the project's folder, like "my-project": {"root":`},
		{"root null", `{"lobes": {"a": {"root": null}}}`, `lobes.a: the lobe has no root, and is skipped`},
		{"lobe that is a text", `{"lobes": {"a": "~/git/a"}}`, `lobes.a: "~/git/a" is not an object, and the lobe is skipped; write it like "my-project": {"root"`},
		{"root of another type", `{"lobes": {"a": {"root": 7}}}`, `lobes.a.root: 7 is not a text, and the lobe is skipped; write it like "root": "~/git/my-project"`},
		{"memoryDir of another type", `{"lobes": {"a": {"root": "a", "memoryDir": ["x"]}}}`, `lobes.a.memoryDir: a list is not a text, and the lobe is skipped`},
		{"other variable", `{"lobes": {"a": {"root": "$WORK/a"}}}`, `lobes.a.root: "$WORK/a" uses the variable "WORK"; only $HOME and ~ are expanded, and the lobe is skipped`},
		{"other home", `{"lobes": {"a": {"root": "~alice/a"}}}`, `"~alice/a" names the home of another user, which is not expanded`},
		{"home is no project", `{"lobes": {"a": {"root": "~"}}}`, `lobes.a.root: "~" is the home directory and never a project; the lobe is skipped`},
		{"file system is no project", `{"lobes": {"a": {"root": "/"}}}`, `lobes.a.root: "/" is the root of the file system and never a project`},
		{"one folder for two", `{"lobes": {"a": {"root": "a", "memoryDir": "/m"}, "b": {"root": "b", "memoryDir": "/m"}}}`, `lobes.b.memoryDir: "/m" is the folder of lobe "a" already, and the lobe is skipped`},
		{"reserved name", `{"lobes": {"Global": {"root": "a"}}}`, `lobes.Global: "Global" is a reserved name, and the lobe is skipped; name it like`},
		{"name with a blank", `{"lobes": {"my project": {"root": "a"}}}`, `and the lobe is skipped; did you mean "my-project"?`},
		{"name of dots", `{"lobes": {"..": {"root": "a"}}}`, `lobes...: ".." is not a name, and the lobe is skipped`},
		{"empty name", `{"lobes": {"": {"root": "a"}}}`, `the name of a lobe is empty, and the lobe is skipped`},
		{"budget as text", `{"lobes": {"a": {"root": "a", "budgetMB": "2"}}}`, `lobes.a.budgetMB: "2" is not a number, and is ignored; write it like "budgetMB": 0.01`},
		{"budget of nothing", `{"lobes": {"a": {"root": "a", "budgetMB": -1}}}`, `lobes.a.budgetMB: -1 is not between 0.01 and 102400; 0.01 is used`},
		{"budget without end", `{"lobes": {"a": {"root": "a", "budgetMB": 1e999}}}`, `1e999 is not a number`},
		{"days out of range", `{"behavior": {"staleDaysStandard": 400}}`, `behavior.staleDaysStandard: 400 is not between 1 and 365; 365 is used`},
		{"half a day", `{"behavior": {"maxConflictPairs": 2.6}}`, `behavior.maxConflictPairs: 2.6 is not a whole number; 3 is used`},
		{"kind unknown", `{"behavior": {"halfLives": {"episodes": 3}}}`, `behavior.halfLives.episodes: no kind of memory has this name; did you mean "episode"?`},
		{"boosts unknown", `{"behavior": {"boosts": "of"}}`, `behavior.boosts: "of" is not one of off, on, and is ignored; did you mean "off"?`},
		{"truth as text", `{"readOnly": "yes"}`, `readOnly: "yes" is not true or false, and is ignored; write it like "readOnly": true`},
		{"profile unknown", `{"tools": "verb"}`, `tools: "verb" is not one of verbs, full, default, and is ignored; did you mean "verbs"?`},
		{"language unknown", `{"languages": ["klingon", "frensh"]}`, `languages: "frensh" is not one of english,`},
		{"list of numbers", `{"trustedRoots": [1]}`, `trustedRoots: 1 is not a text, and is ignored; write it like "trustedRoots": ["/srv/shared"]`},
		{"list that is none", `{"bareRepositories": {}}`, `bareRepositories: an object is not a list of texts, and is ignored`},
		{"empty path", `{"trustedRoots": [""]}`, `trustedRoots: the path is empty, and is ignored`},
		{"block that is none", `{"behavior": []}`, `behavior: a list is not an object, and is ignored; write it like "behavior": {`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.file(tt.text)
			c := w.load()
			if got := warnings(c); !strings.Contains(got, tt.want) {
				t.Errorf("warnings are\n%s\nwant one with\n%s", got, tt.want)
			}
			skipped := strings.Contains(tt.want, "lobe is skipped") || strings.Contains(tt.want, "and is skipped")
			if declared := strings.Count(tt.text, `"root"`); skipped && len(c.Lobes) >= max(1, declared) {
				t.Errorf("the lobe is there: %+v", c.Lobes)
			}
			for _, p := range c.Warnings {
				if p.File != path || p.Line == 0 || p.Key == "" || p.What == "" {
					t.Errorf("a warning does not say where it is: %+v", p)
				}
			}
		})
	}
}

func TestClampedAndRepairedValuesAreUsed(t *testing.T) {
	w := newWorld(t)
	w.file(`{"lobes": {"a": {"root": "a", "budgetMB": "x"}}, "behavior": {"staleDaysStandard": 400, "staleDaysPreferences": 0, "maxConflictPairs": 2.6}}`)
	c := w.load()
	if c.Lobes[0].Budget != config.DefaultBudget || c.Behavior.StaleDaysStandard != 365 || c.Behavior.StaleDaysPreferences != 0 || c.Behavior.MaxConflictPairs != 3 {
		t.Errorf("got %+v and %+v", c.Lobes, c.Behavior)
	}
}

func TestUnusableFilesAreErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", " \n", `: the text is empty; correct the file, or start from {"lobes": {}}`},
		{"cut off", "{\n\"lobes\": {", `:2: the text is not JSON: `},
		{"missing comma", "{\n\"a\": 1\n\"b\": 2}", `:3: the text is not JSON: invalid character '"' after object value`},
		{"only NUL", "\x00\x00\x00", `:1: the text is not JSON`},
		{"not UTF-8", "{\n\"a\": \"\xff\"}", `:2: the text is not UTF-8`},
		{"a list", "\n[]", `:2: a list is not an object; write the file like {"lobes":`},
		{"deep", strings.Repeat("[", 100000), `the text holds more than 20000 brackets`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			// A default place: the places after it must not be used instead.
			path := w.write(filepath.Join(w.home, "xdg", "memory-mcp", config.FileName), tt.text)
			w.write(filepath.Join(w.home, ".memory-mcp", config.FileName), `{}`)
			c, err := config.Load(w.options())
			var e *config.Error
			if !errors.As(err, &e) || c != nil {
				t.Fatalf("Load gives %+v and %v", c, err)
			}
			if got := err.Error(); !strings.HasPrefix(got, path) || !strings.Contains(got, tt.want) {
				t.Errorf("error is\n%s\nwant\n%s%s", got, path, tt.want)
			}
		})
	}
}

func TestMissingExplicitFileIsAnError(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.home, "xdg", "memory-mcp", config.FileName), `{}`)
	w.env["MEMORY_MCP_CONFIG"] = "nowhere.json"
	_, err := config.Load(w.options())
	if want := "MEMORY_MCP_CONFIG: there is no such configuration file; create it, or leave MEMORY_MCP_CONFIG out"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	w.path = "$ELSE/x.json"
	if _, err := config.Load(w.options()); err == nil || !strings.Contains(err.Error(), `--config: "$ELSE/x.json" uses the variable "ELSE"`) {
		t.Errorf("got %v", err)
	}
}

func TestFolderInPlaceOfTheFileIsAnError(t *testing.T) {
	w := newWorld(t)
	if err := os.MkdirAll(filepath.Join(w.home, "xdg", "memory-mcp", config.FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(w.options()); err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Errorf("got %v", err)
	}
}

func TestFileInPlaceOfTheFolderIsNoConfiguration(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.home, "xdg"), "a file")
	if c := w.load(); c.Path != "" {
		t.Errorf("path is %q", c.Path)
	}
}

func TestPlaceThatCannotBeLookedAtIsAnError(t *testing.T) {
	w := newWorld(t)
	loop := filepath.Join(w.home, "xdg")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skipf("no links here: %v", err)
	}
	w.write(filepath.Join(w.home, ".memory-mcp", config.FileName), `{}`)
	if c, err := config.Load(w.options()); err == nil || !strings.Contains(err.Error(), "the configuration cannot be read") {
		t.Errorf("Load gives %+v and %v", c, err)
	}
}

func TestDanglingLinkIsAnError(t *testing.T) {
	w := newWorld(t)
	place := filepath.Join(w.home, "xdg", "memory-mcp", config.FileName)
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", place); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if _, err := config.Load(w.options()); err == nil || !strings.Contains(err.Error(), "the configuration file is gone") {
		t.Errorf("got %v", err)
	}
}
