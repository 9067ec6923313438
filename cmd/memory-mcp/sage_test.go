package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A sage is a server that tells memories as one and judges them. What it says
// stands in a file, so that a script can change it.
type sage struct{ mode string }

// startSage is the command sage MODE: it starts the server once, sets what it
// says, and configures it as the model for generation and as the judge.
func startSage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sage MODE")
	}
	s := &sage{mode: filepath.Join(ts.Getenv("WORK"), "sage.mode")}
	ts.Check(os.WriteFile(s.mode, []byte(args[0]), 0o600))
	if ts.Getenv("MEMORY_MCP_GENERATION_URL") != "" {
		return
	}
	server := httptest.NewServer(s)
	ts.Defer(server.Close)
	ts.Setenv("MEMORY_MCP_GENERATION_URL", server.URL+"/v1")
	ts.Setenv("MEMORY_MCP_GENERATION_MODEL", "sage-1")
	ts.Setenv("MEMORY_MCP_JUDGE", "jev")
	ts.Setenv("TYPESAFE_API_KEY", "jev-key")
	ts.Setenv("TYPESAFE_BASE_URL", server.URL+"/v1")
}

var memberPattern = regexp.MustCompile(`(?s)Member (\d)\n.*?===[^\n]*===\n(.*?)\n===`)

func (s *sage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mode, err := os.ReadFile(s.mode)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	var answer any
	switch {
	case string(mode) == "down":
		http.Error(w, "out of memory", http.StatusInternalServerError)
		return
	case strings.HasSuffix(r.URL.Path, "/systemone"):
		answer = s.choose(string(mode), raw)
	default:
		answer = s.tell(string(mode), raw)
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// choose takes the option that the mode names, the first one when it names none.
func (s *sage) choose(mode string, raw []byte) any {
	var in struct{ Options []string }
	if err := json.Unmarshal(raw, &in); err != nil {
		panic(http.ErrAbortHandler)
	}
	option := in.Options[0]
	for _, o := range in.Options {
		if strings.Contains(mode, o) {
			option = o
		}
	}
	return map[string]any{"option": option, "confidence": .9, "usage": map[string]any{"total_tokens": 40}}
}

// tell is one sentence that quotes each member.
func (s *sage) tell(mode string, raw []byte) any {
	var in struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(raw, &in); err != nil {
		panic(http.ErrAbortHandler)
	}
	type quote struct {
		Member int    `json:"member"`
		Words  string `json:"words"`
	}
	var quotes []quote
	for i, m := range memberPattern.FindAllStringSubmatch(in.Messages[1].Content, -1) {
		quotes = append(quotes, quote{i + 1, strings.Join(strings.Fields(m[2])[:3], " ")})
	}
	text, err := json.Marshal(map[string]any{
		"declined": mode == "declines", "title": "How uploads are kept",
		"sentences": []any{map[string]any{"text": "Uploads are kept in the queue until a worker has confirmed them.", "quotes": quotes}},
	})
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	message := map[string]any{"message": map[string]any{"content": string(text)}, "finish_reason": "stop"}
	return map[string]any{"model": "sage-1", "choices": []any{message}, "usage": map[string]any{"total_tokens": 60}}
}
