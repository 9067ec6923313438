package models_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"memory-mcp/llm/models"
)

// small names the folder on which a small disk is to be put, in a process that
// may do so.
const small = "MODELS_TEST_SMALL_DISK"

// A disk that fills up in the middle of a fetch is told as such; what came stays
// and is gone on with when there is room. The disk is a small one in memory, of
// a process of its own.
func TestDiskFillsUp(t *testing.T) {
	if dir := os.Getenv(small); dir != "" {
		fillsUp(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFillsUp$", "-test.v")
	cmd.Env = append(os.Environ(), small+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL):
		t.Skipf("this system lets nobody mount a small disk: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("this system lets nobody mount a small disk:\n%s", out)
	}
}

func fillsUp(t *testing.T, dir string) {
	// Little more than what must be free before anything is fetched.
	if err := unix.Mount("small", dir, "tmpfs", 0, "size=530m"); err != nil {
		t.Skip(err)
	}
	f := models.Folder{Dir: filepath.Join(dir, "models")}
	filler := filepath.Join(dir, "filler")
	h, m := newHub(t), model()
	var once sync.Once
	_, err := f.Pull(t.Context(), models.Source(h.URL), m, func(int64, int64) { once.Do(func() { fill(t, filler) }) })
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
	if _, err := os.Stat(f.Path(m)); !os.IsNotExist(err) {
		t.Errorf("half a model has its name: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pull(t.Context(), models.Source(h.URL), m, nil); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if h.asked() == "," {
		t.Error("what had come was fetched again")
	}
	whole(t, f)
}

// fill leaves room for a part of the model.
func fill(t *testing.T, path string) {
	f, err := os.Create(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close() // it holds nothing
	for at, step := int64(0), int64(64<<20); step >= 64<<10; {
		if err := unix.Fallocate(int(f.Fd()), 0, at, step); err != nil {
			step /= 2
			continue
		}
		at += step
	}
}
