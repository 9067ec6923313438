package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/llm"
)

var schema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		schema json.RawMessage
		steps  []http.HandlerFunc
		want   string // "" is an error
		err    string
		asked  int
	}{
		{"words", nil, []http.HandlerFunc{speaks(" Yes. ")}, "Yes.", "", 1},
		{"JSON", schema, []http.HandlerFunc{speaks(`{"a":1}`)}, `{"a":1}`, "", 1},
		{"JSON in a fence", schema, []http.HandlerFunc{speaks("Here:\n```json\n{\"a\":1}\n```\nDone.")}, `{"a":1}`, "", 1},
		{"thinking first", schema, []http.HandlerFunc{speaks("<think>maybe {\"a\":2}</think>\n{\"a\":1}")}, `{"a":1}`, "", 1},
		{"thinking only", schema, []http.HandlerFunc{speaks("<think>maybe {\"a\":2}")}, "", "it is empty", 1},
		{"thinking that was opened by the template", schema, []http.HandlerFunc{speaks("hm {\"a\":2}</think>{\"a\":1}")}, `{"a":1}`, "", 1},
		{"cut JSON", schema, []http.HandlerFunc{speaks(`{"a":`)}, "", "not complete", 1},
		{"cut by its bound", schema, []http.HandlerFunc{finishes(`{"a":1}`, "length")}, "", "too long", 1},
		{"no JSON", schema, []http.HandlerFunc{speaks("I cannot do that")}, "", "no JSON object", 1},
		{"nothing", nil, []http.HandlerFunc{speaks("  ")}, "", "it is empty", 1},
		{"no choice", nil, []http.HandlerFunc{says(`{"choices":[]}`)}, "", "no choice", 1},
		{"not the protocol", nil, []http.HandlerFunc{says(`<html>hello</html>`)}, "", "not the JSON", 1},
		{"another type", nil, []http.HandlerFunc{says(`{"choices":"none"}`)}, "", "choices is a string", 1},
		{"busy once", nil, []http.HandlerFunc{refuses(429, "slow down"), speaks("ok")}, "ok", "", 2},
		{"busy for good", nil, []http.HandlerFunc{refuses(429, `{"error":{"message":"slow down"}}`)}, "", "429: slow down", 2},
		{"broken once", nil, []http.HandlerFunc{refuses(500, "oh"), speaks("ok")}, "ok", "", 2},
		{"broken for good", nil, []http.HandlerFunc{refuses(503, "Loading model")}, "", "503: Loading model", 2},
		{"cannot do it", nil, []http.HandlerFunc{refuses(501, "no")}, "", "501: no", 1},
		{"wrong key", nil, []http.HandlerFunc{refuses(401, `{"error":"invalid key"}`)}, "", "401: invalid key", 1},
		{"no schemas", schema, []http.HandlerFunc{refuses(400, "unknown field"), speaks(`{"a":1}`)}, `{"a":1}`, "", 2},
		{"no schemas either", schema, []http.HandlerFunc{refuses(422, "unknown field")}, "", "422", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := serve(t, c.steps...)
			r, err := f.client(t, llm.Options{}).Ask(t.Context(), llm.Question{System: "s", User: "u", Schema: c.schema})
			if c.err == "" && (err != nil || r.Text != c.want) {
				t.Errorf("Ask = %q, %v; want %q", r.Text, err, c.want)
			}
			if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("Ask = %q, %v; want an error with %q", r.Text, err, c.err)
			}
			if got := f.requests(); len(got) != c.asked {
				t.Errorf("%d requests, want %d", len(got), c.asked)
			}
		})
	}
}

