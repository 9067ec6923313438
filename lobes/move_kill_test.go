//go:build linux

package lobes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// TestMain lets the test binary play the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LOBES_TEST_MOVER"); dir != "" {
		if err := moveOnce(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const movedID = "mem-0000aaaa"

// twoLobes are the lobes app and lib below a folder. What is moved to lib says
// where it came from when lib is global.
func twoLobes(dir string, global bool) *lobes.Set {
	var specs []lobes.Spec
	for _, name := range []string{"app", "lib"} {
		specs = append(specs, lobes.Spec{Name: name, Dir: filepath.Join(dir, name), Budget: -1, Global: global && name == "lib"})
	}
	return lobes.NewSet(specs, lobes.Options{})
}

// moving is the move that is killed, and made again.
func moving(dir string) (*lobes.Set, lobes.Correction) {
	c := lobes.Correction{ID: movedID, Action: "move", ToLobe: "lib"}
	if strings.HasSuffix(dir, "topic") {
		c.ToTopic = "gotchas"
	}
	return twoLobes(dir, strings.HasSuffix(dir, "global")), c
}

// moveOnce moves the entry, and says so when it is acknowledged. It stays on one
// thread, whose system calls are counted.
func moveOnce(dir string) error {
	runtime.LockOSThread()
	set, c := moving(dir)
	if _, err := set.Correct(context.Background(), agent, lobes.Target{Lobe: "app"}, c); err != nil {
		return err
	}
	fmt.Println("moved")
	return set.Close(context.Background())
}

// TestAMoveBetweenLobesSurvivesAKill kills a process at each rename, sync and
// removal that moving an entry makes, in turn. The entry is then in one lobe or
// in both, whole, and moving it again completes what was begun.
func TestAMoveBetweenLobesSurvivesAKill(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("strace is not installed")
		}
		t.Skip("needs strace, which kills at a given system call")
	}
	for _, kind := range []string{"as it is", "to another topic", "to global"} {
		t.Run(kind, func(t *testing.T) {
			kills, both := 0, 0
			for _, call := range []string{"renameat", "renameat2", "fsync", "unlinkat"} {
				for n := 1; n <= 40; n++ {
					dir := filepath.Join(t.TempDir(), kind)
					before := fillApp(t, dir)
					killed := killMove(t, strace, call, n, dir)
					if killed.in == 2 {
						both++
					}
					complete(t, dir, before)
					if t.Failed() {
						t.Fatalf("killed at %s number %d: %+v", call, n, killed)
					}
					if !killed.dead {
						break
					}
					kills++
				}
			}
			if kills < 10 || both == 0 {
				t.Errorf("%d kills, %d of them between the two writes", kills, both)
			}
			t.Logf("%d kills, %d of them between the two writes", kills, both)
		})
	}
}

// fillApp writes an entry with a history, and gives when it was what it is now.
func fillApp(t *testing.T, dir string) time.Time {
	t.Helper()
	write(t, filepath.Join(dir, "app", "general", movedID+".md"), "---\nid: "+movedID+"\ntopic: general\ncreated: 2026-01-01T00:00:00Z\nmine: stays\n---\n# Port\n\nIt listens on 8080.\n")
	write(t, filepath.Join(dir, "app", ".lobe"), "memory-mcp lobe\nformat: 1\n")
	set := twoLobes(dir, false)
	app := lobes.Target{Lobe: "app"}
	if _, err := set.Correct(context.Background(), agent, app, lobes.Correction{ID: movedID, Action: "replace", Text: "It listens on 8081."}); err != nil {
		t.Fatal(err)
	}
	if err := set.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	time.Sleep(2 * time.Millisecond) // what comes next is later
	return now
}

// A death is what a kill came to.
type death struct {
	dead bool // it was killed
	said bool // the move was acknowledged
	in   int  // in how many lobes the entry is
}

