package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"memory-mcp/config"
)

// seeds adds the texts under testdata and fails when there are none.
func seeds(f *testing.F) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "seeds", "*.json"))
	if err != nil || len(names) == 0 {
		f.Fatalf("no seed files (err %v)", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
}

// FuzzLoad: a text is a configuration that keeps the promises, or an *Error.
func FuzzLoad(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		w := newWorld(t)
		path := w.file(text)
		c, err := config.Load(w.options())
		if err != nil {
			var e *config.Error
			if c != nil || !errors.As(err, &e) || !strings.HasPrefix(err.Error(), path) {
				t.Fatalf("Load gives %+v and %v", c, err)
			}
			return
		}
		checkConfig(t, w, c)
	})
}

func checkConfig(t *testing.T, w *world, c *config.Config) {
	t.Helper()
	names := map[string]bool{}
	for _, lobe := range c.Lobes {
		if names[lobe.Name] || !filepath.IsAbs(lobe.Root) || lobe.Root == w.home || lobe.Budget <= 0 {
			t.Errorf("bad lobe %+v", lobe)
		}
		if lobe.Name == "" && c.Source == config.SourceFile || strings.ContainsAny(lobe.Name, `/\: `) {
			t.Errorf("bad name %q", lobe.Name)
		}
		if lobe.MemoryDir != "" && !filepath.IsAbs(lobe.MemoryDir) {
			t.Errorf("bad folder %q", lobe.MemoryDir)
		}
		names[lobe.Name] = true
	}
	for _, p := range c.Warnings {
		if p.File == "" || p.Line < 1 || p.What == "" {
			t.Errorf("bad warning %+v", p)
		}
	}
	if b := c.Behavior; b.StaleDaysStandard < 1 || b.StaleDaysStandard > 365 || b.HalfLifeDays < 1 || b.MaxConflictPairs < 1 {
		t.Errorf("bad behavior %+v", b)
	}
	stale(t, c, false)
}

// FuzzAddLobe: what is added is loaded, and the rest stays as it was.
func FuzzAddLobe(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		w := newWorld(t)
		path := w.file(text)
		before, loadErr := config.Load(w.options())
		err := config.AddLobe(path, "added", "added-root", 1)
		after, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			if string(after) != text {
				t.Fatalf("refused (%v) and changed", err)
			}
			return
		}
		c, err := config.Load(w.options())
		if err != nil {
			t.Fatalf("the edited file does not load: %v\n%s", err, after)
		}
		found := false
		for _, lobe := range c.Lobes {
			found = found || lobe.Name == "added"
		}
		if !found {
			t.Fatalf("the lobe is not there:\n%s", after)
		}
		if loadErr == nil && before.Source == config.SourceFile && len(c.Lobes) != len(before.Lobes)+1 {
			t.Fatalf("%d lobes became %d", len(before.Lobes), len(c.Lobes))
		}
		if strict(text) && !strict(string(after)) {
			t.Fatalf("strict JSON became\n%s", after)
		}
	})
}

func strict(text string) bool {
	v, err := hujson.Parse([]byte(text))
	return err == nil && v.IsStandard()
}
