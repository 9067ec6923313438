package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"memory-mcp/config"
)

// TestAnotherModelInTheSameFile: a model of the same make took the place of
// another one, and its questions were held against the other's vectors.
func TestAnotherModelInTheSameFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.gguf")
	if err := os.WriteFile(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	print := func() string { return fingerprint(config.Model{Name: file}, part{name: "own"}) }
	one := print()
	if one != print() {
		t.Error("one file has two fingerprints")
	}
	if err := os.WriteFile(file, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if one == print() {
		t.Error("two models have one fingerprint")
	}
	// A folder of the name of a known model is none of its business.
	t.Chdir(t.TempDir())
	known := fingerprint(config.Model{Name: "qwen3-embedding"}, part{name: "q"})
	if err := os.Mkdir("qwen3-embedding", 0o700); err != nil {
		t.Fatal(err)
	}
	if fingerprint(config.Model{Name: "qwen3-embedding"}, part{name: "q"}) != known {
		t.Error("the fingerprint hangs on the working directory")
	}
}
