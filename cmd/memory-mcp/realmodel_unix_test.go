//go:build unix

package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Material as it comes: what is worth keeping, beside what is not.
const sampleMaterial = `User: Please move the upload worker, and from now on never force-push to the main branch of this repository.
Agent: Done. We moved the upload worker from Heroku to Fly.io, because cold starts on Heroku took 9 seconds. The port is read in cmd/server/main.go from LISTEN_PORT, with the default 8081.
User: Thanks! I am off for lunch.
Agent: Enjoy.
`

// A real model finds memories in material. It takes a llama-server and gigabytes
// of weights, so it runs only when it is asked for.
func TestRealModelFindsMemories(t *testing.T) {
	model := os.Getenv("MEMORY_MCP_TEST_MODEL")
	if model == "" {
		t.Skip("needs a real model: set MEMORY_MCP_TEST_MODEL to the path of a GGUF such as Qwen3-4B-Q4_K_M, and MEMORY_MCP_TEST_LLAMA_SERVER to a llama-server")
	}
	home := t.TempDir()
	config := fmt.Appendf(nil, `{"models": {"server": %q, "generation": %q}}`, os.Getenv("MEMORY_MCP_TEST_LLAMA_SERVER"), model)
	if err := os.WriteFile(filepath.Join(home, "memory-config.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	c := newChaos(t, 1, "MEMORY_MCP_HOME="+home)
	record := c.command("record")
	record.Stdin = strings.NewReader(sampleMaterial)
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("record: %v\n%s", err, out)
	}
	out, err := c.command("work", "--once", "--json").Output()
	if err != nil {
		t.Fatalf("work: %v\n%s", err, out)
	}
	t.Logf("%s", out)
	var done struct {
		Items []struct {
			Stored  []struct{ Title, Path string }
			Dropped map[string]int
		}
	}
	if err := json.Unmarshal(out, &done); err != nil || len(done.Items) != 1 || len(done.Items[0].Stored) == 0 {
		t.Fatalf("nothing was found: %s, %v", out, err)
	}
	for _, s := range done.Items[0].Stored {
		b, err := os.ReadFile(s.Path)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s", b)
		if !strings.Contains(string(b), "\nquote: ") {
			t.Errorf("%s says no words of the material", s.Path)
		}
	}
	for _, words := range []string{"force-push", "Fly.io"} {
		if out, err := c.command("query", words).CombinedOutput(); err != nil || strings.Contains(string(out), "0 memories") {
			t.Errorf("nothing was kept of %s: %v\n%s", words, err, out)
		}
	}
}
