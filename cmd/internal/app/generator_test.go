package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/lobes"
)

// A narrow model has room for texts of so many characters.
type narrow struct {
	*httptest.Server
	most   int
	refuse func(w http.ResponseWriter)

	mu    sync.Mutex
	asked []string
	keys  []string
}

func newNarrow(t *testing.T, most int, refuse func(http.ResponseWriter)) *narrow {
	n := &narrow{most: most, refuse: refuse}
	n.Server = httptest.NewServer(http.HandlerFunc(n.serve))
	t.Cleanup(n.Close)
	return n
}

func (n *narrow) serve(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []struct{ Content string } `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) != 2 {
		http.Error(w, "not the protocol", http.StatusBadRequest)
		return
	}
	lines := strings.Split(in.Messages[1].Content, "\n")
	text := strings.Join(lines[2:len(lines)-1], "\n")
	n.mu.Lock()
	n.asked, n.keys = append(n.asked, text), append(n.keys, r.Header.Get("Authorization"))
	n.mu.Unlock()
	if utf8.RuneCountInString(text) > n.most {
		n.refuse(w)
		return
	}
	first, _, _ := strings.Cut(text, ".")
	first = strings.TrimSpace(first) + "."
	answer, err := json.Marshal(map[string]any{"memories": []map[string]any{{
		"title": first[:20], "text": first, "kind": "fact", "scope": "project", "durability": "reusable", "confidence": .9,
		"tags": []string{}, "conditions": []string{}, "quote": first,
	}}})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	finish(w, string(answer), "stop")
}

func finish(w http.ResponseWriter, text, reason string) {
	err := json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"message": map[string]any{"content": text}, "finish_reason": reason}},
		"usage":   map[string]any{"total_tokens": 10},
	})
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (n *narrow) times() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.asked)
}

// generating is a program with a model at a URL.
func generating(t *testing.T, url string) (*world, *app.App, *lobes.Set) {
	w := newWorld(t)
	w.vars["MEMORY_MCP_GENERATION_URL"] = url + "/v1"
	w.vars["MEMORY_MCP_GENERATION_MODEL"] = "narrow"
	w.vars["MEMORY_MCP_GENERATION_KEY"] = "the-secret-key"
	a := w.open(w.repository("app"), false)
	set, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return w, a, set
}

// sentences are n of about 60 characters.
func sentences(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "The service with the number %04d listens on the port %05d. ", i, 10000+i)
	}
	return b.String()
}

// A piece for which the model, or its answer, has no room is halved.
func TestPiecesAreHalved(t *testing.T) {
	for name, refuse := range map[string]func(http.ResponseWriter){
		"the context": func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"code":400,"message":"too many tokens","type":"exceed_context_size_error"}}`, http.StatusBadRequest)
		},
		"the context of another server": func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, http.StatusBadRequest)
		},
		"the answer": func(w http.ResponseWriter) { finish(w, `{"memories":[{"ti`, "length") },
	} {
		n := newNarrow(t, 3500, refuse)
		_, a, set := generating(t, n.URL)
		text := sentences(180) // a little less than one piece
		if _, err := set.Record(t.Context(), lobes.By{Actor: "test"}, a.Target(""), lobes.Material{Text: text}); err != nil {
			t.Fatal(err)
		}
		done, err := set.Work(t.Context(), a.Target(""), lobes.Working{Patient: true})
		if err != nil || len(done.Items) != 1 || len(done.Items[0].Stored) != 4 || done.Items[0].Failed != "" {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
}

func TestShortTextsAreNotHalved(t *testing.T) {
	n := newNarrow(t, 10, func(w http.ResponseWriter) { finish(w, `{"memories":[{"ti`, "length") })
	_, a, set := generating(t, n.URL)
	if _, err := set.Record(t.Context(), lobes.By{Actor: "test"}, a.Target(""), lobes.Material{Text: sentences(3)}); err != nil {
		t.Fatal(err)
	}
	done, err := set.Work(t.Context(), a.Target(""), lobes.Working{Patient: true})
	if err != nil || len(done.Items) != 1 || !strings.Contains(done.Items[0].Failed, "too long") || n.times() != 3 {
		t.Errorf("asked %d times: %+v, %v", n.times(), done, err)
	}
	if p := a.Facts().Parts; len(p) != 1 || p[0].Failed != 3 || !strings.Contains(p[0].Cause, "the last call failed") || !strings.Contains(p[0].Cause, "too long") {
		t.Errorf("told %+v", p)
	}
}

// The ceiling of a day stops the work, is told, and costs the material nothing.
func TestCeilingOfADay(t *testing.T) {
	n := newNarrow(t, 1<<20, nil)
	w := newWorld(t)
	w.write(configFile, fmt.Sprintf(`{"models": {"callsPerDay": 2, "generation": {"url": %q, "key": "the-secret-key", "model": "narrow"}}}`, n.URL+"/v1"))
	a := w.open(w.repository("app"), false)
	set, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		text := fmt.Sprintf("The service with the number %d listens on the port %d.", i, 8000+i)
		if _, err := set.Record(t.Context(), lobes.By{Actor: "test"}, a.Target(""), lobes.Material{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		done, err := set.Work(t.Context(), a.Target(""), lobes.Working{Patient: true})
		if err != nil || done.Left != 2 || done.Failed != 0 || !strings.Contains(done.Stopped, "ceiling") {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	p := a.Facts().Parts
	if n.times() != 2 || len(p) != 1 || p[0].State != "paused" || p[0].Calls != 2 || p[0].MostCalls != 2 || p[0].Tokens != 20 || p[0].Host == "" || !strings.Contains(p[0].Next, "callsPerDay") {
		t.Errorf("asked %d times, told %+v", n.times(), p)
	}
}

// The key goes to the server and nowhere else.
func TestTheKeyStaysWhereItIs(t *testing.T) {
	n := newNarrow(t, 1<<20, nil)
	w, a, set := generating(t, n.URL)
	if _, err := set.Record(t.Context(), lobes.By{Actor: "test"}, a.Target(""), lobes.Material{Text: sentences(1), Source: "notes/secret-path.md"}); err != nil {
		t.Fatal(err)
	}
	if done, err := set.Work(t.Context(), a.Target(""), lobes.Working{}); err != nil || len(done.Items) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if n.keys[0] != "Bearer the-secret-key" || strings.Contains(n.asked[0], "secret-path") {
		t.Errorf("sent %q with %q", n.asked, n.keys)
	}
	told, err := json.Marshal(a.Facts())
	if err != nil || strings.Contains(string(told), "the-secret-key") || strings.Contains(w.log.String(), "the-secret-key") {
		t.Errorf("told %s, logged %s, %v", told, w.log.String(), err)
	}
	err = filepath.WalkDir(w.top, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), "the-secret-key") {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A program that serves looks through what comes at once.
func TestServersWorkOffTheInbox(t *testing.T) {
	n := newNarrow(t, 1<<20, nil)
	w := newWorld(t)
	w.vars["MEMORY_MCP_GENERATION_URL"] = n.URL + "/v1"
	a := w.open(w.repository("app"), true)
	a.Run(t.Context())
	set, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !a.Facts().Generates {
		t.Error("no model for generation is told")
	}
	time.Sleep(10 * time.Millisecond) // the first look is over, or not: both are right
	if _, err := set.Record(t.Context(), lobes.By{Actor: "test"}, a.Target(""), lobes.Material{Text: sentences(1)}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if got := recalled(w, a, "service port"); len(got.Results) == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("nothing was found in the material: asked %d times\n%s", n.times(), w.log.String())
		}
	}
}
