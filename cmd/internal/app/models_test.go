package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/llm/tiny"
	"memory-mcp/lobes"
)

// endpoint is a server of vectors: of texts about kittens and of others.
func endpoint(t *testing.T, down *atomic.Bool) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || down.Load() {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		type item struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var items []item
		for i, text := range in.Input {
			v := []float64{0, 1, .1}
			if strings.Contains(text, "kitten") || strings.Contains(text, "cat") {
				v = []float64{1, 0, .1}
			}
			items = append(items, item{i, v})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"data": items}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// remembering is a repository with two memories.
func remembering(w *world, a *app.App) {
	w.t.Helper()
	set, err := a.Current(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, text := range []string{"The kitten sleeps on the couch in the office all day.", "The team meets in the morning, before the stand-up begins."} {
		r, err := set.Remember(w.t.Context(), lobes.By{Actor: "test"}, a.Target(""), []lobes.Note{{Topic: "general", Text: text}})
		if err != nil || len(r.Stored) != 1 {
			w.t.Fatalf("%+v, %v", r, err)
		}
	}
}

func recalled(w *world, a *app.App, text string) lobes.Answer {
	w.t.Helper()
	set, err := a.Current(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	got, err := set.Recall(w.t.Context(), a.Target(""), lobes.Query{Text: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// hybrid waits until the vectors are made.
func hybrid(w *world, a *app.App, text string) lobes.Answer {
	w.t.Helper()
	var got lobes.Answer
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = recalled(w, a, text); got.RankedBy == lobes.RankedByBoth && got.VectorShare == 1 {
			return got
		}
	}
	w.t.Fatalf("no vectors after a minute: %+v, models %+v\n%s", got, a.Facts().Parts, w.log.String())
	return got
}

func TestVectorsOfAServer(t *testing.T) {
	var down atomic.Bool
	w := newWorld(t)
	w.vars["MEMORY_MCP_EMBEDDING_URL"] = endpoint(t, &down)
	w.vars["MEMORY_MCP_EMBEDDING_MODEL"] = "kittens"
	a := w.open(w.repository("app"), true)
	remembering(w, a)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if got := recalled(w, a, "cat"); got.RankedBy != lobes.RankedByWords || len(got.Results) != 0 {
		t.Errorf("before there are vectors: %+v", got)
	}
	a.Run(ctx)
	if got := hybrid(w, a, "cat"); len(got.Results) == 0 || !strings.Contains(got.Results[0].Entry.Body, "kitten") {
		t.Errorf("found %+v", got.Results)
	}
	if parts := a.Facts().Parts; len(parts) != 1 || parts[0].Role != "embedding" || parts[0].Name != "kittens" || parts[0].State != "ready" {
		t.Errorf("told %+v", parts)
	}
	down.Store(true)
	if got := recalled(w, a, "kitten"); got.RankedBy != lobes.RankedByWords || len(got.Results) == 0 {
		t.Errorf("with the server down: %+v", got)
	}
}

func TestModelsThatAreNotHere(t *testing.T) {
	for name, c := range map[string]struct{ block, state, cause, next string }{
		"never fetched": {`"embedding": "qwen3-embedding"`, "off", "not on this machine", "memory-mcp models pull qwen3-embedding"},
		"no such model": {`"embedding": "qwen4"`, "off", `no model is named "qwen4"`, "correct models.embedding"},
		"no such file":  {`"rerank": "/no/such.gguf"`, "off", "no such file", "correct models.rerank"},
	} {
		w := newWorld(t)
		w.write(configFile, `{"models": {`+c.block+`}}`)
		a := w.open(w.repository("app"), true)
		remembering(w, a)
		if got := recalled(w, a, "kitten couch"); got.RankedBy != lobes.RankedByWords || len(got.Results) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
		parts := a.Facts().Parts
		if len(parts) != 1 || parts[0].State != c.state || !strings.Contains(parts[0].Cause, c.cause) || !strings.HasPrefix(parts[0].Next, c.next) {
			t.Errorf("%s: told %+v", name, parts)
		}
	}
}

// The real program, from the configuration to the answer: a question finds a
// memory with which it shares no word, and nothing is left running.
func TestRealSidecarFindsByMeaning(t *testing.T) {
	server := os.Getenv("MEMORY_MCP_TEST_LLAMA_SERVER")
	if server == "" {
		t.Skip("needs a real llama-server: .ci/native builds one; set MEMORY_MCP_TEST_LLAMA_SERVER to its path")
	}
	w := newWorld(t)
	model := filepath.Join(t.TempDir(), "words.gguf")
	if err := os.WriteFile(model, tiny.Words(), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write(configFile, fmt.Sprintf(`{"models": {"server": %q, "embedding": %q}}`, server, model))
	a := w.open(w.repository("app"), true)
	remembering(w, a)
	ctx, stop := context.WithCancel(t.Context())
	before := time.Now()
	recalled(w, a, "cat resting sofa")
	t.Logf("an answer while the model is not loaded took %v", time.Since(before))
	a.Run(ctx)
	if got := hybrid(w, a, "cat resting sofa"); len(got.Results) == 0 || !strings.Contains(got.Results[0].Entry.Body, "kitten") {
		t.Errorf("found %+v", got.Results)
	}
	stop()
	record := filepath.Join(w.path("memory"), "sidecar")
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left, err := filepath.Glob(filepath.Join(record, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the server runs on: %v", left)
		}
	}
}
