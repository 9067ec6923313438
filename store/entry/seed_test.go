package entry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"memory-mcp/store/entry"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var modified = time.Date(2026, 11, 30, 2, 15, 0, 0, time.UTC)

// seeds gives the nasty files, one case each.
func seeds(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/file/*.md")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d seed files (err %v)", len(paths), err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(p), ".md")] = b
	}
	return files
}

// seen is what the golden files hold.
type seen struct {
	Form  string
	Error *entry.SyntaxError `json:",omitempty"`
	Entry map[string]any
}

// set leaves the zero fields out.
func set(e entry.Entry) map[string]any {
	out := map[string]any{}
	v := reflect.ValueOf(e)
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			x := f.Interface()
			if s, ok := x.(string); ok && len(s) > 300 {
				x = s[:150] + " … " + s[len(s)-150:]
			}
			out[v.Type().Field(i).Name] = x
		}
	}
	return out
}

func TestSeeds(t *testing.T) {
	for name, b := range seeds(t) {
		t.Run(name, func(t *testing.T) {
			p, err := entry.ParseFile("recent-work/Some Branch/Näme of it.md", modified, b)
			got := seen{Form: p.Form.String(), Entry: set(p.Entry)}
			if err != nil {
				if !errors.As(err, &got.Error) || !errors.Is(err, entry.ErrMalformed) {
					t.Fatalf("not a syntax error: %v", err)
				}
				if got.Error.Line < 1 || got.Error.Remedy == "" {
					t.Errorf("no line or no remedy: %+v", got.Error)
				}
			}
			golden(t, "testdata/file/"+name+".json", got)
		})
	}
}

func golden(t *testing.T, path string, v any) {
	t.Helper()
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got.Bytes(), want)
	}
}

// edits are the changes that programs make.
func edits() map[string]func(*entry.Entry) {
	half := 0.5
	return map[string]func(*entry.Entry){
		"nothing":    func(*entry.Entry) {},
		"title":      func(e *entry.Entry) { e.Title = "A: \"new\" # title" },
		"append":     func(e *entry.Entry) { e.Body += "\n\nMore: text.\n- **id**: x" },
		"prepend":    func(e *entry.Entry) { e.Body = "- **first**: line\n\n" + e.Body },
		"heading":    func(e *entry.Entry) { e.Body = "# Not the title\n\n" + e.Body },
		"rule":       func(e *entry.Entry) { e.Body = "---\nid: evil\n---\n" + e.Body },
		"no body":    func(e *entry.Entry) { e.Body = "" },
		"tags":       func(e *entry.Entry) { e.Tags = append([]string{"new, tag", "null"}, e.Tags...) },
		"no tags":    func(e *entry.Entry) { e.Tags = nil },
		"trust":      func(e *entry.Entry) { e.Trust = entry.AgentConfirmed },
		"no trust":   func(e *entry.Entry) { e.Trust = "" },
		"confidence": func(e *entry.Entry) { e.Confidence = &half },
		"created":    func(e *entry.Entry) { e.Created = e.Created.Add(time.Nanosecond) },
		"until":      func(e *entry.Entry) { e.Valid.Until = modified },
		"quote":      func(e *entry.Entry) { e.Quote = "one\n\n  two: x\n---\n# three" },
		"branch":     func(e *entry.Entry) { e.Branch = "feature/a: b" },
		"topic":      func(e *entry.Entry) { e.Topic = "modules/new one" },
		"id":         func(e *entry.Entry) { e.ID = "mem-00000000" },
		"no extra":   func(e *entry.Entry) { e.Extra = nil },
		"extra": func(e *entry.Entry) {
			e.Extra = append([]entry.Field{{Key: "zzz", Lines: []string{"zzz:", "  a: 1"}}}, e.Extra...)
		},
	}
}

const seedPath = "recent-work/Some Branch/Näme of it.md"

func TestRewriteSeeds(t *testing.T) {
	for name, b := range seeds(t) {
		p, err := entry.ParseFile(seedPath, modified, b)
		for edit, change := range edits() {
			t.Run(name+"/"+edit, func(t *testing.T) {
				e := p.Entry
				change(&e)
				out, rewriteErr := entry.RewriteFile(seedPath, modified, b, e)
				if err != nil {
					if rewriteErr == nil || out != nil {
						t.Fatalf("a malformed file was rewritten (error %v) to %q", rewriteErr, out)
					}
					return
				}
				if rewriteErr != nil {
					t.Fatal(rewriteErr)
				}
				got, err := entry.ParseFile(seedPath, modified, out)
				if err != nil {
					t.Fatalf("%v\n%q", err, out)
				}
				want := entry.Normal(e)
				if want.Title == "" {
					want.Title = got.Title
				}
				if !reflect.DeepEqual(got.Entry, want) {
					t.Fatalf("file %q\ngot  %#v\nwant %#v", out, got.Entry, want)
				}
				if edit == "nothing" && !bytes.Equal(b, out) {
					t.Fatalf("old %q\nnew %q", b, out)
				}
			})
		}
	}
}
