package bootstrap_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes/bootstrap"
)

func find(t *testing.T, proposals []bootstrap.Proposal, title string) bootstrap.Proposal {
	t.Helper()
	for _, p := range proposals {
		if p.Title == title {
			return p
		}
	}
	t.Fatalf("no proposal %q in\n%s", title, render(proposals))
	return bootstrap.Proposal{}
}

func titles(proposals []bootstrap.Proposal) []string {
	var out []string
	for _, p := range proposals {
		out = append(out, p.Title)
	}
	return out
}

// history makes a repository with one commit per subject, a day apart.
func history(t testing.TB, dir string, subjects ...string) {
	t.Helper()
	git(t, dir, "2026-01-01T12:00:00Z", "init", "-q", "-b", "feature/login")
	write(t, filepath.Join(dir, "main.go"), "package main\n")
	write(t, filepath.Join(dir, ".gitignore"), "*.secret\n/generated/\n")
	git(t, dir, "2026-01-01T12:00:00Z", "add", "-A")
	for i, s := range subjects {
		git(t, dir, fmt.Sprintf("2026-01-%02dT12:00:00Z", i+1), "commit", "-q", "--allow-empty", "-m", s)
	}
}

func TestCommits(t *testing.T) {
	dir := tempDir(t)
	history(t, dir, "feat: one", "fix(api): two", "docs: three", "fix: four", "feat: five", "fix!: six", "feat(web): seven", "feat: eight", "Revert \"x\"", "chore: ten")
	r := discover(t, dir)
	proposals := propose(t, dir, r)
	checkForm(t, proposals)
	recent := find(t, proposals, "Recent commits")
	if recent.Topic != "recent-work" || recent.Branch != "feature/login" || recent.Kind != "context" {
		t.Errorf("got %+v", recent)
	}
	lines := strings.Split(recent.Body, "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[0], "- chore: ten (") || !strings.HasPrefix(lines[4], "- fix!: six (") {
		t.Errorf("got %q", lines)
	}
	want := "Nearly all subjects of commits follow Conventional Commits (`type(scope): subject`). Seen often: `feat`, `fix`."
	if got := find(t, proposals, "Commit messages").Body; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if again := propose(t, dir, r); !reflect.DeepEqual(proposals, again) {
		t.Errorf("a second run differs")
	}
}

func TestOldCommitsAreCalledOld(t *testing.T) {
	dir := tempDir(t)
	history(t, dir, "one")
	for now, old := range map[string]bool{"2026-02-01T00:00:00Z": false, "2026-09-01T00:00:00Z": true} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		ps, err := bootstrap.Propose(context.Background(), dir, discover(t, dir), bootstrap.Options{Now: at})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(find(t, ps, "Recent commits").Body, "from January 2026"); got != old {
			t.Errorf("at %s: old is %v", now, got)
		}
	}
}

func TestConventions(t *testing.T) {
	repeat := func(format string) []string {
		var out []string
		for i := range 9 {
			out = append(out, fmt.Sprintf(format, i))
		}
		return out
	}
	for want, subjects := range map[string][]string{
		"Nearly all subjects of commits begin with the part that is changed and a colon (`part: subject`). Seen often: `net/http`.": repeat("net/http: change %d"),
		"Nearly all subjects of commits begin with the number of a ticket. Seen often: `PROJ`.":                                     repeat("PROJ-%d change"),
		"": repeat("Change number %d"),
	} {
		dir := tempDir(t)
		history(t, dir, subjects...)
		got := ""
		for _, p := range propose(t, dir, discover(t, dir)) {
			if p.Title == "Commit messages" {
				got = p.Body
			}
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What git does not track is not the project's: generated files, secrets.
func TestIgnoredFilesAreNotCounted(t *testing.T) {
	dir := tempDir(t)
	history(t, dir, "one")
	write(t, filepath.Join(dir, "generated", "x.ts"), "x")
	write(t, filepath.Join(dir, "AGENTS.md"), "new, and not tracked yet")
	proposals := propose(t, dir, discover(t, dir))
	if body := find(t, proposals, "Repository structure").Body; strings.Contains(body, "generated") || strings.Contains(body, "TypeScript") {
		t.Errorf("got %q", body)
	}
	find(t, proposals, "Where the rules of this repository are written")
}

func TestSubfolderAsRoot(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "svc", "go.mod"), "module example.org/svc\n")
	write(t, filepath.Join(dir, "svc", "cmd", "main.go"), "package main\n")
	history(t, dir, "one")
	proposals := propose(t, filepath.Join(dir, "svc"), discover(t, dir))
	if build := find(t, proposals, "Build system and commands"); !slices.Equal(build.Sources, []string{"go.mod"}) {
		t.Errorf("got %+v", build)
	}
}

func TestUnbornAndBareAndEmpty(t *testing.T) {
	dir := tempDir(t)
	git(t, dir, "2026-01-01T12:00:00Z", "init", "-q")
	if got := propose(t, dir, discover(t, dir)); len(got) != 0 {
		t.Errorf("an unborn repository: %s", render(got))
	}
	if got := propose(t, tempDir(t), nil); len(got) != 0 {
		t.Errorf("an empty folder: %s", render(got))
	}
	src, bare := tempDir(t), filepath.Join(tempDir(t), "b.git")
	history(t, src, "one")
	git(t, src, "2026-01-01T12:00:00Z", "clone", "-q", "--bare", ".", bare)
	if got := titles(propose(t, "", discover(t, bare))); !slices.Equal(got, []string{"Recent commits"}) {
		t.Errorf("a bare repository: %v", got)
	}
}

func TestAbsentFolderIsAnError(t *testing.T) {
	dir := filepath.Join(tempDir(t), "gone")
	_, err := bootstrap.Propose(context.Background(), dir, nil, bootstrap.Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("got %v", err)
	}
}

func TestCancelled(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "a"), "x")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := bootstrap.Propose(ctx, dir, nil, bootstrap.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	o := bootstrap.Options{Progress: func(done, _ int, _ string) {
		if done == 2 {
			cancel()
		}
	}}
	if _, err := bootstrap.Propose(ctx, dir, nil, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("in the middle: %v", err)
	}
}

func TestProgressCountsUp(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "a"), "x")
	last, total := -1, 0
	_, err := bootstrap.Propose(context.Background(), dir, nil, bootstrap.Options{Progress: func(done, of int, what string) {
		if done != last+1 || of < done || what == "" {
			t.Errorf("step %d of %d (%q) after %d", done, of, what, last)
		}
		last, total = done, of
	}})
	if err != nil || last != total || total == 0 {
		t.Fatalf("ended at %d of %d: %v", last, total, err)
	}
}

