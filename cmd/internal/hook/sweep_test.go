package hook_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/hook"
	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

func TestWhatWasSaid(t *testing.T) {
	tests := map[string][]string{ // role, id and text; + when it wrote into the memory
		"claude-code": {
			"user u1 Fix the upload. We decided to keep the queue in Redis because it survives restarts.",
			"assistant a1 Looking.\n\nThe root cause was that the connection pool closes idle connections after 60 seconds.",
			"user u3 No, use pnpm instead of npm in this repo.",
			"user u4 thanks",
			"user u5 From now on, never force-push to the main branch.",
			"assistant a5+ Noted.",
			"user u6 Always call it with the token ghp_16C7e42F292c6912E7710c838347Ae178B4a please",
		},
		"codex": {
			"user i1 Let's go with Postgres for the event store.", "assistant  Done.",
			"user  Please remember that the staging key lives in the vault.", "assistant k1+ ",
		},
		"gemini":  {"user 1 I prefer small commits over large ones.", "assistant 2 Understood."},
		"qwen":    {"user 1 We always squash before merging.", "assistant 2 OK."},
		"copilot": {"user 1 Never log request bodies in production.", "assistant 2 Sure."},
		"plain":   {"user 1 In this project we write tests in tables.", "assistant 2+ OK."},
	}
	for name, want := range tests {
		f, err := os.Open(filepath.Join("testdata", "transcripts", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var got []string
		for m := range hook.Said(f) {
			kept := ""
			if m.Kept {
				kept = "+"
			}
			got = append(got, m.Role+" "+m.ID+kept+" "+m.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestALineThatIsTooLongIsPassedOver(t *testing.T) {
	text := `{"role":"user","text":"first"}` + "\n" + `{"role":"user","text":"` + strings.Repeat("x", 5<<20) + `"}` + "\n" +
		`{"role":"user","text":"` + strings.Repeat("y", 100<<10) + `"}` + "\n" + `{"role":"user","text":"last"}`
	var got []string
	for m := range hook.Said(strings.NewReader(text)) {
		got = append(got, m.Text[:min(len(m.Text), 5)])
	}
	if !slices.Equal(got, []string{"first", "yyyyy", "last"}) {
		t.Errorf("got %q", got)
	}
}

// swept sweeps the transcript of a host and gives what became of it.
func (w *world) swept(path string) hook.Swept {
	w.t.Helper()
	w.open()
	swept, err := w.hook().Sweep(context.Background(), hook.Material{Host: "claude-code", Session: "s", Path: path})
	if err != nil {
		w.t.Fatal(err)
	}
	return swept
}

func titles(all []lobes.Stored) []string {
	var found []string
	for _, s := range all {
		found = append(found, s.Topic+": "+s.Title)
	}
	slices.Sort(found)
	return found
}

func TestASweepKeepsWhatNobodyKept(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join("testdata", "transcripts", "claude-code.jsonl")
	first := w.swept(path)
	want := []string{
		"conventions: No, use pnpm instead of npm in this repo",
		"decisions: We decided to keep the queue in Redis because it survives restarts",
		"gotchas: The connection pool closes idle connections after 60 seconds",
	}
	if got := titles(first.Stored); !slices.Equal(got, want) {
		t.Fatalf("stored %q, want %q", got, want)
	}
	for _, s := range first.Stored {
		if s.Status != "candidate" || s.Trust != "agent-inferred" {
			t.Errorf("%s is %s, %s", s.Title, s.Status, s.Trust)
		}
		e := w.entry(s.Path)
		if !strings.Contains(e.Quote, "Redis") && !strings.Contains(e.Quote, "pnpm") && !strings.HasPrefix(e.Quote, "The root cause was") {
			t.Errorf("%s rests on %q", s.Title, e.Quote)
		}
		if len(e.References) != 1 || !strings.HasPrefix(e.References[0], "message:") {
			t.Errorf("%s was said in %q", s.Title, e.References)
		}
	}
	before := w.files()
	if again := w.swept(path); len(again.Stored) > 0 || again.Unchanged != 3 {
		t.Errorf("the second time %+v", again.Receipt)
	}
	if after := w.files(); !slices.Equal(before, after) {
		t.Errorf("the second time changed %q to %q", before, after)
	}
	// What was taken back stays so.
	if _, err := w.set.Correct(t.Context(), lobes.By{Actor: "test", Role: "user"}, lobes.Target{}, lobes.Correction{ID: first.Stored[0].ID, Action: "delete"}); err != nil {
		t.Fatal(err)
	}
	if again := w.swept(path); len(again.Stored) > 0 || again.Refused != 1 {
		t.Errorf("after one was taken back %+v", again.Receipt)
	}
}

func (w *world) entry(path string) entry.Entry {
	w.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	e, err := entry.Parse(b)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// files are the files of the lobe, caches left out.
func (w *world) files() []string {
	w.t.Helper()
	var all []string
	err := filepath.WalkDir(w.lobe, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == ".state" {
			return fs.SkipDir
		}
		all = append(all, path)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func TestASweepIsSmallAndKnowsWhatIsKnown(t *testing.T) {
	w := newWorld(t)
	var text strings.Builder
	for _, s := range []string{
		"Always run the linter before a commit of yours.", "Never push straight to the release branch.", "We prefer tables over long lists of cases.",
		"From now on, every endpoint needs a rate limit.", "Remember that the vault holds the staging key.", "We decided to use Postgres for the event store.",
		"Never store the session in a cookie of ours.", "Always uploads must go through the queue, direct ones lose events.",
	} {
		text.WriteString(`{"role":"user","text":"` + s + `"}` + "\n")
	}
	path := filepath.Join(w.home, "t.jsonl")
	w.write(path, text.String())
	first := w.swept(path)
	if len(first.Stored) != hook.MostSwept {
		t.Errorf("%d were stored: %q", len(first.Stored), titles(first.Stored))
	}
	if first.Known != 1 {
		t.Errorf("%d were known already", first.Known)
	}
	if again := w.swept(path); len(again.Stored) > 0 {
		t.Errorf("the second time %q", titles(again.Stored))
	}
	// The same words in another session are the same memories.
	w.write(filepath.Join(w.home, "u.jsonl"), text.String())
	if again := w.swept(filepath.Join(w.home, "u.jsonl")); len(again.Stored) > 0 {
		t.Errorf("from another session %q", titles(again.Stored))
	}
}

func TestASweepOfAFullLobeWaits(t *testing.T) {
	w := newWorld(t)
	specs := func(budget int64) []lobes.Spec {
		return []lobes.Spec{{Name: "app", Root: w.project, Dir: w.lobe, Plain: entry.User, Budget: budget}}
	}
	sweep := func(budget int64) hook.Swept {
		h := w.hook()
		h.Set = lobes.NewSet(specs(budget), lobes.Options{})
		swept, err := h.Sweep(t.Context(), hook.Material{Host: "qwen", Session: "q", Path: filepath.Join("testdata", "transcripts", "qwen.jsonl")})
		if err != nil {
			t.Fatal(err)
		}
		return swept
	}
	if swept := sweep(10); !swept.Waiting || len(swept.Stored) > 0 {
		t.Fatalf("a full lobe gives %+v", swept.Receipt)
	}
	held, err := filepath.Glob(filepath.Join(w.lobe, ".inbox", "sweep-*.json"))
	if err != nil || len(held) != 1 {
		t.Fatalf("the inbox holds %q, %v", held, err)
	}
	if swept := sweep(0); swept.Unchanged != 1 {
		t.Errorf("with room %+v", swept.Receipt)
	}
	if _, err := os.Stat(held[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the inbox was not emptied: %v", err)
	}
	if found, err := filepath.Glob(filepath.Join(w.lobe, "conventions", "conv-*.md")); err != nil || len(found) != 2 {
		t.Errorf("with room there are %q, %v", found, err)
	}
}

func TestNoTranscriptIsAnError(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{filepath.Join(w.home, "gone.jsonl"), w.home, os.DevNull} {
		if _, err := w.hook().Sweep(t.Context(), hook.Material{Host: "codex", Session: "s", Path: path}); err == nil {
			t.Errorf("%s was swept", path)
		}
	}
	w.write(filepath.Join(w.home, "empty.jsonl"), "")
	if swept := w.swept(filepath.Join(w.home, "empty.jsonl")); swept.Messages != 0 || len(swept.Stored) != 0 {
		t.Errorf("an empty transcript gives %+v", swept)
	}
}
