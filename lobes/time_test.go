package lobes_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store"
)

// TestTwinsAreShownAndSettled merges two copies that both changed an entry: the
// later text leads, the briefing shows the other one, and a replace settles it.
func TestTwinsAreShownAndSettled(t *testing.T) {
	w := newWorld(t, nil, "app", "far")
	app, far := lobes.Target{Lobe: "app"}, lobes.Target{Lobe: "far"}
	s := w.stored(app, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	w.shut()
	if err := os.CopyFS(w.specs[1].Dir, os.DirFS(w.specs[0].Dir)); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.clock.pass(time.Hour)
	w.correct(far, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 7070."})
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 9090."})
	w.shut()
	st, err := store.Open(w.specs[0].Dir, store.Options{Now: w.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Merge(context.Background(), w.specs[1].Dir); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	disputed := func(what string, want bool) {
		t.Helper()
		same(t, what+": a get", w.get(app, s.ID).Disputed, want)
		same(t, what+": a search", w.recall(app, lobes.Query{Filter: "listens"}).Results[0].Disputed, want)
		same(t, what+": a context", w.recall(app, lobes.Query{Text: "which port does it listen on"}).Results[0].Disputed, want)
		same(t, what+": a briefing", w.brief(app).Sections[0].Results[0].Disputed, want)
	}
	disputed("merged", true)
	then := w.recall(app, lobes.Query{Filter: "listens", AsOf: w.clock.Now().Add(-time.Minute)})
	same(t, "the past is not disputed", then.Results[0].Disputed, false)
	b := w.brief(app)
	if len(b.Late) != 1 || !b.Late[0].Twin || b.Late[0].Excerpt != "It listens on 7070." || b.Late[0].Title != "Port" || b.Late[0].Actor != agent.Actor {
		t.Fatalf("%+v", b.Late)
	}
	chain, err := w.set.Why(context.Background(), app, s.ID)
	if err != nil || len(chain.Beside) != 1 {
		t.Errorf("%+v, %v", chain, err)
	}
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: s.ID, Action: "confirm"})
	same(t, "settled", len(w.brief(app).Late), 0)
	disputed("settled", false)
	same(t, "the text", w.get(app, s.ID).Entry.Body, "It listens on 9090.")
}

// TestTwinsOfFoldersThatWerePutTogetherAreMarked: nobody merged, the files of a
// copy were only copied in between. Whoever settles next finds it out, for all
// processes.
func TestTwinsOfFoldersThatWerePutTogetherAreMarked(t *testing.T) {
	for name, order := range map[string][]string{"theirs is the later one": {"app", "far"}, "ours is": {"far", "app"}} {
		t.Run(name, func(t *testing.T) { putTogether(t, order) })
	}
}

func putTogether(t *testing.T, order []string) {
	w := newWorld(t, nil, "app", "far")
	w.clock.set(time.Now().Add(time.Hour)) // no file is touched after what history says
	app := lobes.Target{Lobe: "app"}
	s := w.stored(app, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	w.shut()
	if err := os.CopyFS(w.specs[1].Dir, os.DirFS(w.specs[0].Dir)); err != nil {
		t.Fatal(err)
	}
	w.open()
	for _, lobe := range order {
		w.clock.pass(time.Hour)
		w.correct(lobes.Target{Lobe: lobe}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens where " + lobe + " says."})
	}
	w.shut()
	theirs, err := filepath.Glob(filepath.Join(w.specs[1].Dir, ".history", "*", "*.md"))
	if err != nil || len(theirs) != 2 {
		t.Fatal(theirs, err)
	}
	for _, file := range theirs {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(w.specs[1].Dir, file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(w.specs[0].Dir, rel), string(b))
	}
	w.open()
	w.recall(app, lobes.Query{Filter: "listens"}) // it is used
	if err := w.set.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, process := range []string{"the one that settled", "another one"} {
		same(t, process, w.recall(app, lobes.Query{Filter: "listens"}).Results[0].Disputed, true)
		head := w.get(app, s.ID)
		same(t, process+": nobody has edited it by hand", head.Pending, false)
		same(t, process+": the state that it is in can be named", len(head.Revision), 16)
		w.open()
	}
}

// TestChainTellsWhatGitKnows changes and renames cited files, and asks why.
func TestChainTellsWhatGitKnows(t *testing.T) {
	w := newWorld(t, nil, "app")
	root := w.root("app")
	git(w, root, "init", "-q")
	write(t, filepath.Join(root, "a.go"), "package a\n\nfunc A() {}\n")
	write(t, filepath.Join(root, "b.go"), "package b\n")
	git(w, root, "add", "a.go", "b.go")
	git(w, root, "commit", "-q", "-m", "begin")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "A and B", Text: "A calls B.", Sources: []string{"a.go:3", "b.go"}})
	write(t, filepath.Join(root, "a.go"), "package a\n\nfunc A() { println() }\n")
	git(w, root, "commit", "-q", "-am", "print in a")
	git(w, root, "mv", "b.go", "c.go")
	git(w, root, "commit", "-q", "-m", "rename b")
	chain, err := w.set.Why(context.Background(), lobes.Target{}, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := []lobes.FreshChange{
		{File: "a.go", What: "changed", Commits: 1, Subject: "print in a"}, {File: "b.go", What: "gone", Commits: 1, Subject: "rename b", Renamed: "c.go"},
	}
	same(t, "changes", chain.Entry.Fresh.Changes, want)
	q := lobes.Query{Text: "calls"}
	same(t, "a plain search", w.recall(lobes.Target{}, q).Results[0].Fresh.Changes[0].Commits, 0)
	q.Commits = true
	same(t, "full detail", w.recall(lobes.Target{}, q).Results[0].Fresh.Changes, want)
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "confirm"})
	r := w.get(lobes.Target{}, s.ID)
	if r.Fresh.Verdict != "fresh" || r.Entry.Verified.IsZero() || !strings.HasPrefix(headOfGit(w, root), r.Entry.GitSHA) {
		t.Errorf("confirmed: %+v %q", r.Fresh, r.Entry.GitSHA)
	}
}

// TestTimelineInPages walks a long timeline page by page.
func TestTimelineInPages(t *testing.T) {
	w := newWorld(t, nil, "app")
	ctx := context.Background()
	var want []string
	for i := range 230 {
		if i%3 == 0 { // several at one time
			w.clock.pass(time.Minute)
		}
		topic := []string{"gotchas", "general"}[i%2]
		r, err := w.set.Remember(ctx, lobes.By{Actor: fmt.Sprint("agent ", i%2), Session: fmt.Sprint(i % 5)}, lobes.Target{}, []lobes.Note{
			{Topic: topic, Title: fmt.Sprint("T", i), Text: fmt.Sprintf("Zone q%d borders on z%d.", i*7919, i*104729), StoreAnyway: true}})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, r.Stored[0].ID)
	}
	all := func(window lobes.Window) (ids []string, pages int) {
		t.Helper()
		for pages = 1; ; pages++ {
			got, err := w.set.Timeline(ctx, lobes.Target{}, window)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range got.Changes {
				if i > 0 && c.Recorded.After(got.Changes[i-1].Recorded) {
					t.Fatalf("%v comes after %v", c, got.Changes[i-1])
				}
				ids = append(ids, c.ID)
			}
			if window.Before = got.Next; got.Next == "" {
				return ids, pages
			}
		}
	}
	ids, pages := all(lobes.Window{})
	same(t, "all of it", sorted(ids), sorted(want))
	same(t, "pages", pages, 3)
	ids, pages = all(lobes.Window{Limit: 7})
	same(t, "in small pages", []any{sorted(ids), pages}, []any{sorted(want), 33})
	ids, _ = all(lobes.Window{Topic: "gotchas"})
	same(t, "of a topic", len(ids), 115)
	ids, _ = all(lobes.Window{Session: "3", Actor: "agent"})
	same(t, "of a session", len(ids), 46)
	first, err := w.set.Timeline(ctx, lobes.Target{}, lobes.Window{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	ids, _ = all(lobes.Window{Before: first.Changes[0].Recorded.Format(time.RFC3339Nano)})
	if len(ids) >= 230 || len(ids) < 227 {
		t.Errorf("before a time there are %d", len(ids))
	}
	_, err = w.set.Timeline(ctx, lobes.Target{}, lobes.Window{Before: "yesterday/x"})
	wants[*lobes.ValueError](t, "no place in a timeline", err)
}

// git runs git itself, as its author would.
func git(w *world, dir string, args ...string) string {
	w.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b")
	out, err := c.CombinedOutput()
	if err != nil {
		w.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func headOfGit(w *world, dir string) string { return git(w, dir, "rev-parse", "HEAD") }
