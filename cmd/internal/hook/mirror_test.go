package hook_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"memory-mcp/lobes"
)

const note = `---
name: Tests first
description: "The user wants a failing test before a fix"
metadata:
  type: feedback
---
Write the failing test first.

**Why:** regressions came back twice.
`

func (w *world) mirrored(path string) lobes.Receipt {
	w.t.Helper()
	w.open()
	r, err := w.hook().Mirror(w.t.Context(), "claude-code", "s", path)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func TestAHostsMemoryIsMirrored(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.home, ".claude/projects/-app/memory/feedback_tests.md")
	w.write(path, note)
	r := w.mirrored(path)
	if len(r.Stored) != 1 || r.Stored[0].Topic != "preferences" || r.Stored[0].Title != "Tests first" {
		t.Fatalf("stored %+v", r)
	}
	head := r.Stored[0]
	e := w.entry(head.Path)
	if want := "The user wants a failing test before a fix\n\nWrite the failing test first.\n\n**Why:** regressions came back twice."; e.Body != want {
		t.Errorf("the text is %q, want %q", e.Body, want)
	}
	if !reflect.DeepEqual(e.Tags, []string{"claude-memory", "feedback"}) || e.Kind != "preference" || e.Trust == "user" {
		t.Errorf("tags %q, kind %q, trust %q", e.Tags, e.Kind, e.Trust)
	}
	if again := w.mirrored(path); again.Unchanged != 1 {
		t.Errorf("the same once more gives %+v", again)
	}

	// A newer text takes the place of the old one, also under another name or type.
	w.write(path, strings.NewReplacer("failing test first", "test before the fix", "Tests first", "Test, then fix", "type: feedback", "type: project").Replace(note))
	if r = w.mirrored(path); len(r.Stored) != 1 || r.Stored[0].ID != head.ID || r.Stored[0].Action != "replaced" {
		t.Fatalf("a newer text gives %+v", r)
	}

	// Changed here alone: what the host said before is no news.
	correct := func(c lobes.Correction) {
		t.Helper()
		if _, err := w.set.Correct(t.Context(), lobes.By{Actor: "test", Role: "user"}, lobes.Target{}, c); err != nil {
			t.Fatal(err)
		}
	}
	correct(lobes.Correction{ID: head.ID, Action: "replace", Text: "Write the test first, but for typos."})
	if r = w.mirrored(path); r.Unchanged != 1 {
		t.Errorf("changed here alone: %+v", r)
	}

	// Changed on both sides: shown, and nothing is lost.
	w.write(path, strings.Replace(note, "failing test first", "fuzz test first", 1))
	r = w.mirrored(path)
	if len(r.Conflicts) != 1 || r.Conflicts[0].Status != "review" || len(r.Stored) > 0 {
		t.Fatalf("changed on both sides: %+v", r)
	}
	if e := w.entry(r.Conflicts[0].Path); !strings.Contains(e.Body, "fuzz test first") || !reflect.DeepEqual(e.DerivedFrom, []string{head.ID}) {
		t.Errorf("the other text is %q, from %q", e.Body, e.DerivedFrom)
	}
	if r = w.mirrored(path); len(r.Conflicts)+len(r.Stored) > 0 {
		t.Errorf("the same conflict once more: %+v", r)
	}

	// What was taken back stays so.
	correct(lobes.Correction{ID: head.ID, Action: "delete"})
	w.write(path, strings.Replace(note, "failing test first", "third test first", 1))
	if r = w.mirrored(path); r.Refused != 1 || len(r.Stored)+len(r.Conflicts) > 0 {
		t.Errorf("after it was taken back: %+v", r)
	}
}

func TestOnlyMemoriesAreMirrored(t *testing.T) {
	w := newWorld(t)
	event := `{"hook_event_name":"PostToolUse","session_id":"s","cwd":"DIR","tool_name":"Write","tool_input":{"file_path":"FILE"}}`
	memory := filepath.Join(w.home, ".claude/projects/-app/memory")
	own := filepath.Join(w.home, "notes")
	w.write(filepath.Join(w.home, ".claude/settings.json"), `{"autoMemoryDirectory":"~/notes"}`)
	for _, tt := range []struct {
		file string
		want bool
	}{
		{filepath.Join(memory, "user_role.md"), true},
		{filepath.Join(memory, "sub", "more.md"), true},
		{filepath.Join(own, "a.md"), true},
		{filepath.Join(memory, "MEMORY.md"), false},
		{filepath.Join(memory, "notes.txt"), false},
		{filepath.Join(w.home, ".claude/projects/-app/other.md"), false},
		{filepath.Join(w.home, ".claude/CLAUDE.md"), false},
		{filepath.Join(w.project, "README.md"), false},
		{filepath.Join(w.project, "memory/x.md"), false},
	} {
		w.write(tt.file, note)
		w.started = nil
		w.event("claude-code", strings.Replace(event, "FILE", filepath.ToSlash(tt.file), 1))
		if got := len(w.started) == 1; got != tt.want {
			t.Errorf("%s: started %q, want %v", tt.file, w.started, tt.want)
		}
		if _, err := w.hook().Mirror(t.Context(), "claude-code", "s", tt.file); (err == nil) != tt.want {
			t.Errorf("%s: %v", tt.file, err)
		}
	}
	link := filepath.Join(memory, "link.md")
	if err := os.Symlink("/etc/hosts", link); err != nil {
		t.Skip("no links here")
	}
	w.started = nil
	if w.event("claude-code", strings.Replace(event, "FILE", link, 1)); len(w.started) > 0 {
		t.Error("a link out of the memory is mirrored")
	}
}
