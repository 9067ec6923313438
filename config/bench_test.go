package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"memory-mcp/config"
)

// BenchmarkStale is what every call pays to notice a changed file.
func BenchmarkStale(b *testing.B) {
	text, err := os.ReadFile(filepath.Join("..", "memory-config.json.example"))
	if err != nil {
		b.Fatal(err)
	}
	home := b.TempDir()
	path := filepath.Join(home, config.FileName)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	o := config.Options{Path: path, Getenv: func(string) string { return "" }, Home: home, Cwd: home}
	c, err := config.Load(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			if stale, err := c.Stale(); stale || err != nil {
				b.Fatal(stale, err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := config.Load(o); err != nil {
				b.Fatal(err)
			}
		}
	})
}
