package main_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An agent is offered the tool where a model is configured, and finds later
// what it recorded.
func TestAgentsRecordMaterial(t *testing.T) {
	for _, generates := range []bool{true, false} {
		t.Setenv("MEMORY_MCP_GENERATION_URL", "")
		if generates {
			t.Setenv("MEMORY_MCP_GENERATION_URL", generatorOf(t))
		}
		s := start(t, "memory-mcp", "serve")
		s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}` + "\n")
		if listed := strings.Contains(string(s.receive(2)), `"memory_record"`); listed != generates {
			t.Errorf("with a model %t: the tool is listed %t", generates, listed)
		}
		s.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_record","arguments":{"text":"The listening port of the gateway is 8081.","role":"user"}}}` + "\n")
		said := string(s.receive(3))
		if !strings.Contains(said, "Recorded in lobe") || strings.Contains(said, "It will wait") == generates {
			t.Errorf("with a model %t: %s", generates, said)
		}
		if !generates {
			left, err := filepath.Glob(filepath.Join(s.dir, ".git", "memory", ".inbox", "item-*.json"))
			if err != nil || len(left) != 1 {
				t.Errorf("without a model there are %q, %v", left, err)
			}
			continue
		}
		for id, end := 4.0, time.Now().Add(patience); ; id++ {
			s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":"memory_query","arguments":{"filter":"gateway","format":"json"}}}`+"\n", id))
			var got struct {
				StructuredContent struct {
					Results []struct{ Trust, Excerpt string } `json:"results"`
				} `json:"structuredContent"`
			}
			if err := json.Unmarshal(s.receive(id), &got); err != nil {
				t.Fatal(err)
			}
			if all := got.StructuredContent.Results; len(all) == 1 && all[0].Trust == "user" && all[0].Excerpt == "The listening port of the gateway is 8081." {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("after %v: %+v", patience, got)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
