package ops_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/ops"
)

var update = flag.Bool("update", false, "rewrite golden files and docs/tools.md")

// published is a tool as hosts see it.
type published struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations ops.Hints       `json:"annotations"`
}

func publish(o ops.Op) published {
	return published{o.Name, o.Title, o.Doc, o.Schema(), o.Hints()}
}

func pretty(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestToolsAreAsPublished(t *testing.T) {
	const dir = "testdata/tools"
	want := map[string]bool{}
	for _, o := range ops.All() {
		name := filepath.Join(dir, o.Name+".json")
		want[name] = true
		got := pretty(t, publish(o))
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		old, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(old, got) {
			t.Errorf("%s is published as\n%s\nwant\n%s", o.Name, got, old)
		}
	}
	files, err := filepath.Glob(dir + "/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files in %s (%v)", dir, err)
	}
	for _, f := range files {
		if want[f] {
			continue
		}
		if !*update {
			t.Errorf("%s is of no tool", f)
		} else if err := os.Remove(f); err != nil {
			t.Error(err)
		}
	}
}

// Hosts drop a tool, or all of them, over a schema that is not a plain object.
func TestSchemasArePlainObjects(t *testing.T) {
	for _, o := range ops.All() {
		var s map[string]any
		if err := json.Unmarshal(o.Schema(), &s); err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		checkObject(t, o.Name, s)
	}
}

func checkObject(t *testing.T, at string, s map[string]any) {
	t.Helper()
	if s["type"] != "object" {
		t.Errorf("%s has type %v", at, s["type"])
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		t.Errorf("%s has no properties", at)
	}
	if must, ok := s["required"].([]any); ok {
		for _, m := range must {
			if _, ok := properties[m.(string)]; !ok {
				t.Errorf("%s requires %v, which it does not have", at, m)
			}
		}
	}
	checkKeys(t, at, s, "type", "properties", "required", "description")
	for name, p := range properties {
		checkProperty(t, at+"."+name, p.(map[string]any))
	}
}

func checkProperty(t *testing.T, at string, p map[string]any) {
	t.Helper()
	kind, ok := p["type"].(string)
	if !ok {
		t.Fatalf("%s has no single type: %v", at, p["type"])
	}
	switch kind {
	case "object":
		checkObject(t, at, p)
	case "array":
		checkKeys(t, at, p, "type", "items", "description")
		items, ok := p["items"].(map[string]any)
		if !ok {
			t.Fatalf("%s has no items", at)
		}
		checkProperty(t, at+"[]", items)
	case "string", "integer", "number", "boolean":
		checkKeys(t, at, p, "type", "description", "enum")
		enum, _ := p["enum"].([]any)
		for _, v := range enum {
			if _, ok := v.(string); !ok {
				t.Errorf("%s has the enum value %v", at, v)
			}
		}
	default:
		t.Errorf("%s has type %q", at, kind)
	}
}

func checkKeys(t *testing.T, at string, m map[string]any, known ...string) {
	t.Helper()
	for key := range m {
		if !slices.Contains(known, key) {
			t.Errorf("%s uses %q", at, key)
		}
	}
}

var toolName = regexp.MustCompile(`^[a-z][a-z_]*$`)

func TestNamesAndFirstSentences(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range ops.All() {
		if len(o.Name) > 24 || !toolName.MatchString(o.Name) || seen[o.Name] {
			t.Errorf("%q is no good name", o.Name)
		}
		seen[o.Name] = true
		if !strings.HasPrefix(o.Doc, "Call ") || len(o.Doc) > 2048 {
			t.Errorf("%s does not say first when to call it: %q", o.Name, o.Doc)
		}
		if o.Title == "" {
			t.Errorf("%s has no title", o.Name)
		}
	}
}

func TestHintsFollowFromTheEffect(t *testing.T) {
	tests := map[ops.Effect]ops.Hints{
		ops.Reads:    {ReadOnly: true},
		ops.Adds:     {},
		ops.Rewrites: {Destructive: true},
		ops.Forgets:  {Destructive: true},
	}
	for effect, want := range tests {
		if got := (ops.Op{Effect: effect}).Hints(); got != want {
			t.Errorf("%s has hints %+v, want %+v", effect, got, want)
		}
	}
	for _, o := range ops.All() {
		if o.Effect == ops.Reads && !o.Idempotent {
			t.Errorf("%s reads and is not idempotent", o.Name)
		}
	}
}

func TestListedTools(t *testing.T) {
	names := func(all []ops.Op) string {
		var n []string
		for _, o := range all {
			n = append(n, o.Name)
		}
		return strings.Join(n, " ")
	}
	tests := []struct {
		facts  ops.Facts
		broken bool
		want   string
	}{
		{ops.Facts{}, false, "memory_context memory_query memory_store memory_correct memory_history memory_bootstrap"},
		{ops.Facts{Generates: true}, false, "memory_context memory_query memory_store memory_correct memory_history memory_bootstrap memory_record memory_feedback"},
		{ops.Facts{}, true, "memory_context memory_query memory_store memory_correct memory_history memory_bootstrap memory_list_lobes memory_diagnose"},
		{ops.Facts{ReadOnly: true}, false, "memory_context memory_query memory_history"},
		{ops.Facts{Profile: ops.Verbs}, false, "memory_bootstrap brief recall gotchas conventions gotcha convention learn prefer fix"},
		{ops.Facts{Profile: ops.Verbs, ReadOnly: true}, false, "brief recall gotchas conventions"},
		{ops.Facts{Profile: ops.Full}, false, names(ops.All())},
	}
	for _, tt := range tests {
		if got := names(tt.facts.Listed(tt.broken)); got != tt.want {
			t.Errorf("%+v, broken %t: listed %s\nwant %s", tt.facts, tt.broken, got, tt.want)
		}
	}
}

// The list stands in every prompt of some hosts.
func TestToolListIsSmall(t *testing.T) {
	for _, profile := range []ops.Profile{ops.Default, ops.Verbs} {
		var all []published
		for _, o := range (ops.Facts{Profile: profile, Generates: true}).Listed(false) {
			all = append(all, publish(o))
		}
		b, err := json.Marshal(map[string]any{"tools": all})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("profile %q: %d bytes, %d tokens", profile, len(b), len(b)/4)
		if len(b)/4 > 1500 {
			t.Errorf("profile %q takes %d tokens, at most 1500", profile, len(b)/4)
		}
	}
}
