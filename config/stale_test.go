package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"memory-mcp/config"
)

func stale(t *testing.T, c *config.Config, want bool) {
	t.Helper()
	got, err := c.Stale()
	if err != nil || got != want {
		t.Errorf("Stale is %t with error %v, want %t", got, err, want)
	}
}

func TestStaleSeesARewriteOfTheSameSizeAndTime(t *testing.T) {
	w := newWorld(t)
	path := w.file(`{"tools": "full"}`)
	c := w.load()
	stale(t, c, false)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	w.write(path, `{"tools": "nope"}`)
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	stale(t, c, true)
	w.write(path, `{"tools": "full"}`)
	stale(t, c, false)
}

func TestStaleSeesAFileThatAppears(t *testing.T) {
	w := newWorld(t)
	c := w.load()
	stale(t, c, false)
	w.write(filepath.Join(w.home, ".memory-mcp", config.FileName), `{}`)
	stale(t, c, true)
	c = w.load()
	stale(t, c, false)
	w.write(filepath.Join(w.home, "bin", config.FileName), `{}`) // a later place
	stale(t, c, false)
	w.write(config.DefaultPath(config.Options{Getenv: w.options().Getenv, Home: w.home, Cwd: w.cwd}), `{"tools": "full"}`)
	stale(t, c, true)
}

func TestStaleKeepsAFileThatIsGoneForAMoment(t *testing.T) {
	w := newWorld(t)
	path := w.write(filepath.Join(w.home, "xdg", "memory-mcp", config.FileName), `{}`)
	c := w.load()
	if err := os.Rename(path, path+"~"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Stale(); got || err == nil {
		t.Errorf("Stale is %t with error %v, want an error", got, err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
	stale(t, c, false)
}

func TestBrokenFileIsStaleAndTheReloadFails(t *testing.T) {
	w := newWorld(t)
	path := w.file(`{"tools": "full"}`)
	c := w.load()
	w.write(path, `{"tools": `)
	stale(t, c, true)
	if next, err := config.Load(w.options()); err == nil || next != nil {
		t.Errorf("Load gives %+v and %v", next, err)
	}
}
