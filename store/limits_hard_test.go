//go:build linux

package store_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// limited names the limit that a child of this test has set on itself.
const limited = "MEMORY_MCP_TEST_INOTIFY_LIMIT"

// TestWhereNoMoreCanBeWatched runs a store in a process to which the system
// gives no inotify instance, or too few watches: each look scans, answers are
// as fresh as ever, and the reason is named.
func TestWhereNoMoreCanBeWatched(t *testing.T) {
	if limit := os.Getenv(limited); limit != "" {
		withoutWatches(t, limit)
		return
	}
	for _, limit := range []string{"max_inotify_instances=0", "max_inotify_watches=2"} {
		t.Run(limit, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestWhereNoMoreCanBeWatched$", "-test.v")
			cmd.Env = append(os.Environ(), limited+"="+limit)
			// In a user namespace of its own a process may set limits that
			// hold for nobody else.
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			out, err := cmd.CombinedOutput()
			if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) || strings.Contains(string(out), "--- SKIP") {
				t.Skipf("no user namespace here: %v %s", err, out)
			}
			if err != nil || !strings.Contains(string(out), "--- PASS") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func withoutWatches(t *testing.T, limit string) {
	name, value, _ := strings.Cut(limit, "=")
	if err := os.WriteFile(filepath.Join("/proc/sys/user", name), []byte(value), 0); err != nil {
		t.Skip(err)
	}
	dir := lobe(t)
	s := open(t, dir, store.Options{Watch: true})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "text number 00000"))
	base := readFile(t, w.Path)
	for i, save := range saves() {
		text := strings.Replace(base, "text number", "text saved "+save.name+" number", 1)
		if err := save.do(w.Path, text); err != nil {
			t.Fatal(err)
		}
		if got := body(t, s, "gotcha-00000001"); !strings.Contains(got, "saved "+save.name) {
			t.Errorf("save %d, %s: the look says %q", i, save.name, got)
		}
	}
	writeFile(t, filepath.Join(dir, "modules", "new", "n.md"), "# New\n\nin a new folder\n")
	if h, ok := look(t, s).Path("modules/new/n.md"); !ok || h.Entry.Title != "New" {
		t.Errorf("a file in a new folder is not there: %+v", h)
	}
	if p := problem(t, s, "limit for watching"); !strings.Contains(p.Remedy, "max_user_") {
		t.Errorf("the remedy is %q", p.Remedy)
	}
}
