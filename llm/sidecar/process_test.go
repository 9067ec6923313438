//go:build unix

package sidecar_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"memory-mcp/llm/sidecar"
)

// TestMain plays the owner of a process when it is asked to.
func TestMain(m *testing.M) {
	if os.Getenv("SIDECAR_OWNER") != "" {
		own()
	}
	os.Exit(m.Run())
}

// own starts a process, tells its number, and waits to be killed.
func own() {
	p, err := sidecar.Start(sidecar.Command{Path: "/bin/sleep", Args: []string{"300"}})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.PID())
	select {}
}

func script(t *testing.T, text string, grace time.Duration) *sidecar.Process {
	t.Helper()
	p, err := sidecar.Start(sidecar.Command{
		Path: "/bin/sh", Args: []string{"-c", text}, Env: []string{"PATH=" + os.Getenv("PATH")}, Grace: grace,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// within waits for something to become true.
func within(t *testing.T, what string, true func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !true(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so after 10 s: %s", what)
		}
	}
}

// lives tells whether a process is there and not merely waiting to be buried.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

func TestProcessTellsHowItEnded(t *testing.T) {
	p := script(t, "echo one; echo two >&2; exit 3", 0)
	err := p.Wait(t.Context())
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "one\ntwo") {
		t.Errorf("Wait = %v", err)
	}
	if _, err := sidecar.Start(sidecar.Command{Path: "/no/such/program"}); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("Start of nothing = %v", err)
	}
}

func TestOnlyTheLastLinesAreKept(t *testing.T) {
	p := script(t, "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done", 0)
	if err := p.Wait(t.Context()); err == nil {
		t.Fatal("no error tells the end")
	}
	if got := p.Said(); got != "line 2995\nline 2996\nline 2997\nline 2998\nline 2999" {
		t.Errorf("kept %q", got)
	}
}

func TestStopEndsAllThatItStarted(t *testing.T) {
	for name, text := range map[string]string{
		"one that ends when asked":   `sleep 300 & echo $!; wait`,
		"one that will not hear":     `trap "" TERM; sleep 300 & echo $!; while :; do sleep 1; done`,
		"one whose child lives on":   `trap "exit 0" TERM; (trap "" TERM; exec sleep 300) & echo $!; while :; do sleep 1; done`,
		"one that has ended already": `sleep 300 & echo $!`,
	} {
		p := script(t, text, 100*time.Millisecond)
		within(t, "the child's number", func() bool { return p.Said() != "" })
		child, err := strconv.Atoi(strings.Fields(p.Said())[0])
		if err != nil {
			t.Fatal(err)
		}
		p.Stop()
		p.Stop()
		for _, pid := range []int{p.PID(), child} {
			within(t, fmt.Sprintf("%s: process %d is gone", name, pid), func() bool { return !lives(pid) })
		}
	}
}

func TestTooMuchMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is told on Linux only")
	}
	if testing.Short() {
		t.Skip("it takes the time between two looks")
	}
	t.Parallel()
	p, err := sidecar.Start(sidecar.Command{Path: "/bin/sleep", Args: []string{"300"}, MostMemory: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	if err := p.Wait(ctx); err == nil || !strings.Contains(err.Error(), "of memory") {
		t.Errorf("Wait = %v", err)
	}
}

// The owner is killed at a random moment: nothing of it is left.
func TestKilledOwnerLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with the one that started it")
	}
	for range 20 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "SIDECAR_OWNER=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		child, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("the owner says %q", line)
		}
		time.Sleep(rand.N(5 * time.Millisecond))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the owner ended by itself")
		}
		within(t, "the process is gone with its owner", func() bool { return !lives(child) })
	}
}
