package repo_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"memory-mcp/lobes/repo"
)

func TestPathWithin(t *testing.T) {
	for _, c := range []struct {
		root, path string
		want       bool
	}{
		{"/a/app", "/a/app", true},
		{"/a/app", "/a/app/", true},
		{"/a/app/", "/a/app/x/y", true},
		{"/a/app", "/a/app-tools", false},
		{"/a/app", "/a/app-tools/x", false},
		{"/a/app", "/a", false},
		{"/a/app", "/a/app/../b", false},
		{"/a/app", "/a/b/../app/x", true},
		{"/a/app", "/a/app/..x", true},
		{"/", "/anything", true},
		{"/a/app", "a/app/x", false},
		{"", "/a", false},
		{"/a", "", false},
	} {
		if got := repo.PathWithin(filepath.FromSlash(c.root), filepath.FromSlash(c.path)); got != c.want {
			t.Errorf("PathWithin(%q, %q) = %v", c.root, c.path, got)
		}
	}
}

func TestRootURI(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of other systems")
	}
	for uri, want := range map[string]string{
		"file:///home/a/my%20app":       "/home/a/my app",
		"file:///home/a/%E4%BD%A0":      "/home/a/你",
		"file:///home/a/100%25/":        "/home/a/100%",
		"file:///a%2Fb/%23x%3F":         "/a/b/#x?",
		"file://localhost/home/a":       "/home/a",
		"FILE:///home/a":                "/home/a",
		"file:/home/a":                  "/home/a",
		"file:///home/a/../b":           "/home/b",
		"/home/a":                       "/home/a",
		"file://server/share":           "",
		"file:///a%00b":                 "",
		"file:relative":                 "",
		"https://example.org/x":         "",
		"file:///%zz":                   "",
		"file://":                       "",
		"relative/path":                 "",
		"":                              "",
		"vscode-remote://ssh/home/user": "",
	} {
		got, err := repo.RootURI(uri)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("RootURI(%q) = %q, %v; want %q", uri, got, err, want)
		}
		if err != nil && uri != "" && !strings.Contains(err.Error(), strings.Trim(uri, "\x00")) {
			t.Errorf("RootURI(%q) does not say what it read: %v", uri, err)
		}
	}
}

func TestBranchSlug(t *testing.T) {
	for name, want := range map[string]string{
		"main": "main", "feature/login": "feature-login", "Feature/Log In!": "feature-log-in", "../x": "x", "..": "unknown", ".": "unknown", "": "unknown",
		"a//b": "a-b", "-x-": "x", "v1.2_3": "v1.2_3", ".hidden": "hidden", "trail.": "trail", "con": "con_", "CON.txt": "con_.txt", "aux": "aux_", "com1": "com1_", "com": "com", "lpt9.x.y": "lpt9_.x.y",
		"修复/登录": "修复-登录", "e\u0301te": "éte", "a\x00b": "a-b", "a\xffb": "a-b", `..\..\x`: "x", "~x": "x", "#1": "1", "!!!": "unknown",
	} {
		if got := repo.BranchSlug(name); got != want {
			t.Errorf("BranchSlug(%q) = %q, want %q", name, got, want)
		}
	}
	a, b := repo.BranchSlug(strings.Repeat("long/", 100)+"a"), repo.BranchSlug(strings.Repeat("long/", 100)+"b")
	if a == b || len(a) > 100 {
		t.Errorf("long names: %q and %q", a, b)
	}
	detached := repo.Branch{Detached: true, Commit: strings.Repeat("ab", 20)}
	if got := detached.Slug(); got != "detached-abababa" {
		t.Errorf("detached: %q", got)
	}
}

// checkSlug holds what is true of the slug of any name.
func checkSlug(t interface{ Errorf(string, ...any) }, name string) {
	slug := repo.BranchSlug(name)
	if again := repo.BranchSlug(slug); again != slug {
		t.Errorf("slug of %q: %q, and of that %q", name, slug, again)
	}
	if slug == "" || len(slug) > 100 || !utf8.ValidString(slug) || !filepath.IsLocal(slug) ||
		strings.ContainsAny(slug, "/\\:*?\"<>| \x00") || strings.ContainsAny(slug[:1], ".-#~") || strings.HasSuffix(slug, ".") {
		t.Errorf("slug of %q: %q", name, slug)
	}
}

func TestSlugLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkSlug(t, rapid.String().Draw(t, "name")) })
}

func FuzzBranchSlug(f *testing.F) {
	for _, name := range []string{"main", "../x", "con", "İ", "a.-.b", strings.Repeat("é", 200), "ǅ", "\u0345x", "nul.", "-.-con", "nul." + strings.Repeat("a", 150)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkSlug(t, name) })
}