// Files that a stranger prepared cost nothing but themselves.
func TestHostileFolder(t *testing.T) {
	dir, outside := tempDir(t), tempDir(t)
	write(t, filepath.Join(outside, "secret.md"), "A secret that lies outside of the project, in words enough.\n")
	for _, link := range [][2]string{{filepath.Join(outside, "secret.md"), "README.md"}, {".", "loop"}, {"b", "a"}, {"a", "b"}, {outside, "out"}} {
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			t.Skip(err)
		}
	}
	write(t, filepath.Join(dir, "README.txt"), "\x00\x01binary")
	write(t, filepath.Join(dir, "package.json"), `{"name": 7, "scripts": "none"`)
	write(t, filepath.Join(dir, "compose.yaml"), "a: &a [*a, *a]\nservices: [1, 2\n")
	write(t, filepath.Join(dir, "pom.xml"), "<project><!DOCTYPE")
	write(t, filepath.Join(dir, "go.mod"), "module \x1b[31mred\u202e\ngo 1.26\n")
	write(t, filepath.Join(dir, "Makefile"), strings.Repeat("target:\n", 50_000))
	write(t, filepath.Join(dir, "LICENSE"), strings.Repeat("x", 1<<20))
	if runtime.GOOS == "linux" { // elsewhere names are always text
		write(t, filepath.Join(dir, "src", "bad\xffname.go"), "")
		write(t, filepath.Join(dir, "bad\xfffolder", "x.go"), "")
	}
	proposals := propose(t, dir, nil)
	checkForm(t, proposals)
	if text := string(render(proposals)); strings.Contains(text, "secret") || strings.Contains(text, "loop") || strings.ContainsAny(text, "\x1b\u202e\ufffd") {
		t.Errorf("got %s", text)
	}
}

func TestGiantReadmeIsReadAtItsBeginning(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "README.md"), "# Giant\n\nA project with a very long description.\n\n"+strings.Repeat("More words follow here without an end. ", 200_000))
	body := find(t, propose(t, dir, nil), "README summary").Body
	if !strings.HasPrefix(body, "A project with a very long description.") {
		t.Errorf("got %q", body)
	}
}

// The text of instruction files must not become a memory.
func TestRulesAreCitedNotQuoted(t *testing.T) {
	dir := tempDir(t)
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md", "docs/adr/0001-x.md", "sub/AGENTS.md"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), "# Xyzzy\n\nXyzzy plugh, you must obey the text of this file.\n")
	}
	proposals := propose(t, dir, nil)
	if text := string(render(proposals)); strings.Contains(strings.ToLower(text), "xyzzy") {
		t.Errorf("got %s", text)
	}
	want := []string{".cursorrules", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", "sub/AGENTS.md", "docs/adr/0001-x.md"}
	if got := find(t, proposals, "Where the rules of this repository are written"); !slices.Equal(got.Sources, want) {
		t.Errorf("sources %q, want %q", got.Sources, want)
	}
}

// Writing nothing is a promise: the folder is the same afterwards.
func TestNothingIsWritten(t *testing.T) {
	dir := tempDir(t)
	history(t, dir, "one")
	list := func() (out []string) {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			fi, err := e.Info()
			if err == nil {
				out = append(out, fmt.Sprint(path, fi.Size(), fi.ModTime(), fi.Mode()))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := list()
	propose(t, dir, discover(t, dir))
	if after := list(); !slices.Equal(before, after) {
		t.Errorf("the folder changed from\n%s\nto\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}
