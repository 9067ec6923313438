package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"memory-mcp/llm/tiny"
)

// talking is chaos with a model that the program itself runs: a tiny one that
// says nothing of sense, in the form that it is asked for.
func talking(t *testing.T) (c *chaos, model string) {
	server := realServer(t)
	home := t.TempDir()
	model = filepath.Join(home, "talks.gguf")
	if err := os.WriteFile(model, tiny.Chat(), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(home, "memory-config.json")
	if err := os.WriteFile(config, fmt.Appendf(nil, `{"models": {"server": %q, "generation": %q}}`, server, model), 0o600); err != nil {
		t.Fatal(err)
	}
	return newChaos(t, 11, "MEMORY_MCP_HOME="+home), model
}

// serversOf are the processes that serve a model.
func serversOf(t *testing.T, model string) []int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, file := range lines {
		b, err := os.ReadFile(file)
		args := strings.Split(string(b), "\x00")
		if err != nil || !slices.Contains(args, model) || filepath.Base(args[0]) == "memory-mcp" {
			continue // gone by now, or another program
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			found = append(found, pid)
		}
	}
	return found
}

// gone waits until no process serves a model.
func gone(t *testing.T, model string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		left := serversOf(t, model)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			for _, pid := range left {
				syscall.Kill(pid, syscall.SIGKILL)
			}
			t.Fatalf("the processes %v serve the model %v after their owner went", left, patience)
		}
	}
}

// A model of this machine is started for the work and waited for. Its answers
// have the form that they must have; what the material does not bear out is
// dropped and counted.
func TestRealServerIsAskedByWorkers(t *testing.T) {
	c, model := talking(t)
	c.vars = append(c.vars, "MEMORY_MCP_DEBUG=1")
	record := c.command("record")
	record.Stdin = strings.NewReader("The listening port of the gateway is 8081 in cmd/server/main.go.")
	if out, err := record.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("1 text waits")) || bytes.Contains(out, []byte("It will wait")) {
		t.Fatalf("record: %v\n%s", err, out)
	}
	work := c.command("work", "--once", "--json")
	out, err := work.Output()
	var answer struct {
		Left, Failed int
		Items        []struct{ Dropped map[string]int }
	}
	// A model may talk on until its bound, and is given up then.
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || json.Unmarshal(out, &answer) != nil || answer.Left != 0 || len(answer.Items) != 1 {
		t.Errorf("work: %v\n%s", err, out)
	}
	t.Logf("%+v", answer)
	gone(t, model)
	if found := c.count(); len(found) != 0 {
		t.Errorf("a model that says nothing of sense made %v", found)
	}
}

// Workers and servers of models are killed at random moments: no process is
// left, and no material is lost.
func TestRealServersEndWithKilledOwners(t *testing.T) {
	c, model := talking(t)
	runs := 200
	if testing.Short() {
		runs = 8
	}
	took, ended := c.pace(), 0
	var seen atomic.Int64
	for n := range runs {
		c.record(n, 6*took)
		if n%3 == 0 {
			c.running.Go(func() {
				time.Sleep(time.Duration(n%7) * took)
				for _, pid := range serversOf(t, model) {
					seen.Add(1)
					syscall.Kill(pid, syscall.SIGKILL)
				}
			})
		}
		if c.killed("", 20*took, "work", "--once", "--retry") {
			ended++
		}
		c.running.Wait()
		gone(t, model)
	}
	kept := 0
	for _, pattern := range []string{".inbox/item-*", ".inbox/failed/item-*", ".records/*/*.md"} {
		left, err := filepath.Glob(filepath.Join(c.dir, ".git", "memory", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range left {
			if b, err := os.ReadFile(file); err != nil || !bytes.Contains(b, []byte("\nkind: failed\n")) {
				kept++
			}
		}
	}
	t.Logf("of %d workers %d ended before they were killed; %d recorders ended, %d items are kept", runs, ended, c.ended, kept)
	if seen.Load() == 0 && !testing.Short() {
		t.Error("no server ran when it was to be killed")
	}
	if kept < c.ended || c.ended == 0 || ended == runs {
		t.Errorf("%d recorders ended, and %d items are kept", c.ended, kept)
	}
	if found := c.count(); len(found) != 0 {
		t.Errorf("a model that says nothing of sense made %v", found)
	}
}
