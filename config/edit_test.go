package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"memory-mcp/config"
)

func TestAddLobeChangesNothingElse(t *testing.T) {
	tests := []struct{ name, old, want string }{
		{"no file", "-", "{\n  \"lobes\": {\n    \"new\": { }\n  }\n}\n"},
		{"empty file", "", "{\n  \"lobes\": {\n    \"new\": { }\n  }\n}\n"},
		{"empty lobes", `{"lobes":{}}`, "{\"lobes\":{\n    \"new\": { }\n  }}"},
		{"no lobes", "{\n\t\"tools\": \"full\" // all\n}\n", "{\n\t\"tools\": \"full\", // all\n\t\"lobes\": {\n    \"new\": { }\n  }\n}\n"},
		{"null", "{\"lobes\": null}\n", "{\"lobes\": {\n    \"new\": { }\n  }}\n"},
		{"strict", "{\n  \"lobes\": {\n    \"a\": {\"root\": \"x\"}\n  },\n  \"debug\": true\n}\n",
			"{\n  \"lobes\": {\n    \"a\": {\"root\": \"x\"},\n    \"new\": { }\n  },\n  \"debug\": true\n}\n"},
		{"trailing comma and comments", "// top\n{\n  \"lobes\": {\n      // first\n      \"a\": {\"root\": \"x\"}, // one\n      // two\n  },\n} // end",
			"// top\n{\n  \"lobes\": {\n      // first\n      \"a\": {\"root\": \"x\"}, // one\n      // two\n      \"new\": { },\n  },\n} // end"},
		{"comment behind the last", "{\"lobes\": {\n  \"a\": {\"root\": \"x\"} // one\n  }}",
			"{\"lobes\": {\n  \"a\": {\"root\": \"x\"}, // one\n  \"new\": { }\n  }}"},
		{"CRLF and mark", "\ufeff{\r\n  \"lobes\": {\r\n    \"a\": {\"root\": \"x\"}\r\n  }\r\n}\r\n",
			"\ufeff{\r\n  \"lobes\": {\r\n    \"a\": {\"root\": \"x\"},\r\n    \"new\": { }\r\n  }\r\n}\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.path = filepath.Join(w.home, "new", "folder", config.FileName)
			if tt.old != "-" {
				w.write(w.path, tt.old)
			}
			if err := config.AddLobe(w.path, "new", "~/git/n", 4); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(w.path)
			want := strings.Replace(tt.want, "{ }", `{"root": "~/git/n", "budgetMB": 4}`, 1)
			if err != nil || string(got) != want {
				t.Errorf("the file is\n%s\nwant\n%s\n(%v)", got, want, err)
			}
			c := w.load()
			last := c.Lobes[len(c.Lobes)-1]
			if last.Name != "new" || last.Root != filepath.Join(w.home, "git", "n") || last.Budget != 4<<20 || len(c.Warnings) != 0 {
				t.Errorf("loaded %+v, warnings %s", last, warnings(c))
			}
			onlyFile(t, w.path)
		})
	}
}

func onlyFile(t *testing.T, path string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v (%v), want the file alone", list, err)
	}
}

func TestAddLobeRefuses(t *testing.T) {
	tests := []struct{ name, text, lobe, root, want string }{
		{"there already", "{\"lobes\": {\n\"new\": {}}}", "new", "x", `:2: lobe "new" is there already`},
		{"reserved", "{}", "models", "x", `"models" is a reserved name`},
		{"bad name", "{}", "a/b", "x", `the name "a/b" has other characters`},
		{"no root", "{}", "a", "", `the root is empty`},
		{"broken file", "{", "a", "x", `:1: the text is not JSON`},
		{"lobes that are none", "{\"lobes\": []}", "a", "x", `lobes: a list is not an object; write it like "lobes"`},
		{"no object", "[]", "a", "x", `a list is not an object`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.file(tt.text)
			err := config.AddLobe(path, tt.lobe, tt.root, 0)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != tt.text {
				t.Errorf("the file became %q (%v)", got, err)
			}
		})
	}
	var exists *config.LobeExistsError
	w := newWorld(t)
	if err := config.AddLobe(w.file(`{"lobes": {"a": {}}}`), "a", "x", 0); !errors.As(err, &exists) || exists.Name != "a" || exists.Line != 1 {
		t.Errorf("got %v", err)
	}
}

func TestAddLobeKeepsLinkAndMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are another matter there")
	}
	w := newWorld(t)
	target := w.write(filepath.Join(w.home, "dotfiles", "real.json"), "{}")
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(w.home, "link.json")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := config.AddLobe(link, "a", "x", 0); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v (%v)", info.Mode(), err)
	}
	if text, err := os.ReadFile(target); err != nil || !strings.Contains(string(text), `"a": {"root": "x"}`) {
		t.Errorf("the target is %q (%v)", text, err)
	}
}
