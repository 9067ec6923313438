package lobes_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// soon fails when an act does not end: a time that no bounded work takes.
func soon(t *testing.T, what string, act func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); act() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s has not ended", what)
	}
}

// TestHardQuestions asks a lobe what no person asks.
func TestHardQuestions(t *testing.T) {
	w := newWorld(t, func(w *world) { w.options.ReadOnly = true }, "app")
	dir := filepath.Join(w.specs[0].Dir, "general")
	for i := range 300 {
		write(t, filepath.Join(dir, fmt.Sprintf("mem-%08x.md", i)),
			fmt.Sprintf("---\nid: mem-%08x\ntopic: general\n---\n# Note %d\n\nThe acme service has part%d and cable%d.\n", i, i, i, i%17))
	}
	write(t, filepath.Join(dir, "mem-00ffff01.md"), "---\nid: mem-00ffff01\ntopic: general\n---\n# Long\n\n"+strings.Repeat("a", 64<<10)+"\n")
	write(t, filepath.Join(dir, "mem-00ffff02.md"), "---\nid: mem-00ffff02\ntopic: general\n---\n# 缓存 кэш\n\n缓存失效时刷新 🚀 кэш x\n")
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "gadget%d ", i)
	}
	for _, tt := range []struct{ name, question, want string }{
		{"100 KB", strings.Repeat("the acme service of it ", 4400) + "part77", "mem-0000004d"},
		{"10,000 words", many.String() + "part77", "mem-0000004d"},
		{"one letter", "x", "mem-00ffff02"},
		{"a long word", strings.Repeat("a", 64<<10), "mem-00ffff01"},
		{"emoji", "🚀🚀 缓存 🐛", "mem-00ffff02"},
		{"mixed scripts", "кэша 缓存 ذاكرة wombat", "mem-00ffff02"},
		{"NUL and broken UTF-8", "part77\x00 \xff\xfe", "mem-0000004d"},
	} {
		for kind, q := range map[string]lobes.Query{"text": {Text: tt.question}, "filter": {Filter: tt.question}} {
			soon(t, tt.name, func() {
				a := w.recall(lobes.Target{}, q)
				if len(a.Results) == 0 || a.Results[0].Entry.ID != tt.want {
					t.Errorf("%s as %s: %v of %d", tt.name, kind, titles(a), a.Total)
				}
			})
		}
	}
	// What names nothing is answered, and would not be shown unasked.
	for _, question := range []string{"the", "acme service", "of the and to", "?", "🚀"} {
		if a := w.recall(lobes.Target{}, lobes.Query{Text: question}); a.Gate.Open || a.Total == 0 && a.Tried == "" {
			t.Errorf("%q: open %v, %d found, tried %q", question, a.Gate.Open, a.Total, a.Tried)
		}
	}
}

// TestAnExplicitSearchSaysWhatItTried, whatever it was asked and however it
// came to nothing.
func TestAnExplicitSearchSaysWhatItTried(t *testing.T) {
	w := newWorld(t, nil, "app")
	for name, q := range map[string]lobes.Query{
		"an empty lobe": {Text: "winch"},
		"a filter":      {Filter: "winch"},
		"nothing asked": {},
	} {
		if a := w.recall(lobes.Target{}, q); a.Total > 0 || a.Tried == "" {
			t.Errorf("%s: %d found, tried %q", name, a.Total, a.Tried)
		}
	}
	w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Title: "Winch", Text: "The winch jams in frost."})
	for name, q := range map[string]lobes.Query{
		"unknown words":      {Text: "gearbox oil"},
		"an unknown filter":  {Filter: "gearbox -winch"},
		"an unknown subject": {Filter: "subject:gearbox"},
		"another topic":      {Text: "winch", Scope: "decisions"},
		"weak":               {Text: "winch gearbox oil seal torque", MinMatch: 0.9},
		"an unknown status":  {Filter: "winch", Status: "archived"},
		"an emoji":           {Text: "gearbox 🚀"},
	} {
		a := w.recall(lobes.Target{}, q)
		if a.Total > 0 || a.Tried == "" || !strings.Contains(a.Tried, "app") {
			t.Errorf("%s: %d found, tried %q", name, a.Total, a.Tried)
		}
	}
}

// TestOneTitleManyTimes stores among many entries of one title.
func TestOneTitleManyTimes(t *testing.T) {
	w := newWorld(t, func(w *world) { w.specs[0].Budget = -1; w.options.Watch = true }, "app")
	dir := filepath.Join(w.specs[0].Dir, "general")
	const n = 2000
	for i := range n {
		write(t, filepath.Join(dir, fmt.Sprintf("mem-%08x.md", i)),
			fmt.Sprintf("---\nid: mem-%08x\ntopic: general\n---\n# Deploy notes\n\nStep part%d of the rollout.\n", i, i))
	}
	soon(t, "asking and storing", func() {
		if a := w.recall(lobes.Target{}, lobes.Query{Text: "deploy notes"}); a.Total != n || len(a.Results) != lobes.DefaultLimit {
			t.Errorf("%d found, %d shown", a.Total, len(a.Results))
		}
		if a := w.recall(lobes.Target{}, lobes.Query{Text: "deploy notes part777"}); a.Results[0].Entry.ID != "mem-00000309" {
			t.Errorf("first is %s", a.Results[0].Entry.ID)
		}
		got := w.remember(lobes.Target{}, lobes.Note{Topic: "general", Title: "Deploy notes", Text: "Step wombat of the rollout needs the winch.", StoreAnyway: true})
		if len(got.Stored)+len(got.Confirmed) != 1 {
			t.Errorf("%+v", got)
		}
		w.brief(lobes.Target{})
	})
	w.set = nil // an orderly end would write a history of all: that is not the matter here
}
