package repo_test

import (
	"context"
	"testing"
	"time"

	"memory-mcp/lobes/repo"
)

func TestTouched(t *testing.T) {
	s := newSandbox(t)
	s.project("p")
	put := func(name, text, subject string) {
		s.write("p/"+name, text)
		s.git("p", "add", "-A")
		s.git("p", "commit", "-q", "-m", subject)
	}
	put("a/one.go", "package one\n\nfunc One() {}\n", "add one")
	put("two.go", "package two\n", "add two")
	h, err := s.discover("p").History()
	if err != nil {
		t.Fatal(err)
	}
	begin, err := h.Log(1)
	if err != nil {
		t.Fatal(err)
	}
	put("a/one.go", "package one\n\nfunc One() { println() }\n", "print")
	put("three.go", "package three\n", "something else")
	s.git("p", "mv", "a/one.go", "a/uno.go")
	s.git("p", "commit", "-q", "-m", "rename one\n\nbecause")
	h, err = s.discover("p").History()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	paths := []string{"a/one.go", "two.go", "absent.go"}
	check := func(what string, got map[string]repo.Touch, commits int, subject, renamed string) {
		t.Helper()
		one := got["a/one.go"]
		if len(got) > 1 || one.Commits != commits || one.Subject != subject || one.Renamed != renamed {
			t.Errorf("%s: %+v", what, got)
		}
	}
	got, err := h.Touched(context.Background(), begin[0].ID, time.Time{}, paths, 1000)
	if err != nil {
		t.Fatal(err)
	}
	check("since a commit", got, 2, "rename one", "a/uno.go")
	if got, err = h.Touched(context.Background(), begin[0].ID, time.Time{}, paths, 1); err != nil {
		t.Fatal(err)
	}
	check("one commit", got, 1, "rename one", "a/uno.go")
	ended, end := context.WithCancel(context.Background())
	end()
	if got, err = h.Touched(ended, begin[0].ID, time.Time{}, paths, 1000); err != nil || len(got) != 0 {
		t.Errorf("no time: %+v, %v", got, err)
	}
}
