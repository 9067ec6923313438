package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/llm/tiny"
)

// realServer is the real llama-server, or the test is skipped by name.
func realServer(t *testing.T) string {
	t.Helper()
	path := os.Getenv("MEMORY_MCP_TEST_LLAMA_SERVER")
	switch {
	case path != "":
		return path
	case os.Getenv("MEMORY_MCP_TEST_REAL") != "":
		t.Fatal("MEMORY_MCP_TEST_LLAMA_SERVER names no llama-server, and real programs are asked for")
	}
	t.Skip("needs a real llama-server: .ci/native builds one; set MEMORY_MCP_TEST_LLAMA_SERVER to its path")
	return ""
}

// paraphrases are memories, and questions that say none of their words.
func paraphrases() map[string]string {
	return map[string]string{
		"A lawyer advised us against keeping addresses of customers in Germany longer than thirty days.": "attorney counsel about European clients' personal data",
		"The nightly train of jobs starts at two in the morning, when few people are awake.":             "what happens overnight while workers rest",
		"Payments to the bank wait until the holiday is over.":                                           "money during vacation",
		"Doctors in the hospital read the report on small screens of telephones.":                        "mobile display for physicians",
		"The engine overheats when the fan of the rack stops.":                                           "cooling motor temperature",
		"We bought the cheaper disk because the budget was cut.":                                         "low price hardware purchase due to spending reduction",
		"Every soldier of the army simulation carries a rifle, never a pistol.":                          "which weapon do troops have in combat",
		"The kitten on the splash page sleeps on a couch.":                                               "cat resting sofa",
		"Rain and snow are shown in blue on the map of the coast.":                                       "color for weather along a shore",
		"The orchestra plugin plays violin samples in wrong pitch.":                                      "musical instrument sounds out of tune",
		"Teachers grade an essay twice, and students see the higher mark.":                               "school pupils exam score",
		"The ship leaves the harbor before the cargo list is signed.":                                    "vessel departs port early",
	}
}

// unrelated are memories that answer none of the questions.
func unrelated() []string {
	return []string{
		"The parser keeps comments of the input and prints them again.",
		"Use tabs in shell scripts, and spaces elsewhere.",
		"The release notes are written by hand from the list of changes.",
		"Logs are kept for a week and then thrown away.",
		"The build breaks without a compiler on the path.",
		"Passwords are hashed with a salt of sixteen bytes.",
		"Tests run in a random order since March.",
		"A request without a token is answered with an error.",
		"The index is rebuilt when its version differs.",
		"Configuration is read once, at the start.",
		"The queue drops messages that are older than an hour.",
		"Images are resized on upload and never later.",
		"The manager of the office orders lunch on Friday.",
		"Translations are reviewed by two people each.",
		"The old server in the cellar is switched off at the end of the year.",
	}
}

// words are those of a text.
func words(text string) []string {
	return regexp.MustCompile(`\pL+`).FindAllString(strings.ToLower(text), -1)
}

// found is the part of an answer that tells how it was ranked.
type found struct {
	RankedBy    string  `json:"ranked_by"`
	VectorShare float64 `json:"vector_share"`
	Results     []struct{ Title string }
}

// first is the title of the best hit.
func (f found) first() string {
	if len(f.Results) == 0 {
		return "nothing"
	}
	return f.Results[0].Title
}

// finds tells whether the best hit is a memory, whose title is its beginning.
func (f found) finds(text string) bool {
	return strings.HasPrefix(text, strings.TrimSuffix(f.first(), "…"))
}

// TestRealMeaning goes the whole way, from an agent's call through the real
// llama-server and back: questions find what they mean by words that they do
// not say. Meanwhile, and without the model, everything answers by words.
func TestRealMeaning(t *testing.T) {
	server := realServer(t)
	w := newWorld(t)
	model := filepath.Join(t.TempDir(), "words.gguf")
	if err := os.WriteFile(model, tiny.Words(), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.home, ".memory-mcp", "memory-config.json"), fmt.Sprintf(`{"models": {"server": %q, "embedding": %q}}`, server, model))
	s := w.connect(w.repository)
	for _, text := range unrelated() {
		s.want("memory_store", map[string]any{"content": text, "topic": "general", "durabilityDecision": "store-anyway"})
	}
	for text, question := range paraphrases() {
		for _, word := range words(question) {
			if slices.Contains(words(text), word) {
				t.Errorf("%q says %q, as the memory does", question, word)
			}
		}
		s.want("memory_store", map[string]any{"content": text, "topic": "general", "durabilityDecision": "store-anyway"})
	}
	ask := func(question string) found {
		var f found
		raw := s.want("memory_context", map[string]any{"context": question, "format": "json"})
		if err := json.Unmarshal([]byte(raw), &f); err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		return f
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if f := ask("cat resting sofa"); f.RankedBy == "hybrid" && f.VectorShare == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no vectors after a minute: %s", s.want("memory_diagnose", nil))
		}
	}
	s.want("memory_diagnose", nil, "ready")
	for text, question := range paraphrases() {
		if f := ask(question); !f.finds(text) {
			t.Errorf("%q finds %q, not %q", question, f.first(), text)
		}
	}
	w.sharesTheModel()
}

// sharesTheModel asks by command, beside the server that runs the model.
func (w *world) sharesTheModel() {
	w.t.Helper()
	for text, question := range paraphrases() {
		cmd := exec.Command(w.binary, "context", question, "--json")
		cmd.Dir, cmd.Env = w.repository, w.env()
		out, err := cmd.Output()
		var f found
		if err != nil || json.Unmarshal(out, &f) != nil {
			w.t.Fatalf("context %q: %v\n%s", question, err, out)
		}
		if f.RankedBy != "hybrid" || !f.finds(text) {
			w.t.Errorf("by command %q finds %q, %s", question, f.first(), f.RankedBy)
		}
	}
}
