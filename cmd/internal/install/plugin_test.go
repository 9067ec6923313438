package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/install"
)

// TestPluginRuns: the program for opencode's runtime is one, brings what the
// hook answers before the model, and hands on what was said at the end.
func TestPluginRuns(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "memory-mcp")
	script := "#!/bin/sh\ncat >> '" + dir + "/said'\necho '{\"additionalContext\":\"remembered\"}'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	edits, err := install.Edits(install.Options{OS: "linux", Home: dir, MemoryHome: dir, Command: program, Getenv: func(string) string { return "" }}, []string{"opencode"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		if e.What != "plugin" {
			continue
		}
		text, err := e.Add(nil)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, `
const p = await Memory({ directory: "/d" })
await p["chat.message"]({ sessionID: "s" }, { message: { id: "1" }, parts: [{ type: "text", text: "\"ask\"" }] })
const out = { system: ["first"] }
await p["experimental.chat.system.transform"]({ sessionID: "s" }, out)
console.log(out.system.join())
await p.event({ event: { type: "message.updated", properties: { info: { id: "2", role: "assistant", sessionID: "s" } } } })
await p.event({ event: { type: "message.part.updated", properties: { part: { type: "text", messageID: "2", sessionID: "s", text: "answer" } } } })
await p.event({ event: {} })
await p.dispose()
`...)
		at := filepath.Join(dir, "plugin.mjs")
		if err := os.WriteFile(at, text, 0o600); err != nil {
			t.Fatal(err)
		}
		printed, err := exec.Command(node, at).CombinedOutput()
		if err != nil || strings.TrimSpace(string(printed)) != "first,remembered" {
			t.Fatalf("%v: %s", err, printed)
		}
	}
	said, err := os.ReadFile(filepath.Join(dir, "said"))
	for _, want := range []string{`"prompt":"ask"`, `"role":"user","text":"ask"`, `"role":"assistant","text":"answer"`, `"session.deleted"`} {
		if err != nil || !strings.Contains(string(said), want) {
			t.Errorf("no %s (%v) in %s", want, err, said)
		}
	}
}
