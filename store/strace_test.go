//go:build linux

package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAKillAtEverySystemCall kills a writer at each rename, sync and removal
// that it makes, in turn, and looks at what is left.
func TestAKillAtEverySystemCall(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("strace is not installed")
		}
		t.Skip("needs strace, which kills at a given system call")
	}
	kills := 0
	for _, call := range []string{"renameat", "renameat2", "fsync", "unlinkat"} {
		for n := 1; ; n++ {
			dir := lobe(t)
			acknowledged := map[string]string{}
			killed := killAt(t, strace, call, n, dir, acknowledged)
			if killed {
				kills++
			}
			checkWhole(t, dir, acknowledged)
			if t.Failed() {
				t.Fatalf("killed at %s number %d", call, n)
			}
			if !killed || n > 40 {
				break
			}
		}
	}
	if kills < 8 {
		t.Fatalf("only %d kills", kills)
	}
	t.Logf("%d kills", kills)
}

func killAt(t *testing.T, strace, call string, n int, dir string, acknowledged map[string]string) bool {
	t.Helper()
	inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)
	child := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace="+call, "-e", inject, os.Args[0])
	child.Env = append(os.Environ(), "STORE_TEST_WRITER="+dir, "STORE_TEST_WRITES=6")
	var out, stderr strings.Builder
	child.Stdout, child.Stderr = &out, &stderr
	err := child.Run()
	if err != nil && child.ProcessState.ExitCode() != -1 && child.ProcessState.ExitCode() != 137 {
		t.Fatalf("strace: %v %s", err, stderr.String())
	}
	for line := range strings.Lines(out.String()) {
		if id, key, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			acknowledged[id] = key
		}
	}
	return err != nil
}
