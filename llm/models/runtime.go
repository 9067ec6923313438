package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Program is the role of the program that runs models.
const Program Role = "program"

// Releases is where the program is published.
const Releases = "https://github.com"

// RuntimeName is the name by which llama.cpp is fetched.
const RuntimeName = "runtime"

// Runtime is the archive of llama.cpp for a platform, as Go names it; false
// where none is published. It runs on the processor alone (on macOS on Metal
// too): builds for other hardware are for a person to choose.
func Runtime(goos, goarch string) (Model, bool) {
	m := Model{
		Name: RuntimeName, Role: Program, Repo: "ggml-org/llama.cpp", Revision: "b11120", Licence: "MIT", Memory: gib,
	}
	switch goos + "/" + goarch {
	case "linux/amd64":
		m.File, m.Size = "ubuntu-x64.tar.gz", 16997245
		m.SHA256 = "cae70da61dc74e3012418f7a4b6750eadc6fd0a8fb03270022d471b675e5b4cd"
	case "linux/arm64":
		m.File, m.Size = "ubuntu-arm64.tar.gz", 13588955
		m.SHA256 = "32a3b84113d3439dfde3ba8488b644ff18e5a2847a8556f18e5e7ee65acf30dc"
	case "darwin/arm64":
		m.File, m.Size = "macos-arm64.tar.gz", 11205150
		m.SHA256 = "f34a2df471a1a6cb4fafd5dacd5f63a54fdc43971235df4d05634ec760eff106"
	case "darwin/amd64":
		m.File, m.Size = "macos-x64.tar.gz", 11235287
		m.SHA256 = "538689fdbb2695a416f4c57baaaa4cf0368774ea22f7180c2ef0e5e1f3eccdfd"
	case "windows/amd64":
		m.File, m.Size = "win-cpu-x64.zip", 18558140
		m.SHA256 = "bbaf0584954c7ef53c2ccc5675f96b8849ac81ca181f540b862eefef1a09a402"
	case "windows/arm64":
		m.File, m.Size = "win-cpu-arm64.zip", 12033016
		m.SHA256 = "bde095ca8437d3b042781910baf79bcd813146bc87c1a7429ec95daaa0da86f0"
	default:
		return Model{}, false
	}
	m.File = "llama-" + m.Revision + "-bin-" + m.File
	return m, true
}

// An Install is the folder in which llama.cpp lies unpacked. It need not exist.
type Install struct{ Dir string } // absolute

// mark is the file that says which release the folder holds. It is written
// last, and by us alone.
const mark = "memory-mcp-release"

// A ForeignError says that a folder is not ours to change.
type ForeignError struct{ Dir string }

// Error names the folder.
func (e *ForeignError) Error() string {
	return e.Dir + " was not made by this program, and is left alone"
}

// Release is the release that lies in the folder; empty when none does.
func (i Install) Release() (string, error) {
	b, err := os.ReadFile(filepath.Join(i.Dir, mark))
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	files, err := os.ReadDir(i.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case len(files) > 0:
		return "", &ForeignError{i.Dir}
	}
	return "", nil
}

// Pull fetches llama.cpp by way of a folder of models and unpacks it, whole or
// not at all. What lies there already is not fetched again; another release is
// replaced. It gives the path of the program.
func (i Install) Pull(ctx context.Context, by Folder, from Source, m Model, progress Progress) (string, error) {
	return i.install(m, func() (string, error) { return by.Pull(ctx, from, m, progress) }, by)
}

// Take is Pull of an archive that a person brings.
func (i Install) Take(ctx context.Context, by Folder, path string, m Model, progress Progress) (string, error) {
	return i.install(m, func() (string, error) { return by.Take(ctx, path, m, progress) }, by)
}

func (i Install) install(m Model, fetch func() (string, error), by Folder) (string, error) {
	have, err := i.Release()
	if err != nil {
		return "", fmt.Errorf("install llama.cpp: %w", err)
	}
	program := filepath.Join(i.Dir, programOf(m))
	if have == m.Revision {
		return program, nil
	}
	archive, err := fetch()
	if err != nil {
		return "", err
	}
	if err := i.replace(m, archive, have != ""); err != nil {
		if now, known := i.Release(); known != nil || now != m.Revision { // else another process was faster
			return "", fmt.Errorf("install llama.cpp from %s: %w", archive, err)
		}
	}
	if _, err := by.Remove(m); err != nil {
		return "", fmt.Errorf("install llama.cpp: %w", err)
	}
	return program, nil
}

// replace unpacks an archive beside the folder and puts it in its place.
func (i Install) replace(m Model, archive string, before bool) (err error) {
	parent, base := filepath.Dir(i.Dir), filepath.Base(i.Dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	if err := sweep(filepath.Join(parent, "."+base+".*")); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(parent, "."+base+".*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	unpacked := filepath.Join(fresh, "new")
	if err := unpack(archive, unpacked, programOf(m)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(unpacked, mark), []byte(m.Revision+"\n"), 0o600); err != nil {
		return err
	}
	if before {
		if err := os.Rename(i.Dir, filepath.Join(fresh, "old")); err != nil {
			return err
		}
	} else if err := os.Remove(i.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // it is empty, or was a moment ago
	}
	return os.Rename(unpacked, i.Dir)
}

// leftAfter is how old a temporary folder is that nobody works in any more.
const leftAfter = 24 * time.Hour

// sweep removes what processes that were killed have left.
func sweep(pattern string) error {
	left, err := filepath.Glob(pattern)
	for _, dir := range left {
		if info, known := os.Lstat(dir); known == nil && time.Since(info.ModTime()) > leftAfter {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	return err
}

// Remove takes away what was unpacked, and tells how many bytes that freed.
func (i Install) Remove() (int64, error) {
	have, err := i.Release()
	if err != nil || have == "" {
		return 0, err
	}
	var freed int64
	err = filepath.WalkDir(i.Dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			freed += info.Size()
		}
		return err
	})
	return freed, errors.Join(err, os.RemoveAll(i.Dir))
}

// programOf is the name of the server in an archive.
func programOf(m Model) string {
	if strings.HasSuffix(m.File, ".zip") {
		return "llama-server.exe"
	}
	return "llama-server"
}
