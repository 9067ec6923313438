package repo_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"memory-mcp/lobes/repo"
)

func TestParseConfig(t *testing.T) {
	text := "\ufeff# comment\n; another\n[core]\n\tbare = false ; trailing\n\trepositoryFormatVersion=1\n\tfileMode\n" +
		"[Remote \"Origin \\\"x\\\"\"] url = \"a # b\" c\\\n  d\n\tempty =\n[a.Sub] k-2 = \"\\ttab\\\\ \"  \r\n[s]k=v"
	want := []repo.Setting{
		{"core", "", "bare", "false"}, {"core", "", "repositoryformatversion", "1"}, {"core", "", "filemode", "true"},
		{"remote", `Origin "x"`, "url", "a # b c  d"}, {"remote", `Origin "x"`, "empty", ""}, {"a", "sub", "k-2", "\ttab\\ "}, {"s", "", "k", "v"},
	}
	got, err := repo.ParseConfig([]byte(text))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
	for text, line := range map[string]string{
		"[core\nx=1": "line 1", "\n[a \"b": "line 2", "x = 1": "line 1", "[a]\n!x": "line 2", "[a]\nx = \"y\n": "line 2", "[a]\nx = \\q\n": "line 2", "[a]\nx y": "line 2",
	} {
		if got, err := repo.ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: %q, %v; want an error at %s", text, got, err, line)
		}
	}
}

// git itself is the judge of what a configuration says.
func TestConfigAgreesWithGit(t *testing.T) {
	s := newSandbox(t)
	for i, text := range []string{
		"[a]\n\tk = v # c\n\tk = \"v \" w\n", "[a \"B.c\"]\nk=1\n[A \"b\"]\nK = 2", "[a]k=1\n", "[a]\nk = a\\\nb\\\n  c\n", "[a]\nk = \"x\\ny\"\n",
		"[a]\nk\n", "[a]\nk=\n", "[a]\r\nk = v\r\n", "[a]\nk = \" lead\"  \n", "[a]\nk = x;y\n", "[a]\nk = x \"#\" y # z\n", "[a.b]\nk = v\n", "[a]\nk = \\\"q\\\"\n",
	} {
		s.write("cfg", text)
		out := s.git(".", "config", "--file", s.path("cfg"), "--list", "-z")
		got, err := repo.ParseConfig([]byte(text))
		if err != nil {
			t.Errorf("%d %q: %v", i, text, err)
		}
		var lines []string
		for _, c := range got {
			name := c.Section + "."
			if c.Subsection != "" {
				name += c.Subsection + "."
			}
			lines = append(lines, name+c.Key+"\n"+c.Value)
		}
		want := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
		for i, w := range want { // a key alone has no value in git's list
			if !strings.Contains(w, "\n") {
				want[i] = w + "\ntrue"
			}
		}
		if !reflect.DeepEqual(lines, want) {
			t.Errorf("%q:\ngot  %q\nwant %q", text, lines, want)
		}
	}
}

func TestWindowsRoots(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///c%3A/Users/a%20b": `C:\Users\a b`, "file:///C:/x": `C:\x`, "file:///d:": `D:\`, "file://server/share/x": `\\server\share\x`, "file://localhost/c:/x": `C:\x`,
	} {
		if got, err := repo.WindowsRootURI(uri); err != nil || got != want {
			t.Errorf("%q = %q, %v; want %q", uri, got, err, want)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, s := range []string{"[core]\n\tbare = false\n", "[a \"b\\\"c\"]\nk = \"v\" ; x\n", "[a]\nk = x\\\ny", "[a]\nk=\\", "[", "[a]\nk = \"", "\ufeff[a.b]k", "[a]\nk=\\\r\nx"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		settings, err := repo.ParseConfig(b)
		if err != nil && settings != nil {
			t.Errorf("settings and an error: %q, %v", settings, err)
		}
		for _, s := range settings {
			if s.Section != strings.ToLower(s.Section) || s.Key == "" || s.Key != strings.ToLower(s.Key) {
				t.Errorf("%q gives %q", b, s)
			}
		}
	})
}

func FuzzParseGitFile(f *testing.F) {
	for _, s := range []string{"gitdir: ../.git/worktrees/w\n", "gitdir: C:/x\r\n", "gitdir:x", "gitdir: ", "gitdir: a\x00b", "gitdir: a\nb", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path, ok := repo.ParseGitFile(b)
		if ok && (path == "" || strings.ContainsAny(path, "\x00\n") || !strings.Contains(string(b), path)) {
			t.Errorf("%q gives %q", b, path)
		}
	})
}

func FuzzParseHead(f *testing.F) {
	for _, s := range []string{"ref: refs/heads/main\n", "ref:refs/heads/a/b", "ref: refs/heads/.invalid", "ref: refs/heads/../x", strings.Repeat("a", 40), strings.Repeat("A", 40), strings.Repeat("0", 64) + "\r\n", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		ref, commit, err := repo.ParseHead(b)
		if (ref == "") == (commit == "") && err == nil || err != nil && ref+commit != "" {
			t.Errorf("%q gives %q, %q, %v", b, ref, commit, err)
		}
		if ref != "" && (!filepath.IsLocal(filepath.FromSlash(ref)) || !strings.HasPrefix(ref, "refs/")) {
			t.Errorf("%q gives the reference %q", b, ref)
		}
	})
}

func FuzzFindPacked(f *testing.F) {
	id := strings.Repeat("ab", 20)
	for _, s := range []string{"# pack-refs with: peeled\n" + id + " refs/heads/main\n^" + id + "\n", id + " refs/heads/main", "refs/heads/main", strings.Repeat(" ", 5000) + "\n" + id + " refs/heads/main\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := repo.FindPacked(text, "refs/heads/main")
		if err == nil && !strings.Contains(text, got+" refs/heads/main") {
			t.Errorf("%q gives %q", text, got)
		}
	})
}

func FuzzParseIndex(f *testing.F) {
	seeds, err := filepath.Glob("testdata/index/*")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no indexes in testdata (err %v)", err)
	}
	for _, file := range seeds {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, strings.Contains(file, "sha256"))
	}
	f.Fuzz(func(t *testing.T, b []byte, long bool) {
		hash := 20
		if long {
			hash = 32
		}
		paths, err := repo.ParseIndex(b, hash)
		if len(paths)*hash > len(b) {
			t.Errorf("%d paths out of %d bytes (%v)", len(paths), len(b), err)
		}
	})
}
