package extract_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"memory-mcp/llm"
	"memory-mcp/llm/extract"
)

// asker answers always the same, and keeps what it was asked.
type asker struct {
	text  string
	err   error
	asked []llm.Question
}

func (a *asker) Ask(_ context.Context, q llm.Question) (llm.Reply, error) {
	a.asked = append(a.asked, q)
	return llm.Reply{Text: a.text, Model: "m", Tokens: 9}, a.err
}

const material = `We moved the worker from Heroku to Fly.io because cold starts took 9 s.
The port is set in cmd/server/main.go by LISTEN_PORT, default 8081.
I always want tabs, in all my projects.`

func candidate(change func(*extract.Candidate)) extract.Candidate {
	c := extract.Candidate{
		Title: "Worker on Fly.io", Text: "The worker runs on Fly.io, since cold starts on Heroku took 9 s.", Kind: "decision",
		Scope: "project", Durability: "reusable", Confidence: .9, Tags: []string{"deploy"}, Conditions: []string{},
		Quote: "We moved the worker from Heroku to Fly.io because cold starts took 9 s.",
	}
	if change != nil {
		change(&c)
	}
	return c
}

func answer(t *testing.T, all ...extract.Candidate) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"memories": all})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*extract.Candidate)
		why    string
	}{
		{"good", nil, ""},
		{"a quote over a line's end", func(c *extract.Candidate) { c.Quote = "took 9 s. The port is set" }, ""},
		{"an invented quote", func(c *extract.Candidate) { c.Quote = "We love Fly.io" }, extract.NoQuote},
		{"a quote in other letters", func(c *extract.Candidate) { c.Quote = strings.ToUpper(c.Quote) }, extract.NoQuote},
		{"a quote put together", func(c *extract.Candidate) { c.Quote = "We moved the worker default 8081" }, extract.NoQuote},
		{"no quote", func(c *extract.Candidate) { c.Quote = "" }, extract.BadShape},
		{"an invented number", func(c *extract.Candidate) { c.Text = "Cold starts took 12 s." }, extract.InventedName},
		{"an invented path", func(c *extract.Candidate) { c.Text = "See cmd/worker/main.go." }, extract.InventedName},
		{"an invented variable", func(c *extract.Candidate) { c.Text = "WORKER_PORT sets it." }, extract.InventedName},
		{"an invented name in camel case", func(c *extract.Candidate) { c.Title = "startWorker moved" }, extract.InventedName},
		{"an invented name in backticks", func(c *extract.Candidate) { c.Text = "Run `deploy`." }, extract.InventedName},
		{"an invented version in a condition", func(c *extract.Candidate) { c.Conditions = []string{"go 1.30"} }, extract.InventedName},
		{"a path that is there", func(c *extract.Candidate) { c.Text = "`cmd/server/main.go` reads LISTEN_PORT (8081)." }, ""},
		{"another language", func(c *extract.Candidate) {
			c.Text = "工作进程部署在云平台上面，因为冷启动太慢了。"
		}, extract.OtherTongue},
		{"no kind", func(c *extract.Candidate) { c.Kind = "rumour" }, extract.BadShape},
		{"too sure", func(c *extract.Candidate) { c.Confidence = 1.5 }, extract.BadShape},
		{"NUL", func(c *extract.Candidate) { c.Text = "The worker\x00 moved." }, extract.BadShape},
		{"too long", func(c *extract.Candidate) { c.Text = strings.Repeat("the worker ", 200) }, extract.BadShape},
	} {
		a := &asker{text: answer(t, candidate(c.change))}
		r, err := extract.Extract(t.Context(), a, extract.Material{Text: material})
		if err != nil {
			t.Fatal(err)
		}
		if c.why == "" && (len(r.Found) != 1 || len(r.Dropped) != 0) {
			t.Errorf("%s: dropped for %v", c.name, r.Dropped)
		}
		if c.why != "" && !reflect.DeepEqual(r.Dropped, map[string]int{c.why: 1}) {
			t.Errorf("%s: found %d, dropped for %v, want %q", c.name, len(r.Found), r.Dropped, c.why)
		}
	}
}

