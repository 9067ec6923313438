package ops_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"memory-mcp/cmd/internal/ops"
)

func find(t *testing.T, name string) ops.Op {
	t.Helper()
	o, ok := ops.Find(name)
	if !ok {
		t.Fatalf("no operation is named %q", name)
	}
	return o
}

// repairs are arguments as agents write them, and what they mean.
var repairs = []struct {
	name, op, given, want string
}{
	{"nothing", "memory_context", ``, `{}`},
	{"null", "memory_context", `null`, `{}`},
	{"empty object", "memory_context", `{}`, `{}`},
	{"empty list", "memory_context", `[]`, `{}`},
	{"as declared", "memory_query", `{"filter":"a b","maxResults":3}`, `{"filter":"a b","maxResults":3}`},

	{"snake case", "memory_query", `{"max_results":3}`, `{"maxResults":3}`},
	{"another case", "memory_query", `{"FILTER":"a","Max-Results":3}`, `{"filter":"a","maxResults":3}`},
	{"the exact name wins over another case", "memory_query", `{"Filter":"b","filter":"a"}`, `{"filter":"a"}`},
	{"other words for content", "memory_store", `{"text":"x","key":"t"}`, `{"content":"x","title":"t"}`},
	{"value", "memory_store", `{"value":"x"}`, `{"content":"x"}`},
	{"body", "memory_store", `{"body":"x"}`, `{"content":"x"}`},
	{"name", "memory_store", `{"content":"x","name":"t"}`, `{"content":"x","title":"t"}`},
	{"task_summary", "memory_store", `{"content":"x","task_summary":"t"}`, `{"content":"x","title":"t"}`},
	{"the right name wins over another word", "memory_store", `{"content":"x","text":"y"}`, `{"content":"x"}`},
	{"an absent right name does not", "memory_store", `{"content":null,"text":"y"}`, `{"content":"y"}`},
	{"an empty one neither", "memory_store", `{"content":"","text":"y"}`, `{"content":"y"}`},
	{"refs", "memory_store", `{"content":"x","refs":["a.go"]}`, `{"content":"x","references":["a.go"]}`},
	{"concepts", "memory_store", `{"content":"x","concepts":["a"]}`, `{"content":"x","tags":["a"]}`},
	{"labels", "memory_store", `{"content":"x","labels":"a"}`, `{"content":"x","tags":["a"]}`},
	{"type", "memory_store", `{"content":"x","type":"decision"}`, `{"content":"x","kind":"decision"}`},
	{"workspace", "memory_context", `{"workspace":"app"}`, `{"lobe":"app"}`},
	{"repo", "memory_context", `{"repo":"app"}`, `{"lobe":"app"}`},
	{"project", "memory_context", `{"project":"app"}`, `{"lobe":"app"}`},
	{"query on context", "memory_context", `{"query":"x"}`, `{"context":"x"}`},
	{"description", "memory_context", `{"description":"x"}`, `{"context":"x"}`},
	{"task", "memory_context", `{"task":"x"}`, `{"context":"x"}`},
	{"query on query", "memory_query", `{"query":"x"}`, `{"filter":"x"}`},
	{"search", "memory_query", `{"search":"x"}`, `{"filter":"x"}`},
	{"keyword", "memory_query", `{"keyword":"x"}`, `{"filter":"x"}`},
	{"topic on query", "memory_query", `{"topic":"gotchas"}`, `{"scope":"gotchas"}`},
	{"text on correct", "memory_correct", `{"id":"a","text":"x"}`, `{"correction":"x","id":"a"}`},
	{"content on correct", "memory_correct", `{"id":"a","content":"x"}`, `{"correction":"x","id":"a"}`},
	{"value on correct", "memory_correct", `{"id":"a","value":"x"}`, `{"correction":"x","id":"a"}`},
	{"a declared name is no other word", "memory_store", `{"content":"x","scope":"global"}`, `{"content":"x","scope":"global"}`},
	{"a misspelling", "memory_store", `{"contnet":"x"}`, `{"content":"x"}`},
	{"what means nothing", "memory_store", `{"content":"x","wait_for_previous":true}`, `{"content":"x"}`},
	{"isFirstMemoryToolCall", "memory_query", `{"isFirstMemoryToolCall":"true"}`, `{"isFirstMemoryToolCall":true}`},

	{"null values", "memory_query", `{"filter":null,"lobe":"null","scope":"","detail":"NULL","kind":"undefined"}`, `{}`},
	{"none for an enum", "memory_query", `{"detail":"none"}`, `{}`},
	{"an empty correction means itself", "memory_correct", `{"id":"a","action":"append","correction":""}`, `{"action":"append","correction":"","id":"a"}`},
	{"a null correction does not", "memory_correct", `{"id":"a","correction":null}`, `{"id":"a"}`},

	{"all", "memory_query", `{"scope":"All"}`, `{"scope":"*"}`},
	{"everything", "memory_query", `{"scope":"everything","branch":"any"}`, `{"branch":"*","scope":"*"}`},
	{"global, project, repo, workspace", "memory_query", `{"scope":"global","branch":"project"}`, `{"branch":"*","scope":"*"}`},
	{"every lobe", "memory_query", `{"lobe":"all"}`, `{"lobe":"*"}`},
	{"a lobe called project", "memory_query", `{"lobe":"project"}`, `{"lobe":"project"}`},
	{"a list of lobes", "memory_query", `{"lobe":["a","b"]}`, `{"lobe":"a,b"}`},

	{"number as text", "memory_query", `{"maxResults":"7"}`, `{"maxResults":7}`},
	{"fraction as text", "memory_query", `{"maxResults":" 7.0 "}`, `{"maxResults":7}`},
	{"number in a list", "memory_query", `{"maxResults":["7"]}`, `{"maxResults":7}`},
	{"no limit", "memory_query", `{"maxResults":"all"}`, `{"maxResults":2147483647}`},
	{"huge number", "memory_query", `{"maxResults":1e300}`, `{"maxResults":2147483647}`},
	{"percent", "memory_context", `{"context":"x","minMatch":"30%"}`, `{"context":"x","minMatch":0.3}`},
	{"confidence in words", "memory_store", `{"content":"x","confidence":"high"}`, `{"confidence":0.85,"content":"x"}`},
	{"switch as text", "memory_diagnose", `{"showCrashHistory":"yes"}`, `{"showCrashHistory":true}`},
	{"switch as number", "memory_diagnose", `{"showCrashHistory":1}`, `{"showCrashHistory":true}`},
	{"switch alone", "memory_diagnose", `true`, `{"showCrashHistory":true}`},
	{"number as content", "memory_store", `{"content":42}`, `{"content":"42"}`},
	{"large number as content", "memory_store", `{"content":12345678901234567890}`, `{"content":"12345678901234567890"}`},

	{"list as text", "memory_store", `{"content":"x","tags":"[\"a\",\"b\"]"}`, `{"content":"x","tags":["a","b"]}`},
	{"list as text in text", "memory_store", `{"content":"x","tags":["[\"a\",\"b\"]"]}`, `{"content":"x","tags":["a","b"]}`},
	{"commas", "memory_store", `{"content":"x","tags":"a, b,c"}`, `{"content":"x","tags":["a","b","c"]}`},
	{"lines", "memory_store", `{"content":"x","sources":"- a.go\n- b, c.go"}`, `{"content":"x","sources":["a.go","b, c.go"]}`},
	{"an address with a comma", "memory_store", `{"content":"x","sources":"https://x.test/a,b"}`, `{"content":"x","sources":["https://x.test/a,b"]}`},
	{"a comma inside a list stays", "memory_store", `{"content":"x","sources":["a, b.go"]}`, `{"content":"x","sources":["a, b.go"]}`},
	{"one value", "memory_store", `{"content":"x","tags":5}`, `{"content":"x","tags":["5"]}`},
	{"objects in a list", "memory_store", `{"content":"x","sources":[{"path":"a.go"},null,""]}`, `{"content":"x","sources":["a.go"]}`},
	{"a condition keeps its comma", "memory_store", `{"content":"x","conditions":"os: linux, not wsl"}`, `{"conditions":["os: linux, not wsl"],"content":"x"}`},
	{"ids", "memory_query", `{"id":"a-1, b-2"}`, `{"id":["a-1","b-2"]}`},
	{"ids as list", "memory_query", `{"ids":["a-1","b-2"]}`, `{"id":["a-1","b-2"]}`},

	{"enum in another case", "memory_query", `{"detail":"FULL"}`, `{"detail":"full"}`},
	{"other words for an enum", "memory_query", `{"detail":"verbose"}`, `{"detail":"full"}`},
	{"misspelt enum", "memory_query", `{"detail":"stndard"}`, `{"detail":"standard"}`},
	{"enum in a list", "memory_query", `{"detail":["full"]}`, `{"detail":"full"}`},
	{"enum in quotation marks", "memory_query", `{"detail":"\"full\""}`, `{"detail":"full"}`},
	{"trust with an underscore", "memory_store", `{"content":"x","trust":"agent_confirmed"}`, `{"content":"x","trust":"agent-confirmed"}`},
	{"trust in a word", "memory_store", `{"content":"x","trust":"verified"}`, `{"content":"x","trust":"agent-confirmed"}`},
	{"store_anyway", "memory_store", `{"content":"x","durabilityDecision":"store_anyway"}`, `{"content":"x","durabilityDecision":"store-anyway"}`},
	{"remove", "memory_correct", `{"id":"a","action":"remove"}`, `{"action":"delete","id":"a"}`},
	{"retract", "memory_correct", `{"id":"a","action":"Retract"}`, `{"action":"delete","id":"a"}`},
	{"singular topic", "memory_store", `{"content":"x","topic":"Gotcha"}`, `{"content":"x","topic":"gotchas"}`},
	{"topic with a space", "memory_store", `{"content":"x","topic":"recent work"}`, `{"content":"x","topic":"recent-work"}`},
	{"module", "memory_store", `{"content":"x","topic":"module/Net"}`, `{"content":"x","topic":"modules/Net"}`},
	{"no topic", "memory_store", `{"content":"x","topic":"weather"}`, `{"content":"x","topic":"weather"}`},

	{"bare text", "memory_store", `"x is y"`, `{"content":"x is y"}`},
	{"bare text on query", "memory_query", `"a|b"`, `{"filter":"a|b"}`},
	{"bare number", "memory_correct", `5`, `{"id":"5"}`},
	{"object as text", "memory_store", `"{\"content\":\"x\"}"`, `{"content":"x"}`},
	{"object in a list", "memory_store", `[{"content":"x"}]`, `{"content":"x"}`},
	{"list of objects", "memory_store", `[{"content":"x"},{"text":"y"}]`, `{"entries":[{"content":"x"},{"content":"y"}]}`},
	{"nested", "memory_store", `{"arguments":{"content":"x"}}`, `{"content":"x"}`},
	{"nested twice, as text", "memory_store", `{"params":{"arguments":"{\"content\":\"x\"}"}}`, `{"content":"x"}`},
	{"nested, with the tool's name", "memory_store", `{"name":"memory_store","arguments":{"content":"x"}}`, `{"content":"x"}`},
	{"nested, with more beside", "memory_store", `{"arguments":{"content":"x"},"lobe":"app"}`, `{"content":"x","lobe":"app"}`},
	{"text that looks like JSON stays text", "memory_store", `{"content":"{\"a\":1}"}`, `{"content":"{\"a\":1}"}`},
	{"a phrase stays in its marks", "memory_query", `{"filter":"\"a b\""}`, `{"filter":"\"a b\""}`},
	{"content as list", "memory_store", `{"content":["a","b"]}`, `{"content":"a\nb"}`},
	{"content as object", "memory_store", `{"content":{"type":"text","text":"a"}}`, `{"content":"a"}`},

	{"entries", "memory_store", `{"entries":[{"title":"t","fact":"f"}]}`, `{"entries":[{"content":"f","title":"t"}]}`},
	{"one entry", "memory_store", `{"entries":{"title":"t","fact":"f"}}`, `{"entries":[{"content":"f","title":"t"}]}`},
	{"entries as text", "memory_store", `{"entries":"[{\"title\":\"t\",\"fact\":\"f\"}]"}`, `{"entries":[{"content":"f","title":"t"}]}`},
	{"entries as texts", "memory_store", `{"entries":["a","{\"fact\":\"b\"}"]}`, `{"entries":[{"content":"a"},{"content":"b"}]}`},
	{"entries in entries", "memory_store", `{"entries":{"entries":[{"fact":"f"}]}}`, `{"entries":[{"content":"f"}]}`},
	{"an entry with its own topic", "memory_store", `{"entries":[{"fact":"f","scope":"gotcha","tag":"a,b"}]}`, `{"entries":[{"content":"f","tags":["a","b"],"topic":"gotchas"}]}`},
	{"empty entries", "memory_store", `{"entries":[],"content":"x"}`, `{"content":"x"}`},

	{"verb", "learn", `{"content":"x"}`, `{"observation":"x"}`},
	{"verb, bare", "gotcha", `"x"`, `{"observation":"x"}`},
	{"prefer", "prefer", `{"preference":"x"}`, `{"rule":"x"}`},
	{"fix", "fix", `{"entry_id":"a","text":"x"}`, `{"correction":"x","id":"a"}`},
	{"bootstrap", "memory_bootstrap", `{"path":"/x","budget":"3"}`, `{"budgetMB":3,"root":"/x"}`},
	{"area", "gotchas", `{"query":"x"}`, `{"area":"x"}`},
}