func TestErrorsAreTold(t *testing.T) {
	f := serve(t, finishes(`{"a":`, "length"))
	_, err := f.client(t, llm.Options{}).Ask(t.Context(), llm.Question{User: "u", Schema: schema})
	if !errors.Is(err, llm.ErrCut) {
		t.Errorf("an answer that was cut gives %v", err)
	}
	f = serve(t, refuses(400, `{"error":{"code":400,"message":"request (9 tokens) exceeds","type":"exceed_context_size_error"}}`))
	_, err = f.client(t, llm.Options{}).Ask(t.Context(), llm.Question{User: "u"})
	var status *llm.StatusError
	if !errors.As(err, &status) || !status.TooLong() {
		t.Errorf("a question over the context gives %v", err)
	}
}

// What the model is asked goes out as the protocol has it, and nothing else.
func TestRequest(t *testing.T) {
	f := serve(t, refuses(400, "no"), speaks(`{"a":1}`))
	_, err := f.client(t, llm.Options{}).Ask(t.Context(), llm.Question{System: "s", User: "u", Schema: schema, MaxTokens: 5})
	if err != nil {
		t.Fatal(err)
	}
	got := f.requests()
	if got[0].path != "/v1/chat/completions" || got[0].key != "Bearer secret-key" {
		t.Errorf("asked %s with %q", got[0].path, got[0].key)
	}
	first, second := got[0].body, got[1].body
	if first["response_format"].(map[string]any)["type"] != "json_schema" || first["max_tokens"] != 5.0 || first["model"] != "m" {
		t.Errorf("first request: %v", first)
	}
	if second["response_format"].(map[string]any)["type"] != "json_object" {
		t.Errorf("second request: %v", second)
	}
	if _, sent := first["chat_template_kwargs"]; sent {
		t.Error("a server that is not ours is told about templates")
	}
	c, err := llm.New(llm.Endpoint{URL: f.URL + "/v1", Sidecar: true}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), llm.Question{User: "u"}); err != nil {
		t.Fatal(err)
	}
	last := f.requests()[2].body
	if thinking := last["chat_template_kwargs"].(map[string]any)["enable_thinking"]; thinking != false {
		t.Errorf("our own server is asked with thinking %v", thinking)
	}
}

func TestTimeLimits(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	drip := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, " "); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond)
		}
	}
	for name, step := range map[string]http.HandlerFunc{"a server that hangs": hang, "a server that drips": drip} {
		f := serve(t, step)
		_, err := f.client(t, llm.Options{Timeout: 50 * time.Millisecond}).Ask(t.Context(), llm.Question{User: "u"})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := f.client(t, llm.Options{}).Ask(t.Context(), llm.Question{User: "u"})
	var status *llm.StatusError
	if !errors.As(err, &status) || status.After != time.Hour || len(f.requests()) != 1 {
		t.Errorf("a server that wants an hour's rest: %v after %d requests", err, len(f.requests()))
	}
}

func TestConnectionThatBreaks(t *testing.T) {
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close() // as a server that dies
		}
	}
	f := serve(t, hangUp, speaks("ok"))
	r, err := f.client(t, llm.Options{}).Ask(t.Context(), llm.Question{User: "u"})
	if err != nil || r.Text != "ok" {
		t.Errorf("Ask = %q, %v", r.Text, err)
	}
}

// The key and the text stay where they were sent.
func TestRedirectIsNotFollowed(t *testing.T) {
	other := serve(t, speaks("caught"))
	f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
	})
	_, err := f.client(t, llm.Options{}).Ask(t.Context(), llm.Question{User: "u"})
	var status *llm.StatusError
	if !errors.As(err, &status) || status.Status != http.StatusTemporaryRedirect {
		t.Errorf("a redirect gives %v", err)
	}
	if n := len(other.requests()); n != 0 {
		t.Errorf("%d requests reached the other host", n)
	}
	if strings.Contains(err.Error(), "secret-key") {
		t.Errorf("the error tells the key: %v", err)
	}
}

type meter struct {
	left, tokens, failed int
}

func (m *meter) Allow() error {
	if m.left--; m.left < 0 {
		return &llm.SpentError{Calls: 2, MaxCalls: 2}
	}
	return nil
}

