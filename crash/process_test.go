package crash_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/crash"
)

// The test binary plays the program when this variable names what to do.
const roleVariable, dirVariable = "CRASH_TEST_ROLE", "CRASH_TEST_DIR"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role, crash.Open(os.Getenv(dirVariable), crash.Options{Version: "child"})))
	}
	os.Exit(m.Run())
}

// play does its part, says "ready", and goes on when its input ends.
func play(role string, j *crash.Journal) int {
	wait := func() error {
		fmt.Println("ready")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	j.Begin()
	var err error
	switch role {
	case "working":
		err = j.Guard(crash.Doing{Op: "memory_store", Lobe: "api", Phase: "running", Writes: true}, func() error {
			return j.Guard(crash.Doing{Op: "memory_query", Lobe: "web"}, wait)
		})
	case "idle":
		if err = j.Guard(crash.Doing{Op: "memory_store", Writes: true}, func() error { return nil }); err == nil {
			err = wait()
		}
	case "background":
		// A call is in progress when the background work panics.
		err = j.Guard(crash.Doing{Op: "memory_store", Writes: true}, func() error {
			j.Go(crash.Doing{Op: "embed", Lobe: "api"}, func() {
				var list []int
				list[len(list)]++
			})
			select {}
		})
	case "full":
		if err = playOnFullDisk(j); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	case "panicking":
		err = j.Guard(crash.Doing{Op: "memory_store", Writes: true}, func() error { panic("x") })
		fmt.Println("ready")
		if err != nil {
			err = wait()
		}
	}
	if err != nil || j.Problem() != nil || j.Close() != nil {
		return 1
	}
	return 0
}

type child struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stderr bytes.Buffer
}

// start runs a child and returns when it says that it is ready, or has ended.
func start(t *testing.T, role, dir string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0])}
	c.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir)
	c.Stderr = &c.stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdin = stdin
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	bufio.NewScanner(stdout).Scan()
	return c
}

func (c *child) kill(t *testing.T) {
	t.Helper()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("a killed child ended well")
	}
}

// end closes the input and wants an orderly exit.
func (c *child) end(t *testing.T) {
	t.Helper()
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the child ended with %v: %s", err, c.stderr.String())
	}
}

func recovered(t *testing.T, dir string) []crash.Report {
	t.Helper()
	list, err := crash.Open(dir, crash.Options{}).Recover()
	if err != nil {
		t.Fatalf("Recover: %v", err)
	}
	return list
}

func markers(t *testing.T, dir string) []string {
	t.Helper()
	return entries(t, filepath.Join(dir, "running"))
}

func TestKillDuringAnOperationIsReportedAtTheNextStart(t *testing.T) {
	_, dir := journal(t)
	c := start(t, "working", dir)
	if list := recovered(t, dir); len(list) != 0 {
		t.Fatalf("a living process was reported: %+v", list)
	}
	c.kill(t)
	list := recovered(t, dir)
	if len(list) != 1 {
		t.Fatalf("got %d reports", len(list))
	}
	r := list[0]
	if r.Kind != crash.KindKilled || r.Op != "memory_store" || r.Lobe != "api" || r.Phase != "running" || r.PID != c.Process.Pid ||
		r.Version != "child" || len(r.Also) != 1 || r.Also[0].Op != "memory_query" || r.Also[0].Lobe != "web" || len(r.Remedy) == 0 {
		t.Errorf("report is %+v", r)
	}
	if all := reports(t, crash.Open(dir, crash.Options{})); len(all) != 1 || all[0].ID != r.ID {
		t.Errorf("the journal holds %+v", all)
	}
	if list := recovered(t, dir); len(list) != 0 || len(markers(t, dir)) != 0 {
		t.Errorf("reported again: %+v, markers %v", list, markers(t, dir))
	}
}

func TestKillWhileIdleIsNotReported(t *testing.T) {
	_, dir := journal(t)
	c := start(t, "idle", dir)
	if len(markers(t, dir)) != 2 {
		t.Errorf("markers are %v, want a lock and a state", markers(t, dir))
	}
	c.kill(t)
	if list := recovered(t, dir); len(list) != 0 || len(markers(t, dir)) != 0 {
		t.Errorf("got %+v, markers %v", list, markers(t, dir))
	}
}

func TestOrderlyExitLeavesNothing(t *testing.T) {
	for _, role := range []string{"idle", "working"} {
		_, dir := journal(t)
		c := start(t, role, dir)
		c.end(t)
		if len(markers(t, dir)) != 0 || len(recovered(t, dir)) != 0 {
			t.Errorf("%s: markers are %v", role, markers(t, dir))
		}
	}
}

