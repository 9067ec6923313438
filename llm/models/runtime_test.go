package models_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/llm/models"
)

// piece is a file of an archive; a link when it leads somewhere.
type piece struct{ name, text, link string }

func tarred(t *testing.T, pieces ...piece) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, p := range pieces {
		head := &tar.Header{Name: p.name, Mode: 0o755, Size: int64(len(p.text)), Typeflag: tar.TypeReg}
		if p.link != "" {
			head.Typeflag, head.Linkname = tar.TypeSymlink, p.link
		}
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(p.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, pieces ...piece) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range pieces {
		f, err := w.Create(p.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(p.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// release is an archive as a server of releases has it.
func release(t *testing.T, name string, archive []byte) (models.Model, models.Source) {
	t.Helper()
	sum := sha256.Sum256(archive)
	m := models.Model{
		Name: models.RuntimeName, Role: models.Program, Repo: "ggml-org/llama.cpp", Revision: "b1", File: name,
		Size: int64(len(archive)), SHA256: hex.EncodeToString(sum[:]),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ggml-org/llama.cpp/releases/download/b1/"+name {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(archive))
	}))
	t.Cleanup(s.Close)
	return m, models.Source(s.URL)
}

// files are the texts of a folder, by name; links tell where they lead.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, d := range list {
		path := filepath.Join(dir, d.Name())
		if link, err := os.Readlink(path); err == nil {
			all[d.Name()] = "-> " + link
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[d.Name()] = string(b)
	}
	return all
}

func TestRuntimeIsUnpacked(t *testing.T) {
	pieces := []piece{
		{"llama-b1/", "", ""}, {"llama-b1/LICENSE", "MIT", ""}, {"llama-b1/llama-server", "program", ""},
		{"llama-b1/libllama.so.1", "library", ""}, {"llama-b1/sub/other", "not needed", ""}, {"readme", "not needed", ""},
	}
	linked := append(slices.Clone(pieces[1:]), piece{"llama-b1/libllama.so", "", "libllama.so.1"})
	want := map[string]string{"LICENSE": "MIT", "llama-server": "program", "libllama.so.1": "library", "memory-mcp-release": "b1\n"}
	withLink := maps.Clone(want)
	withLink["libllama.so"] = "-> libllama.so.1"
	windows := []piece{{"llama-server.exe", "program", ""}, {"llama.dll", "library", ""}}
	for name, c := range map[string]struct {
		file    string
		archive []byte
		want    map[string]string
	}{
		"a tar": {"llama-b1-bin-ubuntu-x64.tar.gz", tarred(t, linked...), withLink},
		"a zip": {"llama-b1-bin-win-cpu-x64.zip", zipped(t, windows...), map[string]string{
			"llama-server.exe": "program", "llama.dll": "library", "memory-mcp-release": "b1\n"}},
	} {
		m, from := release(t, c.file, c.archive)
		home := t.TempDir()
		in, by := models.Install{Dir: filepath.Join(home, "llama.cpp")}, models.Folder{Dir: filepath.Join(home, "models")}
		if have, err := in.Release(); have != "" || err != nil {
			t.Errorf("%s: before, %q, %v", name, have, err)
		}
		path, err := in.Pull(t.Context(), by, from, m, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := files(t, in.Dir); !maps.Equal(got, c.want) || filepath.Dir(path) != in.Dir || got[filepath.Base(path)] != "program" {
			t.Errorf("%s: %s, unpacked %v, want %v", name, path, got, c.want)
		}
		if have, err := in.Release(); have != "b1" || err != nil {
			t.Errorf("%s: %q, %v", name, have, err)
		}
		if left := files(t, by.Dir); len(left) != 1 { // the lock
			t.Errorf("%s: the archive stays: %v", name, left)
		}
		if freed, err := in.Remove(); freed == 0 || err != nil {
			t.Errorf("%s: Remove = %d, %v", name, freed, err)
		}
		if left, err := filepath.Glob(filepath.Join(home, ".*")); err != nil || len(left) > 0 {
			t.Errorf("%s: %v are left, %v", name, left, err)
		}
	}
}

// A release takes the place of another one; what is there is not fetched again.
func TestRuntimeIsReplaced(t *testing.T) {
	home := t.TempDir()
	in, by := models.Install{Dir: filepath.Join(home, "llama.cpp")}, models.Folder{Dir: filepath.Join(home, "models")}
	old, from := release(t, "a.tar.gz", tarred(t, piece{"x/llama-server", "old", ""}, piece{"x/gone", "", ""}))
	if _, err := in.Pull(t.Context(), by, from, old, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Pull(t.Context(), by, "http://127.0.0.1:1", old, nil); err != nil {
		t.Errorf("what is here is fetched again: %v", err)
	}
	fresh, _ := release(t, "a.tar.gz", tarred(t, piece{"y/llama-server", "new", ""}))
	fresh.Revision = "b2"
	archive := filepath.Join(home, "brought.tar.gz")
	if err := os.WriteFile(archive, tarred(t, piece{"y/llama-server", "new", ""}), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Take(t.Context(), by, archive, fresh, nil); err != nil {
		t.Fatal(err)
	}
	if got := files(t, in.Dir); !maps.Equal(got, map[string]string{"llama-server": "new", "memory-mcp-release": "b2\n"}) {
		t.Errorf("there is %v", got)
	}
	if _, err := os.Stat(archive); err != nil {
		t.Errorf("the file that was brought: %v", err)
	}
}

// Nothing is unpacked by halves, or elsewhere, or over what is not ours.
func TestRuntimeThatIsNone(t *testing.T) {
	whole := tarred(t, piece{"x/llama-server", strings.Repeat("program ", 10000), ""})
	for name, archive := range map[string][]byte{
		"no archive":       []byte("not an archive"),
		"no program in it": tarred(t, piece{"x/readme", "", ""}),
		"cut":              whole[:len(whole)/2],
		"a link up":        tarred(t, piece{"x/llama-server", "", ""}, piece{"x/l", "", "../../evil"}),
		"a link away":      tarred(t, piece{"x/llama-server", "", ""}, piece{"x/l", "", "/etc/passwd"}),
		"a file twice":     tarred(t, piece{"x/llama-server", "", ""}, piece{"x/l", "", "m"}, piece{"x/l", "through the link", ""}),
	} {
		m, from := release(t, "a.tar.gz", archive)
		home := t.TempDir()
		in, by := models.Install{Dir: filepath.Join(home, "llama.cpp")}, models.Folder{Dir: filepath.Join(home, "models")}
		if _, err := in.Pull(t.Context(), by, from, m, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
		left, err := os.ReadDir(home)
		if err != nil || len(left) != 1 || left[0].Name() != "models" {
			t.Errorf("%s: it left %v, %v", name, left, err)
		}
	}
	foreign := models.Install{Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(foreign.Dir, "llama-server"), []byte("mine"), 0o700); err != nil {
		t.Fatal(err)
	}
	m, from := release(t, "a.tar.gz", whole)
	var refused *models.ForeignError
	if _, err := foreign.Pull(t.Context(), models.Folder{Dir: t.TempDir()}, from, m, nil); !errors.As(err, &refused) {
		t.Errorf("a folder of somebody else: %v", err)
	}
	if _, err := foreign.Remove(); !errors.As(err, &refused) || len(files(t, foreign.Dir)) != 1 {
		t.Errorf("it is removed: %v", err)
	}
}

func TestRuntimeOfEachPlatform(t *testing.T) {
	known := 0
	sums := map[string]bool{}
	for _, goos := range []string{"linux", "darwin", "windows", "plan9"} {
		for _, arch := range []string{"amd64", "arm64", "riscv64"} {
			m, ok := models.Runtime(goos, arch)
			if !ok {
				continue
			}
			known++
			sums[m.SHA256] = true
			if len(m.SHA256) != 64 || m.Size == 0 || m.Licence == "" || strings.HasSuffix(m.File, ".zip") != (goos == "windows") {
				t.Errorf("%s/%s: %+v", goos, arch, m)
			}
		}
	}
	if known != 6 || len(sums) != 6 {
		t.Errorf("%d platforms, %d checksums", known, len(sums))
	}
}
