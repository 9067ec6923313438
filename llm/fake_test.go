package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"memory-mcp/llm"
)

// fake is a small server that answers from a script, one step a request; the
// last step is repeated.
type fake struct {
	*httptest.Server

	mu    sync.Mutex
	steps []http.HandlerFunc
	asked []request
}

type request struct {
	path, key string
	body      map[string]any
}

func serve(t *testing.T, steps ...http.HandlerFunc) *fake {
	t.Helper()
	f := &fake{steps: steps}
	f.Server = httptest.NewServer(http.HandlerFunc(f.answer))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	one := request{path: r.URL.Path, key: r.Header.Get("Authorization")}
	if err := json.Unmarshal(raw, &one.body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	step := f.steps[min(len(f.asked), len(f.steps)-1)]
	f.asked = append(f.asked, one)
	f.mu.Unlock()
	step(w, r)
}

func (f *fake) requests() []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]request{}, f.asked...)
}

func (f *fake) client(t *testing.T, o llm.Options) *llm.Client {
	t.Helper()
	if o.Pause == 0 {
		o.Pause = time.Millisecond
	}
	c, err := llm.New(llm.Endpoint{URL: f.URL + "/v1", Key: "secret-key", Model: "m"}, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if _, err := io.WriteString(w, body); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

func refuses(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, status) }
}

// speaks answers a chat with a text.
func speaks(text string) http.HandlerFunc { return finishes(text, "stop") }

func finishes(text, reason string) http.HandlerFunc {
	b, err := json.Marshal(map[string]any{
		"model":   "served",
		"choices": []any{map[string]any{"message": map[string]any{"content": text}, "finish_reason": reason}},
		"usage":   map[string]any{"total_tokens": 7},
	})
	if err != nil {
		panic(err)
	}
	return says(string(b))
}
