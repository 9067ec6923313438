package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/config"
)

func TestUseModelChangesNothingElse(t *testing.T) {
	tests := []struct{ name, old, want, before string }{
		{"no file", "-", "{\n  \"models\": {\n    \"embedding\": \"new\"\n  }\n}\n", ""},
		{"null", "{\"models\": null}", "{\"models\": {\n    \"embedding\": \"new\"\n  }}", ""},
		{"another role", "{\n  \"models\": { // all\n    \"rerank\": \"r\" // one\n  }\n}",
			"{\n  \"models\": { // all\n    \"rerank\": \"r\", // one\n    \"embedding\": \"new\"\n  }\n}", ""},
		{"a name", "{\"models\": {\"embedding\": \"old\" /* why */, \"dimensions\": 64}}\n",
			"{\"models\": {\"embedding\": \"new\" /* why */, \"dimensions\": 64}}\n", "old"},
		{"an object", "{\"models\": {\"embedding\": {\"model\": \"old\"}}}", "{\"models\": {\"embedding\": {\"model\": \"new\"}}}", "old"},
		{"an empty object", "{\"models\": {\"embedding\": {}}}", "{\"models\": {\"embedding\": {\n      \"model\": \"new\"\n    }}}", ""},
		{"CRLF and mark", "\ufeff{\r\n  \"debug\": true\r\n}\r\n",
			"\ufeff{\r\n  \"debug\": true,\r\n  \"models\": {\r\n    \"embedding\": \"new\"\r\n  }\r\n}\r\n", ""},
		{"twice", "{\"models\": {\"embedding\": \"old\", \"embedding\": \"not read\"}}", "{\"models\": {\"embedding\": \"new\", \"embedding\": \"not read\"}}", "old"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.path = filepath.Join(w.home, "new", config.FileName)
			if tt.old != "-" {
				w.write(w.path, tt.old)
			}
			before, err := config.UseModel(w.path, "embedding", "new")
			if err != nil || before != tt.before {
				t.Fatalf("before %q, %v", before, err)
			}
			got, err := os.ReadFile(w.path)
			if err != nil || string(got) != tt.want {
				t.Errorf("the file is\n%s\nwant\n%s\n(%v)", got, tt.want, err)
			}
			if c := w.load(); c.Models.Embedding.Name != "new" {
				t.Errorf("loaded %+v, warnings %s", c.Models, warnings(c))
			}
			if _, err := config.UseModel(w.path, "embedding", ""); err != nil || w.load().Models.Embedding.Used() {
				t.Errorf("it cannot be turned off: %+v, %v", w.load().Models, err)
			}
		})
	}
}

func TestUseModelRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, role, want string }{
		"a server":    {"{\"models\":\n{\"rerank\": {\"url\": \"http://127.0.0.1:1/v1\", \"model\": \"m\"}}}", "rerank", ":2: models.rerank: it names a server; take that block out first"},
		"no role":     {"{}", "song", `there is no such role`},
		"broken file": {"{", "rerank", ":1: the text is not JSON"},
		"a list":      {"{\"models\": []}", "rerank", "models: a list is not an object; write it like"},
	} {
		w := newWorld(t)
		path := w.file(c.text)
		_, err := config.UseModel(path, c.role, "new")
		var wrong *config.Error
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &wrong) != (name != "no role") {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != c.text {
			t.Errorf("%s: the file changed to %s (%v)", name, got, err)
		}
	}
}
