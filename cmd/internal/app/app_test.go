package app_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/crash"
	"memory-mcp/lobes"
)

// world is a home with folders below it. All paths are absolute and resolved.
type world struct {
	t    *testing.T
	top  string
	vars map[string]string
	log  bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, top: top, vars: map[string]string{"MEMORY_MCP_HOME": filepath.Join(top, "memory")}}
	w.folder("home")
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.top, filepath.FromSlash(name)) }

func (w *world) folder(name string) string {
	w.t.Helper()
	if err := os.MkdirAll(w.path(name), 0o700); err != nil {
		w.t.Fatal(err)
	}
	return w.path(name)
}

// repository makes the least that git takes for one.
func (w *world) repository(name string) string {
	w.t.Helper()
	w.folder(name + "/.git/objects")
	w.folder(name + "/.git/refs/heads")
	w.write(name+"/.git/HEAD", "ref: refs/heads/main\n")
	w.write(name+"/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
	return w.path(name)
}

func (w *world) write(name, text string) {
	w.t.Helper()
	w.folder(filepath.Dir(name))
	if err := os.WriteFile(w.path(name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

const configFile = "memory/memory-config.json"

func (w *world) configure(roots map[string]string) {
	w.t.Helper()
	var entries []string
	for name, root := range roots {
		entries = append(entries, `"`+name+`": {"root": "`+filepath.ToSlash(root)+`"}`)
	}
	slices.Sort(entries)
	w.write(configFile, `{"lobes": {`+strings.Join(entries, ", ")+`}}`)
}

func (w *world) open(cwd string, serving bool) *app.App {
	w.t.Helper()
	a := app.Open(app.Options{
		Getenv: func(name string) string { return w.vars[name] }, Home: w.path("home"), Cwd: cwd, Serving: serving, Log: &w.log,
	})
	w.t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
	return a
}

func names(t *testing.T, a *app.App) string {
	t.Helper()
	return strings.Join(current(t, a).Names(), " ")
}

func current(t *testing.T, a *app.App) *lobes.Set {
	t.Helper()
	set, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestWhichLobes(t *testing.T) {
	w := newWorld(t)
	one, plain := w.repository("work/one"), w.folder("work/plain")
	other, sub := w.repository("work/other"), w.folder("work/one/sub/dir")
	tests := []struct {
		name    string
		cwd     string
		vars    map[string]string
		config  map[string]string
		serving bool
		want    string
	}{
		{name: "a repository", cwd: one, want: "global one"},
		{name: "a folder of a repository", cwd: sub, want: "global one"},
		{name: "a folder outside git, at a shell", cwd: plain, want: "global plain"},
		{name: "a folder outside git, serving", cwd: plain, serving: true, want: "global"},
		{name: "the home directory", cwd: w.path("home"), want: "global"},
		{name: "the root of the file system", cwd: filepath.VolumeName(one) + string(filepath.Separator), want: "global"},
		{name: "the host names another folder", cwd: plain, serving: true, vars: map[string]string{"CLAUDE_PROJECT_DIR": other}, want: "global other"},
		{name: "the host names the same folder", cwd: one, serving: true, vars: map[string]string{"GEMINI_PROJECT_DIR": sub}, want: "global one"},
		{name: "the host names a list", cwd: plain, serving: true, vars: map[string]string{"WORKSPACE_FOLDER_PATHS": one + "," + other}, want: "global one other"},
		{name: "the host names the home directory", cwd: plain, serving: true, vars: map[string]string{"CLAUDE_PROJECT_DIR": w.path("home")}, want: "global"},
		{name: "configured", cwd: plain, config: map[string]string{"first": one}, want: "first global"},
		{name: "configured, in it", cwd: sub, config: map[string]string{"first": one}, want: "first global"},
		{name: "configured, in another repository", cwd: other, config: map[string]string{"first": one}, want: "first global other"},
		{name: "one variable", cwd: plain, vars: map[string]string{"MEMORY_MCP_REPO_ROOT": other}, want: "global other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &world{t: t, top: w.top, vars: map[string]string{"MEMORY_MCP_HOME": filepath.Join(t.TempDir(), "memory")}}
			for name, value := range tt.vars {
				w.vars[name] = value
			}
			if tt.config != nil {
				w.vars["MEMORY_MCP_HOME"] = w.path("memory")
				w.configure(tt.config)
				defer os.Remove(w.path(configFile))
			}
			if got := names(t, w.open(tt.cwd, tt.serving)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAChangedConfigurationIsTakenOver(t *testing.T) {
	w := newWorld(t)
	one, two := w.repository("one"), w.repository("two")
	w.configure(map[string]string{"one": one})
	a := w.open(one, true)
	if got := names(t, a); got != "global one" {
		t.Fatalf("at first there are %q", got)
	}
	w.configure(map[string]string{"one": one, "two": two})
	if got := names(t, a); got != "global one two" {
		t.Errorf("after the change there are %q", got)
	}

	w.write(configFile, `{"lobes": {`)
	if got := names(t, a); got != "global one two" {
		t.Errorf("a broken file left %q", got)
	}
	if notices := a.Facts().Notices; len(notices) != 1 || !strings.Contains(notices[0], "memory-config.json:1") || !strings.Contains(notices[0], "are kept") {
		t.Errorf("a broken file is told as %q", notices)
	}

	if err := os.Remove(w.path(configFile)); err != nil {
		t.Fatal(err)
	}
	if got := names(t, a); got != "global one two" || len(a.Facts().Notices) != 1 {
		t.Errorf("a file that is gone left %q, and told %q", got, a.Facts().Notices)
	}

	w.configure(map[string]string{"two": two})
	if got := names(t, a); got != "global one two" {
		t.Errorf("one is the working directory, and still there are %q", got)
	}
	if notices := a.Facts().Notices; len(notices) != 0 {
		t.Errorf("a repaired file is told as %q", notices)
	}
}

func TestOldLobesServeTheCallsThatUseThem(t *testing.T) {
	w := newWorld(t)
	one, two := w.repository("one"), w.repository("two")
	w.configure(map[string]string{"one": one})
	a := w.open(w.folder("elsewhere"), true)
	env := a.Server()
	err := env.Journal.Guard(crash.Doing{Op: "memory_store"}, func() error {
		old := current(t, a)
		w.configure(map[string]string{"two": two})
		if got := names(t, a); got != "global two" {
			t.Fatalf("after the change there are %q", got)
		}
		_, err := old.Remember(t.Context(), lobes.By{Actor: "test"}, lobes.Target{Lobe: "one"}, []lobes.Note{{Text: "The scheduler drops leases older than a minute."}})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAConfigurationThatCannotBeReadAtTheStart(t *testing.T) {
	w := newWorld(t)
	one := w.repository("one")
	w.write(configFile, "{\n  \"lobes\": [\n")
	a := w.open(one, true)
	_, err := current(t, a).Remember(t.Context(), lobes.By{}, lobes.Target{Dirs: []string{one}}, []lobes.Note{{Text: "The scheduler drops leases."}})
	if err == nil || !strings.Contains(err.Error(), "memory-config.json:") {
		t.Errorf("a store says %v", err)
	}
	if len(a.Facts().Notices) == 0 {
		t.Error("diagnose is told nothing")
	}
	w.configure(map[string]string{"one": one})
	if got := names(t, a); got != "global one" {
		t.Errorf("repaired, there are %q", got)
	}
}

func TestALobeThatWasRepairedComesBack(t *testing.T) {
	w := newWorld(t)
	w.configure(map[string]string{"late": w.path("late")})
	a := w.open(w.folder("elsewhere"), true)
	if mode := current(t, a).Mode(); mode != lobes.Degraded {
		t.Fatalf("without its folder the mode is %q", mode)
	}
	w.repository("late")
	if mode := current(t, a).Mode(); mode != lobes.Running {
		t.Errorf("with its folder the mode is %q", mode)
	}
}

func TestAdopt(t *testing.T) {
	w := newWorld(t)
	one, two := w.repository("one"), w.repository("deep/er/one")
	w.configure(map[string]string{"one": one})
	a := w.open(one, true)
	for range 2 {
		name, err := a.Adopt(t.Context(), two, 1<<20)
		if err != nil || name != "er-one" {
			t.Fatalf("adopted as %q, %v", name, err)
		}
	}
	text, err := os.ReadFile(w.path(configFile))
	if err != nil || !strings.Contains(string(text), `"er-one"`) || !strings.Contains(string(text), `"budgetMB": 1`) {
		t.Errorf("the file is %s, %v", text, err)
	}
	if name, err := a.Adopt(t.Context(), one, 0); err != nil || name != "one" {
		t.Errorf("a known folder is adopted as %q, %v", name, err)
	}
	for _, root := range []string{"relative", w.path("home"), w.path("not/there")} {
		if name, err := a.Adopt(t.Context(), root, 0); err == nil || !strings.Contains(err.Error(), filepath.Base(root)) {
			t.Errorf("%q was adopted as %q, %v", root, name, err)
		}
	}
}

func TestAdoptWithoutAFileLastsAsLongAsTheProcess(t *testing.T) {
	w := newWorld(t)
	one, two := w.repository("one"), w.repository("two")
	a := w.open(one, true)
	if name, err := a.Adopt(t.Context(), two, 0); err != nil || name != "two" {
		t.Fatalf("adopted as %q, %v", name, err)
	}
	if got := names(t, a); got != "global one two" {
		t.Errorf("there are %q", got)
	}
	if _, err := os.Stat(w.path("memory")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

func TestBindRoots(t *testing.T) {
	w := newWorld(t)
	one, plain := w.repository("one"), w.folder("plain")

	a := w.open(plain, true)
	a.Bind([]string{w.folder("one/sub"), w.path("home"), w.path("not/there")})
	if got := names(t, a); got != "global one" {
		t.Errorf("with roots there are %q", got)
	}
	b := w.open(plain, true)
	b.Bind(nil)
	if got := names(t, b); got != "global plain" {
		t.Errorf("without roots there are %q", got)
	}
	c := w.open(w.path("home"), true)
	c.Bind(nil)
	if got := names(t, c); got != "global" {
		t.Errorf("in the home directory there are %q", got)
	}
	w.configure(map[string]string{"first": one})
	d := w.open(plain, true)
	d.Bind([]string{plain, w.repository("two")})
	if got := names(t, d); got != "first global two" {
		t.Errorf("configured, with roots there are %q", got)
	}
}