func TestScope(t *testing.T) {
	global := func(quote, kind string) extract.Candidate {
		return candidate(func(c *extract.Candidate) {
			c.Title, c.Text, c.Scope, c.Quote, c.Kind = "Tabs", "Tabs are wanted.", "global", quote, kind
		})
	}
	for _, c := range []struct{ role, quote, kind, want string }{
		{"user", "I always want tabs, in all my projects.", "preference", "global"},
		{"user", "I always want tabs", "preference", "global"},
		{"user", "in all my projects", "fact", "global"},
		{"user", "want tabs", "preference", "project"},
		{"assistant", "I always want tabs, in all my projects.", "preference", "project"},
		{"user", "I always want tabs, in all my projects.", "episode", "project"},
	} {
		a := &asker{text: answer(t, global(c.quote, c.kind))}
		r, err := extract.Extract(t.Context(), a, extract.Material{Text: material, Role: c.role})
		if err != nil || len(r.Found) != 1 || r.Found[0].Scope != c.want {
			t.Errorf("%+v: %+v, %v", c, r, err)
		}
	}
}

func TestChinese(t *testing.T) {
	const text = "部署从 Heroku 换到 Fly.io，因为冷启动要 9 秒。所有项目都用 tab 缩进。"
	good := candidate(func(c *extract.Candidate) {
		c.Title, c.Text, c.Quote = "部署平台", "部署在 Fly.io 上，因为 Heroku 冷启动要 9 秒。", "部署从 Heroku 换到 Fly.io，因为冷启动要 9 秒。"
	})
	english := candidate(func(c *extract.Candidate) { c.Quote = "部署从 Heroku 换到 Fly.io" })
	everywhere := candidate(func(c *extract.Candidate) {
		c.Title, c.Text, c.Quote, c.Scope = "缩进", "用 tab 缩进。", "所有项目都用 tab 缩进。", "global"
	})
	r, err := extract.Extract(t.Context(), &asker{text: answer(t, good, english, everywhere)}, extract.Material{Text: text, Role: "user"})
	if err != nil || len(r.Found) != 2 || r.Dropped[extract.OtherTongue] != 1 || r.Found[1].Scope != "global" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for name, a := range map[string]*asker{
		"another shape":  {text: `{"memories":"none"}`},
		"a broken model": {err: &llm.StatusError{Status: 500}},
		"cut":            {err: &llm.AnswerError{What: "too long", Cause: llm.ErrCut}},
	} {
		if r, err := extract.Extract(t.Context(), a, extract.Material{Text: material}); err == nil || len(r.Found) != 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	same := candidate(nil)
	r, err := extract.Extract(t.Context(), &asker{text: answer(t, same, same)}, extract.Material{Text: material})
	if err != nil || len(r.Found) != 1 || r.Dropped[extract.Repeated] != 1 {
		t.Errorf("the same twice: %+v, %v", r, err)
	}
	nothing := &asker{}
	if r, err := extract.Extract(t.Context(), nothing, extract.Material{Text: " \n "}); err != nil || len(r.Found) != 0 || len(nothing.asked) != 0 {
		t.Errorf("no material: %+v, %v", r, err)
	}
	var long *extract.TooLongError
	if _, err := extract.Extract(t.Context(), nothing, extract.Material{Text: strings.Repeat("字", extract.MaxMaterial+1)}); !errors.As(err, &long) {
		t.Errorf("long material: %v", err)
	}
}

// Material cannot end its own fence, and the schema bounds everything.
func TestQuestion(t *testing.T) {
	a := &asker{text: `{"memories":[]}`}
	for range 2 {
		if _, err := extract.Extract(t.Context(), a, extract.Material{Text: material}); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(a.asked[0].User, "\n")
	mark := lines[1]
	if mark != lines[len(lines)-1] || !strings.Contains(a.asked[0].System, mark) || strings.Contains(a.asked[1].User, mark) {
		t.Errorf("the material stands between %q", mark)
	}
	var schema any
	if err := json.Unmarshal(a.asked[0].Schema, &schema); err != nil {
		t.Fatal(err)
	}
	bounded(t, "schema", schema)
}

func bounded(t *testing.T, at string, schema any) {
	t.Helper()
	m, ok := schema.(map[string]any)
	if !ok {
		return
	}
	switch m["type"] {
	case "string":
		if m["maxLength"] == nil && m["enum"] == nil {
			t.Errorf("%s is a text without an end", at)
		}
	case "array":
		if m["maxItems"] == nil {
			t.Errorf("%s is a list without an end", at)
		}
	}
	for key, inner := range m {
		bounded(t, at+"."+key, inner)
	}
}

func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"word ", "line\n", "part\n\n", "句子。", "end. ", strings.Repeat("x", 5000)}), 0, 60).Draw(t, "words")
		text := strings.Join(words, "")
		joined := ""
		for _, p := range extract.Pieces(text) {
			if n := utf8.RuneCountInString(p); n == 0 || n > extract.MaxMaterial {
				t.Fatalf("a piece has %d characters", n)
			}
			joined += p
		}
		plain := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if plain(joined) != plain(text) {
			t.Fatal("something of the text is in no piece, or twice")
		}
	})
}
