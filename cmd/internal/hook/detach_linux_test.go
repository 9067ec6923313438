package hook_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"memory-mcp/cmd/internal/hook"
)

// A host waits for the pipes that it gave to a hook. None of them may stay
// open in what the hook starts, and a signal to the host's group may not reach
// it.
func TestDetachedStandsAlone(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	leaked, err := syscall.Dup(int(write.Fd())) // as a host that does not mark it: it outlives an exec
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leaked)
	pipe, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(leaked))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	script := `ls -l /proc/$$/fd >` + out + `.part; cut -d' ' -f6 /proc/$$/stat >>` + out + `.part; echo $$ >>` + out + `.part; pwd >>` + out + `.part; mv ` + out + `.part ` + out
	if err := hook.Detach("/bin/sh", []string{"-c", script}, os.Environ()); err != nil {
		t.Fatal(err)
	}
	var said string
	for range 500 {
		if b, err := os.ReadFile(out); err == nil {
			said = string(b)
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if len(lines) < 4 {
		t.Fatalf("the program said %q", said)
	}
	if strings.Contains(said, pipe) || !strings.Contains(said, os.DevNull) {
		t.Errorf("it has open\n%s", said)
	}
	if session, pid := lines[len(lines)-3], lines[len(lines)-2]; session != pid {
		t.Errorf("it is in session %s, not in its own, %s", session, pid)
	}
	if lines[len(lines)-1] != "/" {
		t.Errorf("it stands in %s", lines[len(lines)-1])
	}
}
