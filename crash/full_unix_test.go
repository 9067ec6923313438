//go:build unix

package crash_test

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"memory-mcp/crash"
)

// fillDisk lets no file of this process grow, as a full disk does.
func fillDisk() error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{})
}

// playOnFullDisk makes a call that works and one that panics.
func playOnFullDisk(j *crash.Journal) error {
	if err := fillDisk(); err != nil {
		return err
	}
	ran := false
	if err := j.Guard(crash.Doing{Op: "store", Writes: true}, func() error { ran = true; return nil }); err != nil || !ran {
		return errors.Join(errors.New("the call did not go through"), err)
	}
	var p *crash.Panicked
	err := j.Guard(crash.Doing{Op: "store", Writes: true}, func() error { panic("x") })
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "no report could be written") {
		return errors.Join(errors.New("the panic was not told"), err)
	}
	if !errors.Is(j.Problem(), syscall.EFBIG) {
		return errors.Join(errors.New("the problem is another"), j.Problem())
	}
	return j.Close()
}

func TestFullDiskNeverFailsTheCall(t *testing.T) {
	_, dir := journal(t)
	c := start(t, "full", dir)
	if err := c.Wait(); err != nil {
		t.Fatalf("the child ended with %v: %s", err, c.stderr.String())
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != "running" {
			t.Errorf("half a file is left: %s", e.Name())
		}
	}
	if names := markers(t, dir); len(names) != 0 {
		t.Errorf("markers are left: %v", names)
	}
}