// killMove moves in a process that dies at a system call, and looks at what is
// left.
func killMove(t *testing.T, strace, call string, n int, dir string) death {
	t.Helper()
	child := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), os.Args[0])
	child.Env = append(os.Environ(), "LOBES_TEST_MOVER="+dir)
	var out, stderr strings.Builder
	child.Stdout, child.Stderr = &out, &stderr
	err := child.Run()
	if err != nil && child.ProcessState.ExitCode() != -1 && child.ProcessState.ExitCode() != 137 {
		t.Fatalf("strace: %v %s", err, stderr.String())
	}
	d := death{dead: err != nil, said: strings.Contains(out.String(), "moved")}
	set, _ := moving(dir)
	for _, name := range []string{"app", "lib"} {
		a, err := set.Recall(context.Background(), lobes.Target{Lobe: name}, lobes.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Results {
			if d.in++; r.Entry.ID != movedID || r.Entry.Body != "It listens on 8081." || !strings.Contains(string(readAll(t, r.Path)), "mine: stays") {
				t.Errorf("%s has %+v", name, r.Entry)
			}
			if d.said && name == "app" {
				t.Error("it was moved, and is still there")
			}
		}
	}
	if d.in == 0 {
		t.Error("the entry is nowhere")
	}
	if err := set.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return d
}

func readAll(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// complete moves again what is not moved, and then the entry is in one lobe,
// with its whole history, and the other one says where it went.
func complete(t *testing.T, dir string, before time.Time) {
	t.Helper()
	set, c := moving(dir)
	app, lib := lobes.Target{Lobe: "app"}, lobes.Target{Lobe: "lib"}
	_, err := set.Correct(context.Background(), agent, app, c)
	var moved *lobes.MovedError
	var unknown *lobes.UnknownIDError
	if errors.As(err, &unknown) && slices.Equal(unknown.Elsewhere, []string{"lib"}) {
		// It is gone here, and where it went is only written down by the next write.
		if _, err := set.Remember(context.Background(), agent, app, []lobes.Note{{Topic: "general", Title: "Other", Text: "Another memory.", StoreAnyway: true}}); err != nil {
			t.Fatal(err)
		}
		err = nil
	}
	if err != nil && !errors.As(err, &moved) {
		t.Fatalf("move again: %v", err)
	}
	_, err = set.Correct(context.Background(), agent, app, c)
	if !errors.As(err, &moved) || moved.To != "lib" {
		t.Errorf("where it was: %v", err)
	}
	a, err := set.Recall(context.Background(), lib, lobes.Query{})
	if err != nil || len(a.Results) != 1 || a.Results[0].Entry.Body != "It listens on 8081." {
		t.Fatalf("where it went: %+v, %v", a.Results, err)
	}
	if e := a.Results[0].Entry; c.ToTopic != "" && e.Topic != c.ToTopic || (e.Origin != "") != strings.HasSuffix(dir, "global") {
		t.Errorf("where it went it is %+v", e)
	}
	was, err := set.Recall(context.Background(), app, lobes.Query{AsOf: before})
	if err != nil || len(was.Results) != 1 || was.Results[0].Entry.Topic != "general" {
		t.Errorf("before the move: %+v, %v", was.Results, err)
	}
	for target, want := range map[string]string{"app": "adopt replace move", "lib": "adopt replace move move"} {
		chain, err := set.Why(context.Background(), lobes.Target{Lobe: target}, movedID)
		var ops []string
		for _, x := range chain.Changes {
			ops = append(ops, x.Op)
		}
		if got := strings.Join(ops, " "); err != nil || got != want && !(target == "lib" && got == "adopt replace move") {
			t.Errorf("%s tells %q (%v), want %q", target, got, err, want)
		}
	}
	r, err := set.Correct(context.Background(), agent, lib, lobes.Correction{ID: movedID, Action: "undo"})
	if err != nil || r.Lobe != "app" || r.Topic != "general" {
		t.Errorf("undone: %+v, %v", r, err)
	}
	if err := set.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}