func (m *meter) Used(tokens int, err error) {
	m.tokens += tokens
	if err != nil {
		m.failed++
	}
}

func TestMeter(t *testing.T) {
	f := serve(t, refuses(500, "oh"), speaks("ok"))
	m := &meter{left: 2}
	c := f.client(t, llm.Options{Meter: m})
	if _, err := c.Ask(t.Context(), llm.Question{User: "u"}); err != nil {
		t.Fatal(err)
	}
	if m.tokens != 7 || m.failed != 1 {
		t.Errorf("counted %d tokens and %d failures", m.tokens, m.failed)
	}
	_, err := c.Ask(t.Context(), llm.Question{User: "u"})
	var spent *llm.SpentError
	if !errors.As(err, &spent) || len(f.requests()) != 2 {
		t.Errorf("over the ceiling: %v after %d requests", err, len(f.requests()))
	}
}

// TestAnswersThatSayNothingAreFailures: a server whose answers cannot be used
// was told as one that is well, and one that repeats the key had it written down.
func TestAnswersThatSayNothingAreFailures(t *testing.T) {
	for name, c := range map[string]struct {
		step http.HandlerFunc
		ask  func(*llm.Client) error
		want string
	}{
		"no object": {speaks("no"), func(c *llm.Client) error {
			_, err := c.Ask(t.Context(), llm.Question{User: "u", Schema: []byte("{}")})
			return err
		}, "no JSON object"},
		"too few":     {says(`{"data":[]}`), func(c *llm.Client) error { _, err := c.Embed(t.Context(), []string{"a"}); return err }, "0 vectors for 1 texts"},
		"no scores":   {says(`{"results":[{"index":7}]}`), func(c *llm.Client) error { _, err := c.Rank(t.Context(), "q", []string{"a"}); return err }, "the score of text 7"},
		"refused key": {refuses(401, `{"error":"no such key: secret-key"}`), func(c *llm.Client) error { _, err := c.Ask(t.Context(), llm.Question{User: "u"}); return err }, "no such key: …"},
	} {
		d := &llm.Daily{Path: filepath.Join(t.TempDir(), "c.json")}
		err := c.ask(serve(t, c.step).client(t, llm.Options{Meter: d}))
		if got := d.Today(); err == nil || got.Failed != 1 || !strings.Contains(got.Error, c.want) {
			t.Errorf("%s: %v, counted %+v", name, err, got)
		}
	}
	d := &llm.Daily{Path: filepath.Join(t.TempDir(), "c.json")}
	d.Used(0, errors.New("it failed"))
	if d.Used(1, nil); d.Today().Error != "" {
		t.Errorf("after a success: %+v", d.Today())
	}
}

func TestEndpoints(t *testing.T) {
	for _, c := range []struct {
		at  llm.Endpoint
		err string
	}{
		{llm.Endpoint{URL: "http://127.0.0.1:1/v1"}, ""},
		{llm.Endpoint{URL: "http://[::1]:1/v1"}, ""},
		{llm.Endpoint{URL: "http://localhost:1/v1"}, ""},
		{llm.Endpoint{URL: "https://llm.example.com/v1", Key: "k"}, ""},
		{llm.Endpoint{URL: "https://llm.example.com/v1"}, "needs a key"},
		{llm.Endpoint{URL: "http://127.0.0.1.example.com/v1"}, "needs a key"},
		{llm.Endpoint{URL: "ftp://localhost/v1"}, "not an http"},
		{llm.Endpoint{URL: "localhost:8080"}, "not an http"},
		{llm.Endpoint{URL: ""}, "not an http"},
		{llm.Endpoint{URL: "https://me:hidden@/v1\x7f"}, "not a URL"},
	} {
		err := c.at.Check()
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, want %q", c.at.URL, err, c.err)
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("%v tells the password", err)
		}
	}
}
