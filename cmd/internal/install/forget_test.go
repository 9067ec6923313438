package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/cmd/internal/install"
)

// TestNothingIsLeft: after setup and its inverse the memory's home, which held
// nothing else, is gone too.
func TestNothingIsLeft(t *testing.T) {
	h := newHome(t, aMachine())
	o := h.options()
	h.apply(install.Prepare(o))
	h.apply(install.PrepareRemoval(o))
	if kept, err := install.Forget(o); err != nil || len(kept) > 0 {
		t.Errorf("%q, %v", kept, err)
	}
	if _, err := os.Stat(o.MemoryHome); err == nil {
		t.Error("the memory's home is still there")
	}
}

// TestCopyOfAnEditedFileStays: it is not what the file is now.
func TestCopyOfAnEditedFileStays(t *testing.T) {
	h := newHome(t, map[string]string{".claude.json": "{}"})
	o := h.options()
	h.apply(install.Prepare(o))
	at := filepath.Join(h.dir, ".claude.json")
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	h.write(map[string]string{".claude.json": "{\"mine\": 1," + string(text[1:])})
	o.Now = time.Now // each copy has a name of its own
	h.apply(install.PrepareRemoval(o))
	kept, err := install.Forget(o)
	if err != nil || len(kept) == 0 {
		t.Fatalf("%q, %v", kept, err)
	}
	if text, err := os.ReadFile(kept[0]); err != nil || string(text) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestProjectsAreRemembered: the inverse finds the working trees that were set
// up, without being told.
func TestProjectsAreRemembered(t *testing.T) {
	h := newHome(t, map[string]string{".claude/": "", "code/": ""})
	before := h.tree()
	o := h.options()
	o.Scope, o.Project = install.Project, filepath.Join(h.dir, "code")
	h.apply(install.Prepare(o))
	h.apply(install.PrepareRemoval(h.options()))
	h.same(before)
}

// TestDamagedRecord: everything is taken back without it.
func TestDamagedRecord(t *testing.T) {
	h := newHome(t, aMachine())
	before := h.tree()
	o := h.options()
	h.apply(install.Prepare(o))
	for _, text := range []string{"{", "[]", "\x00"} {
		h.write(map[string]string{".memory-mcp/install.json": text})
		if _, err := install.Look(o); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	h.apply(install.PrepareRemoval(o))
	for name, text := range before {
		if now, there := h.tree()[name]; !there || now != text {
			t.Errorf("%s (there: %v) is\n%s", name, there, now)
		}
	}
	h.write(map[string]string{".memory-mcp/install.json": `{"version": 99}`})
	if _, err := install.PrepareRemoval(o); err == nil {
		t.Error("a record of a newer program was overwritten")
	}
}

// TestProgramUnderAnotherName: when the next one is registered, what the first
// one left is known as ours, and is taken back with it.
func TestProgramUnderAnotherName(t *testing.T) {
	h := newHome(t, aMachine())
	before := h.tree()
	o := h.options()
	o.Command = "/opt/build-7"
	h.apply(install.Prepare(o))
	plan, err := install.Prepare(h.options())
	if err != nil {
		t.Fatal(err)
	}
	h.apply(plan, nil)
	for name, text := range h.tree() {
		if strings.Contains(text, "build-7") {
			t.Errorf("%s still starts the first one:\n%s", name, text)
		}
	}
	h.apply(install.PrepareRemoval(h.options()))
	h.same(before)
}
