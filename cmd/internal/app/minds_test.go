package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

// A sage is a server that tells memories as one and judges, as it is told to.
type sage struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string // paths
	sent   string   // all bodies
	quote  string   // what it quotes of each member; "" is the first words
	option string   // what it chooses
	status int      // of an answer to the judge's questions; 0 is 200
}

var memberPattern = regexp.MustCompile(`(?s)Member (\d)\n.*?===[^\n]*===\n(.*?)\n===`)

func newSage(t *testing.T) *sage {
	t.Helper()
	s := &sage{option: "compatible"}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked, s.sent = append(s.asked, r.URL.Path), s.sent+string(raw)
		var in struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal(raw, &in); err != nil {
			t.Error(err)
		}
		var out any
		switch {
		case strings.HasSuffix(r.URL.Path, "/systemone") && s.status != 0:
			http.Error(w, "no", s.status)
			return
		case strings.HasSuffix(r.URL.Path, "/systemone"):
			out = map[string]any{"option": s.option, "confidence": .9, "usage": map[string]any{"total_tokens": 40}}
		case strings.Contains(in.Messages[0].Content, "Answer a question about two records"):
			out = chatAnswer(fmt.Sprintf(`{"option": %q, "confidence": 0.9}`, s.option))
		default:
			out = chatAnswer(s.tell(in.Messages[1].Content))
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func chatAnswer(text string) any {
	return map[string]any{
		"model": "sage-1", "choices": []any{map[string]any{"message": map[string]any{"content": text}, "finish_reason": "stop"}},
		"usage": map[string]any{"total_tokens": 60},
	}
}

// tell is a summary that quotes each member.
func (s *sage) tell(question string) string {
	type quote struct {
		Member int    `json:"member"`
		Words  string `json:"words"`
	}
	var quotes []quote
	for i, m := range memberPattern.FindAllStringSubmatch(question, -1) {
		words := s.quote
		if words == "" {
			words = strings.Join(strings.Fields(m[2])[:4], " ")
		}
		quotes = append(quotes, quote{i + 1, words})
	}
	b, err := json.Marshal(map[string]any{"declined": len(quotes) == 0, "title": "The queue keeps uploads",
		"sentences": []any{map[string]any{"text": "Uploads are kept in the queue.", "quotes": quotes}}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func storeQueue(w *world, a *app.App) []string {
	w.t.Helper()
	set, err := a.Current(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []string
	for i, text := range []string{
		"Uploads go through the queue, since direct uploads lose events at a restart.",
		"The queue of uploads is emptied by a worker, which tries direct uploads never.",
		"Events of uploads are kept in the queue until the worker has confirmed each.",
	} {
		by := lobes.By{Actor: "test", Session: fmt.Sprint("s", i)}
		r, err := set.Remember(w.t.Context(), by, a.Target(""), []lobes.Note{{Topic: "architecture", Title: fmt.Sprint("Queue ", i), Text: text}})
		if err != nil || len(r.Stored) != 1 {
			w.t.Fatalf("%+v, %v", r, err)
		}
		ids = append(ids, r.Stored[0].ID)
	}
	return ids
}

func workOnce(w *world, a *app.App) lobes.Tidied {
	w.t.Helper()
	set, err := a.Current(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	done, err := set.Work(w.t.Context(), a.Target(""), lobes.Working{Patient: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return done.Tidied
}

// From memories through the model's server to a summary, and nothing leaves but texts.
func TestMemoriesAreToldAsOne(t *testing.T) {
	s := newSage(t)
	w := newWorld(t)
	root := w.repository("app")
	w.vars["MEMORY_MCP_GENERATION_URL"], w.vars["MEMORY_MCP_GENERATION_MODEL"] = s.URL+"/v1", "sage"
	a := w.open(root, false)
	ids := storeQueue(w, a)
	done := workOnce(w, a)
	if len(done.Summaries) != 1 || done.Summaries[0].Title != "The queue keeps uploads" || done.Summaries[0].Actor != "local:sage" || done.Summaries[0].Status != "candidate" {
		t.Fatalf("%+v after %v", done, s.asked)
	}
	for _, id := range append(ids, root, "architecture/") {
		if strings.Contains(s.sent, id) {
			t.Errorf("%q was sent", id)
		}
	}
	// An invented quote is found out, three times, and then left.
	s.quote = "it was never said"
	set, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Correct(t.Context(), lobes.By{Actor: "test"}, a.Target(""), lobes.Correction{ID: done.Summaries[0].ID, Action: "erase"}); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Correct(t.Context(), lobes.By{Actor: "test"}, a.Target(""), lobes.Correction{ID: ids[0], Action: "append", Text: "The queue is a folder."}); err != nil {
		t.Fatal(err)
	}
	n := len(s.asked)
	for range 5 {
		if done := workOnce(w, a); len(done.Summaries) != 0 || done.Stopped != "" {
			t.Errorf("%+v", done)
		}
	}
	if len(s.asked) != n+3 {
		t.Errorf("asked %d times", len(s.asked)-n)
	}
	line, err := set.Timeline(t.Context(), a.Target(""), lobes.Window{})
	if err != nil || line.Changes[0].Kind != entry.RecordFailed || !strings.Contains(line.Changes[0].Reason, "does not stand in it") {
		t.Errorf("%+v, %v", line.Changes[0], err)
	}
}

// The service judges only when it is named and has a key; it is counted and shown,
// and when it fails nothing follows.
func TestServiceJudges(t *testing.T) {
	s := newSage(t)
	w := newWorld(t)
	root := w.repository("app")
	w.vars["TYPESAFE_API_KEY"], w.vars["TYPESAFE_BASE_URL"] = "jev-key", s.URL+"/v1"
	a := w.open(root, false)
	storeQueue(w, a)
	if workOnce(w, a); len(s.asked) != 0 {
		t.Fatalf("unasked: %v", s.asked)
	}
	w.vars["MEMORY_MCP_JUDGE"] = "jev"
	a = w.open(root, false)
	set, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []lobes.Note{
		{Topic: "decisions", Title: "Port of the gateway", Text: "The gateway listens on port 8080 and validates tokens."},
		{Topic: "decisions", Title: "The gateway's port", Text: "The gateway listens on port 8443 and validates tokens."},
	} {
		if r, err := set.Remember(t.Context(), lobes.By{Actor: "test", Session: "s"}, a.Target(""), []lobes.Note{n}); err != nil || len(r.Stored) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	s.status = http.StatusServiceUnavailable
	if done := workOnce(w, a); len(done.Review) != 0 || done.Stopped != "" {
		t.Errorf("a service that fails: %+v", done)
	}
	s.status, s.option = 0, "contradiction"
	if done := workOnce(w, a); len(done.Review) != 0 {
		t.Errorf("one answer of two says that both cannot hold: %+v", done) // the second question has other options
	}
	parts := a.Facts().Parts
	if len(parts) != 1 || parts[0].Role != "judge" || parts[0].Name != "jev" || parts[0].Calls < 3 || parts[0].Failed < 2 || parts[0].Tokens < 40 || parts[0].Host == "" || parts[0].State != "ready" {
		t.Errorf("%+v", parts)
	}
	if strings.Contains(s.sent, "jev-key") || strings.Contains(fmt.Sprint(parts), "jev-key") {
		t.Error("the key is told")
	}
}

// The model for generation judges when it is named.
func TestGeneratorJudges(t *testing.T) {
	s := newSage(t)
	w := newWorld(t)
	root := w.repository("app")
	w.vars["MEMORY_MCP_GENERATION_URL"], w.vars["MEMORY_MCP_GENERATION_MODEL"], w.vars["MEMORY_MCP_JUDGE"] = s.URL+"/v1", "sage", "generation"
	s.option = "newer_value_supersedes"
	a := w.open(root, false)
	set, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []lobes.Note{
		{Topic: "decisions", Title: "Port of the gateway", Text: "The gateway listens on port 8080 and validates tokens."},
		{Topic: "decisions", Title: "The gateway's port", Text: "The gateway listens on port 8443 and validates tokens."},
	} {
		if r, err := set.Remember(t.Context(), lobes.By{Actor: "test", Session: "s"}, a.Target(""), []lobes.Note{n}); err != nil || len(r.Stored) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if done := workOnce(w, a); len(done.Superseded) != 1 {
		t.Errorf("%+v after %v", done, s.asked)
	}
	parts := a.Facts().Parts
	if len(parts) != 2 || parts[1].Role != "judge" || parts[1].Calls != 1 || parts[1].State != "ready" {
		t.Errorf("%+v", parts)
	}
}
