package llamacpp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/llm"
	"memory-mcp/llm/llamacpp"
	"memory-mcp/llm/sidecar"
	"memory-mcp/llm/tiny"
)

// program is the real llama-server, or the test is skipped by name.
func program(t *testing.T) string {
	t.Helper()
	path := os.Getenv("MEMORY_MCP_TEST_LLAMA_SERVER")
	if path == "" {
		if os.Getenv("MEMORY_MCP_TEST_REAL") != "" {
			t.Fatal("MEMORY_MCP_TEST_LLAMA_SERVER names no llama-server, and real programs are asked for")
		}
		t.Skip("needs a real llama-server: .ci/native builds one; set MEMORY_MCP_TEST_LLAMA_SERVER to its path")
	}
	return path
}

func model(t *testing.T, role llamacpp.Role, file string, change func(*llamacpp.Options)) *llamacpp.Model {
	t.Helper()
	o := llamacpp.Options{
		Server: program(t), File: file, Role: role, Dir: t.TempDir(), Context: 2048, Threads: 1, Pause: 10 * time.Millisecond,
	}
	if change != nil {
		change(&o)
	}
	m, err := llamacpp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var over sync.WaitGroup
	over.Go(func() { m.Run(ctx) })
	t.Cleanup(func() { stop(); over.Wait() })
	return m
}

func wait(t *testing.T, m *llamacpp.Model) llamacpp.Loan {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	loan, err := m.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return loan
}

const extractSchema = `{"type":"object","additionalProperties":false,"required":["title","kind","sure"],"properties":{
	"title":{"type":"string","minLength":1,"maxLength":30},"kind":{"enum":["fact","decision"]},"sure":{"type":"integer","minimum":0,"maximum":9}}}`

func TestRealChat(t *testing.T) {
	m := model(t, llamacpp.Chat, file(t, "chat.gguf", tiny.Chat()), nil)
	_, err := m.Borrow(t.Context()) // which also sees to the start
	var notReady *sidecar.NotReadyError
	if !errors.As(err, &notReady) {
		t.Fatalf("a server that was never started is lent: %v", err)
	}
	loan := wait(t, m)
	defer loan.Return()
	for i := range 5 {
		r, err := loan.Ask(t.Context(), llm.Question{
			System: "Extract a memory.", User: fmt.Sprint("We chose Go. ", i), Schema: json.RawMessage(extractSchema), MaxTokens: 200, Temperature: .7,
		})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Title, Kind string
			Sure        int
		}
		if err := json.Unmarshal([]byte(r.Text), &got); err != nil || got.Title == "" || got.Kind != "fact" && got.Kind != "decision" {
			t.Errorf("answer %q: %v", r.Text, err)
		}
		if r.Tokens == 0 {
			t.Error("no token was counted")
		}
	}
	_, err = loan.Ask(t.Context(), llm.Question{User: "u", Schema: json.RawMessage(extractSchema), MaxTokens: 3})
	if !errors.Is(err, llm.ErrCut) {
		t.Errorf("an answer that was cut gives %v", err)
	}
	_, err = loan.Ask(t.Context(), llm.Question{User: strings.Repeat("word ", 3000)})
	var status *llm.StatusError
	if !errors.As(err, &status) || !status.TooLong() {
		t.Errorf("a question over the context gives %v", err)
	}
}

func TestRealVectors(t *testing.T) {
	m := model(t, llamacpp.Embed, file(t, "embed.gguf", tiny.Embedder()), func(o *llamacpp.Options) { o.Pooling = "last" })
	loan := wait(t, m)
	defer loan.Return()
	v, err := loan.Embed(t.Context(), []string{"hello world", "the cat", "hello world"})
	if err != nil {
		t.Fatal(err)
	}
	if len(v[0]) != 64 || product(v[0], v[2]) < .9999 || product(v[0], v[1]) > .999 {
		t.Errorf("%d dimensions, products %v and %v", len(v[0]), product(v[0], v[2]), product(v[0], v[1]))
	}
	// Several texts in one request have the vectors that each has alone.
	alone, err := loan.Embed(t.Context(), []string{"the cat"})
	if err != nil || product(alone[0], v[1]) < .9999 {
		t.Errorf("a text alone has another vector: %v, %v", product(alone[0], v[1]), err)
	}
	_, err = loan.Embed(t.Context(), []string{strings.Repeat("word ", 3000)})
	var status *llm.StatusError
	if !errors.As(err, &status) {
		t.Errorf("a text over the context gives %v", err)
	}
}

