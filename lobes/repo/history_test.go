package repo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/object"

	"memory-mcp/lobes/repo"
)

func checkHistory(t *testing.T, s *sandbox, r repo.Repo, refused bool) {
	t.Helper()
	h, err := r.History()
	if refused {
		var why *repo.HistoryError
		if !errors.As(err, &why) || !strings.Contains(err.Error(), "objectformat") {
			t.Errorf("History: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	// Without the extension, which an older git would refuse.
	want, err := s.tryGit(".", []string{"GIT_DIR=" + r.GitDir, "GIT_CONFIG_COUNT=0"}, "log", "--format=%H %an %s")
	if strings.Contains(want, "unknown repository extension") {
		return
	}
	if err != nil {
		want = ""
	}
	commits, err := h.Log(100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range commits {
		got = append(got, fmt.Sprintf("%s %s %s", c.ID, c.Author, c.Subject))
	}
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	root, err := h.RootCommit(context.Background())
	if err != nil || len(commits) > 0 && root != commits[len(commits)-1].ID {
		t.Errorf("root commit %q, %v", root, err)
	}
	if len(commits) == 0 {
		return
	}
	text, err := h.File(commits[0].ID, "file.txt")
	if err != nil || string(text) != "first\n" {
		t.Errorf("file.txt is %q, %v", text, err)
	}
	if _, err := h.File(commits[0].ID, "absent"); !errors.Is(err, object.ErrFileNotFound) {
		t.Errorf("an absent file: %v", err)
	}
}

func TestLogOrderAndLimits(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	for i := range 6 {
		s.commit("p", fmt.Sprintf("change %d", i))
	}
	s.git("p", "gc", "-q")
	h, err := s.discover("p").History()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	commits, err := h.Log(5)
	if err != nil || len(commits) != 5 || commits[0].Subject != "change 5" || commits[4].Subject != "change 1" {
		t.Fatalf("got %+v, %v", commits, err)
	}
	authors, err := h.Authors(context.Background(), 100)
	if err != nil || len(authors) != 1 || authors[0] != (repo.Author{Name: "Ada Lovelace", Commits: 7}) {
		t.Errorf("authors %+v, %v", authors, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.RootCommit(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestShallowClone(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	s.commit("p", "second")
	s.git(".", "clone", "-q", "--depth=1", "file://"+s.path("p"), "c")
	h, err := s.discover("c").History()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if commits, err := h.Log(5); err != nil || len(commits) != 1 || commits[0].Subject != "second" {
		t.Errorf("got %+v, %v", commits, err)
	}
	if _, err := h.RootCommit(context.Background()); !errors.Is(err, repo.ErrShallow) {
		t.Errorf("root commit: %v", err)
	}
}

func TestSharedClone(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	s.git(".", "clone", "-q", "--shared", "p", "c")
	h, err := s.discover("c").History()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if commits, err := h.Log(5); err != nil || len(commits) != 1 {
		t.Errorf("got %+v, %v", commits, err)
	}
}