func TestRepair(t *testing.T) {
	for _, tt := range repairs {
		t.Run(tt.name, func(t *testing.T) {
			r, err := find(t, tt.op).Repair(json.RawMessage(tt.given))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(r.Values)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("%s of %s is\n%s\nwant\n%s", tt.op, tt.given, got, tt.want)
			}
		})
	}
}

func TestRepairSaysWhatItGuessed(t *testing.T) {
	r, err := find(t, "memory_query").Repair(json.RawMessage(`{"detail":"ful","filtre":"x","foo":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) != 2 || !strings.Contains(strings.Join(r.Notes, "\n"), `"filtre"`) {
		t.Errorf("notes are %q", r.Notes)
	}
	if !reflect.DeepEqual(r.Ignored, []string{"foo"}) {
		t.Errorf("ignored is %q", r.Ignored)
	}
}

func TestWhatCannotBeRepaired(t *testing.T) {
	tests := []struct{ op, given, name, want string }{
		{"memory_query", `{"detail":"colour"}`, "detail", "one of brief, standard, full"},
		{"memory_query", `{"maxResults":"many"}`, "maxResults", "a number"},
		{"memory_query", `{"maxResults":{"a":1}}`, "maxResults", "a number"},
		{"memory_context", `{"minMatch":"NaN"}`, "minMatch", "a number"},
		{"memory_diagnose", `{"showCrashHistory":"perhaps"}`, "showCrashHistory", "true or false"},
		{"memory_store", `{"entries":5}`, "entries", "a list"},
		{"memory_store", `{"entries":[{"fact":"x","trust":"weather"}]}`, "entries.trust", "one of user"},
		{"memory_store", `{"content":`, "", "JSON object"},
		{"memory_store", `{"content":"x"} trailing`, "", "JSON object"},
	}
	for _, tt := range tests {
		_, err := find(t, tt.op).Repair(json.RawMessage(tt.given))
		var bad *ops.ArgumentError
		if !errors.As(err, &bad) || bad.Name != tt.name || bad.Op != tt.op || !strings.Contains(bad.Want, tt.want) {
			t.Errorf("%s of %s: error %v", tt.op, tt.given, err)
		}
	}
}

func FuzzRepair(f *testing.F) {
	files, err := filepath.Glob("testdata/arguments/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds in testdata/arguments (%v)", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for i := range ops.All() {
			f.Add(uint8(i), string(b))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, raw string) {
		o := ops.All()[int(i)%len(ops.All())]
		r, err := o.Repair(json.RawMessage(raw))
		if err != nil {
			var bad *ops.ArgumentError
			if !errors.As(err, &bad) || bad.Op != o.Name || bad.Want == "" {
				t.Fatalf("%s of %q: an error that does not help: %v", o.Name, raw, err)
			}
			return
		}
		b, err := json.Marshal(r.Values)
		if err != nil {
			t.Fatalf("%s of %q: %v", o.Name, raw, err)
		}
		again, err := o.Repair(b)
		if err != nil {
			t.Fatalf("%s of %q, repaired to %s: %v", o.Name, raw, b, err)
		}
		if len(again.Ignored) > 0 {
			t.Fatalf("%s of %q, repaired to %s, ignores %q", o.Name, raw, b, again.Ignored)
		}
	})
}

func FuzzCall(f *testing.F) {
	files, err := filepath.Glob("testdata/arguments/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds in testdata/arguments (%v)", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for i := range ops.All() {
			f.Add(uint8(i), string(b))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, raw string) {
		o := ops.All()[int(i)%len(ops.All())]
		r, fault := ops.Call(t.Context(), env(full(), ops.Facts{}), o.Name, json.RawMessage(raw))
		if fault != nil {
			if fault.Code == "failed" || fault.Hint == "" || !utf8.ValidString(fault.Error()) {
				t.Fatalf("%s of %q: a fault that does not help: %+v", o.Name, raw, fault)
			}
			return
		}
		if s := r.Text(); s == "" || !utf8.ValidString(s) || measure(s) > r.Tokens+1 {
			t.Fatalf("%s of %q: the text is %q", o.Name, raw, s)
		}
		if b, err := r.JSON(); err != nil || !json.Valid(b) {
			t.Fatalf("%s of %q: the structure is %q (%v)", o.Name, raw, b, err)
		}
	})
}