func TestProcessGoesOnAfterAPanicInACall(t *testing.T) {
	_, dir := journal(t)
	c := start(t, "panicking", dir)
	c.end(t)
	all := reports(t, crash.Open(dir, crash.Options{}))
	if len(all) != 1 || all[0].Kind != crash.KindPanic || all[0].PID != c.Process.Pid {
		t.Errorf("reports are %+v", all)
	}
}

func TestPanicInTheBackgroundIsReportedAndEndsTheProcess(t *testing.T) {
	_, dir := journal(t)
	c := start(t, "background", dir)
	err := c.Wait()
	if c.ProcessState.ExitCode() != 2 || !strings.Contains(c.stderr.String(), `background work "embed" panicked: runtime error: index out of range [0] with length 0`) {
		t.Errorf("the child ended with %v and said %q", err, c.stderr.String())
	}
	all := reports(t, crash.Open(dir, crash.Options{}))
	if len(all) != 1 || all[0].Kind != crash.KindBackground || all[0].Op != "embed" || all[0].Stack == "" {
		t.Errorf("reports are %+v", all)
	}
	if len(recovered(t, dir)) != 0 {
		t.Error("it was reported a second time")
	}
}

func TestTwoProcessesAtOnceAreToldApart(t *testing.T) {
	_, dir := journal(t)
	lives, dies := start(t, "working", dir), start(t, "working", dir)
	dies.kill(t)
	list := recovered(t, dir)
	if len(list) != 1 || list[0].PID != dies.Process.Pid {
		t.Errorf("reports are %+v, want one of process %d", list, dies.Process.Pid)
	}
	if len(markers(t, dir)) != 2 {
		t.Errorf("markers are %v, want those of the living", markers(t, dir))
	}
	lives.end(t)
	if list := recovered(t, dir); len(list) != 0 || len(markers(t, dir)) != 0 {
		t.Errorf("got %+v, markers %v", list, markers(t, dir))
	}
}

// TestMarkersComeAndGoUnharmed: whoever looks for the dead while others begin
// and end finds nobody.
func TestMarkersComeAndGoUnharmed(t *testing.T) {
	_, dir := journal(t)
	done := make(chan struct{})
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for range 60 {
				j := crash.Open(dir, crash.Options{})
				j.Begin()
				err := j.Guard(crash.Doing{Op: "store", Writes: true}, func() error { return nil })
				if err = errors.Join(err, j.Close(), j.Problem()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() {
		workers.Wait()
		close(done)
	}()
	for looking := true; looking; {
		select {
		case <-done:
			looking = false
		default:
		}
		if list := recovered(t, dir); len(list) != 0 {
			t.Fatalf("a living worker was reported: %+v", list)
		}
	}
	if names := markers(t, dir); len(names) != 0 {
		t.Errorf("markers are left: %v", names)
	}
}

func TestMarkerOfAnotherBootIsDropped(t *testing.T) {
	_, dir := journal(t)
	start(t, "working", dir).kill(t)
	changed := 0
	for _, name := range markers(t, dir) {
		if strings.HasSuffix(name, ".state") {
			changed++
			otherBoot(t, filepath.Join(dir, "running", name))
		}
	}
	if changed != 1 {
		t.Fatalf("%d states were changed", changed)
	}
	if list := recovered(t, dir); len(list) != 0 || len(markers(t, dir)) != 0 {
		t.Errorf("got %+v, markers %v", list, markers(t, dir))
	}
}

func otherBoot(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	state["boot"] = "1"
	if text, err = json.Marshal(state); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedMarkerIsNamedAndTakenAway(t *testing.T) {
	_, dir := journal(t)
	running := filepath.Join(dir, "running")
	if err := os.MkdirAll(running, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(running, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"1-a.lock": "", "1-a.state": "{\"pid\"", "2-b.lock": "", "3-c.lock": "", "3-c.state": "  ", "notes.txt": "mine"} {
		write(name, text)
	}
	// A lock without a state is left alone for a minute: its owner may be at it.
	if _, err := crash.Open(dir, crash.Options{}).Recover(); err == nil || len(markers(t, dir)) != 2 {
		t.Errorf("left are %v (%v), want the young lock and the notes", markers(t, dir), err)
	}
	write("1-a.lock", "")
	write("1-a.state", "{\"pid\"")
	later := func() time.Time { return time.Now().Add(2 * time.Minute) }
	list, err := crash.Open(dir, crash.Options{Now: later}).Recover()
	if len(list) != 0 || err == nil || !strings.Contains(err.Error(), filepath.Join(running, "1-a")) || strings.Contains(err.Error(), "3-c") {
		t.Errorf("got %+v, %v", list, err)
	}
	if names := markers(t, dir); len(names) != 1 || names[0] != "notes.txt" {
		t.Errorf("left are %v", names)
	}
}