func product(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestRealMeanings(t *testing.T) {
	m := model(t, llamacpp.Embed, file(t, "meanings.gguf", tiny.Meanings()), nil)
	loan := wait(t, m)
	defer loan.Return()
	texts := []string{"the database failed", "a cat slept on the sofa", "tabs formatting", "deployment memory", "meetings in the morning"}
	questions := []string{"sql outage", "kitten resting couch", "indentation style", "release heap", "early calls"}
	have, err := loan.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := loan.Embed(t.Context(), questions)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range asked {
		best := 0
		for j := range have {
			if product(q, have[j]) > product(q, have[best]) {
				best = j
			}
		}
		if best != i {
			t.Errorf("%q finds %q", questions[i], texts[best])
		}
	}
}

func TestRealRank(t *testing.T) {
	m := model(t, llamacpp.Rank, file(t, "rank.gguf", tiny.Ranker()), nil)
	loan := wait(t, m)
	defer loan.Return()
	ranked, err := loan.Rank(t.Context(), "where is it", []string{"in the box", "cats", "in the box"})
	if err != nil || len(ranked) != 3 {
		t.Fatalf("Rank = %v, %v", ranked, err)
	}
}

// What kills the server is noticed, and it comes back; what ends us ends it.
func TestRealServerDies(t *testing.T) {
	m := model(t, llamacpp.Embed, file(t, "meanings.gguf", tiny.Meanings()), nil)
	loan := wait(t, m)
	server, err := os.FindProcess(serverOf(t, loan.Endpoint().URL))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	loan.Return()
	for end := time.Now().Add(10 * time.Second); m.State().Name == sidecar.Ready; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody noticed that the server is gone")
		}
	}
	loan = wait(t, m)
	defer loan.Return()
	if _, err := loan.Embed(t.Context(), []string{"cat"}); err != nil {
		t.Error(err)
	}
}

// Two models of one machine with the same file share a server.
func TestRealServerIsShared(t *testing.T) {
	path, dir := file(t, "meanings.gguf", tiny.Meanings()), t.TempDir()
	in := func(o *llamacpp.Options) { o.Dir = dir }
	first, second := model(t, llamacpp.Embed, path, in), model(t, llamacpp.Embed, path, in)
	a := wait(t, first)
	defer a.Return()
	b := wait(t, second)
	defer b.Return()
	if a.Endpoint() != b.Endpoint() {
		t.Errorf("two servers, %s and %s", a.Endpoint().URL, b.Endpoint().URL)
	}
	if _, err := b.Embed(t.Context(), []string{"cat"}); err != nil {
		t.Error(err)
	}
}

// A program that ends soon uses the server of another one, and starts none.
func TestRealServerIsJoined(t *testing.T) {
	path, dir := file(t, "meanings.gguf", tiny.Meanings()), t.TempDir()
	in := func(o *llamacpp.Options) { o.Dir = dir }
	guest, err := llamacpp.New(llamacpp.Options{Server: program(t), File: path, Role: llamacpp.Embed, Dir: dir, Context: 2048})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := guest.Join(t.Context()); err == nil {
		t.Error("joined where nothing runs")
	}
	wait(t, model(t, llamacpp.Embed, path, in)).Return()
	loan, err := guest.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer loan.Return()
	if _, err := loan.Embed(t.Context(), []string{"cat"}); err != nil {
		t.Error(err)
	}
}

func TestRealServerThatCannotServe(t *testing.T) {
	cut := filepath.Join(t.TempDir(), "cut.gguf")
	whole := tiny.Meanings()
	if err := os.WriteFile(cut, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	m := model(t, llamacpp.Embed, cut, nil)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	_, err := m.Wait(ctx)
	var notReady *sidecar.NotReadyError
	if !errors.As(err, &notReady) || notReady.State.Name != sidecar.Off {
		t.Errorf("a model that was cut gives %v", err)
	}
}

// serverOf finds the process that listens on the port of a URL.
func serverOf(t *testing.T, url string) int {
	t.Helper()
	_, port, err := net.SplitHostPort(strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), "--port\x00"+port+"\x00") {
			continue
		}
		if strings.Contains(string(b), "LLAMA_API_KEY") {
			t.Error("the command line tells the key")
		}
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	t.Fatalf("no process listens on port %s", port)
	return 0
}

// BenchmarkRealEmbed tells how many texts a second get their vector, by the
// real program with a model that computes next to nothing: what is left is the
// way there and back. MEMORY_MCP_TEST_WORDS_MODEL names another model.
func BenchmarkRealEmbed(b *testing.B) {
	server := os.Getenv("MEMORY_MCP_TEST_LLAMA_SERVER")
	if server == "" {
		b.Skip("needs a real llama-server: .ci/native builds one; set MEMORY_MCP_TEST_LLAMA_SERVER to its path")
	}
	path := os.Getenv("MEMORY_MCP_TEST_WORDS_MODEL")
	if path == "" {
		path = filepath.Join(b.TempDir(), "meanings.gguf")
		if err := os.WriteFile(path, tiny.Meanings(), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	m, err := llamacpp.New(llamacpp.Options{Server: server, File: path, Role: llamacpp.Embed, Dir: b.TempDir(), Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var over sync.WaitGroup
	over.Go(func() { m.Run(ctx) })
	defer over.Wait()
	defer stop()
	loan, err := m.Wait(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer loan.Return()
	texts := make([]string, 16)
	for i := range texts {
		texts[i] = fmt.Sprint(strings.Repeat("the cat slept on the sofa in the office ", 6), i)
	}
	for b.Loop() {
		if _, err := loan.Embed(ctx, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
}
