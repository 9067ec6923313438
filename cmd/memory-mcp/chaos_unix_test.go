//go:build unix

package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// chaos is a repository, a model that finds a memory in each sentence, and
// processes that are killed.
type chaos struct {
	t        *testing.T
	dir      string
	vars     []string
	random   *rand.Rand
	recorded []string // sentences whose recording was acknowledged
	maybe    []string // sentences whose recording was killed
	ended    int      // recorders that ended before they were killed
	running  sync.WaitGroup
}

func newChaos(t *testing.T, seed uint64, vars ...string) *chaos {
	c := &chaos{t: t, dir: repository(t), random: rand.New(rand.NewPCG(seed, 1))}
	c.vars = append(os.Environ(), append([]string{
		"MEMORY_MCP_HOME=" + filepath.Join(t.TempDir(), "memory"), "HOME=" + t.TempDir(),
	}, vars...)...)
	t.Cleanup(c.running.Wait)
	return c
}

func (c *chaos) command(args ...string) *exec.Cmd {
	cmd := exec.Command("memory-mcp", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.dir, c.vars, time.Second
	return cmd
}

// killed runs a command and kills it at a random moment, and tells whether it
// had ended well before.
func (c *chaos) killed(input string, within time.Duration, args ...string) bool {
	cmd := c.command(args...)
	cmd.Stdin = strings.NewReader(input)
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	after := time.AfterFunc(time.Duration(c.random.Int64N(int64(within))), func() { cmd.Process.Kill() })
	err := cmd.Wait()
	after.Stop()
	return err == nil
}

// record gives material of a few sentences; the recorder may be killed.
func (c *chaos) record(n int, within time.Duration) {
	var all []string
	for i := range 1 + c.random.IntN(3) {
		all = append(all, fmt.Sprintf("The listening port of service%04d is %d.", 10*n+i, 10000+10*n+i))
	}
	if c.killed(strings.Join(all, " "), within, "record") {
		c.recorded = append(c.recorded, all...)
		c.ended++
	} else {
		c.maybe = append(c.maybe, all...)
	}
}

// settle lets one worker live.
func (c *chaos) settle() {
	c.t.Helper()
	if out, err := c.command("work", "--once", "--retry").CombinedOutput(); err != nil {
		c.t.Fatalf("work: %v\n%s", err, out)
	}
}

// count gives how many entries hold each sentence.
func (c *chaos) count() map[string]int {
	c.t.Helper()
	found := map[string]int{}
	files, err := filepath.Glob(filepath.Join(c.dir, ".git", "memory", "*", "*.md"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			c.t.Fatal(err)
		}
		_, body, ok := strings.Cut(string(b), "\n\n")
		if !ok {
			c.t.Errorf("%s has no body:\n%s", file, b)
		}
		found[strings.TrimSpace(body)]++
	}
	return found
}

// check wants each acknowledged sentence to be one memory, each other one at
// most one, and nothing to be left.
func (c *chaos) check() {
	c.t.Helper()
	found := c.count()
	for _, s := range c.recorded {
		if found[s] != 1 {
			c.t.Errorf("%d memories say %q, which was recorded", found[s], s)
		}
		delete(found, s)
	}
	for _, s := range c.maybe {
		if found[s] > 1 {
			c.t.Errorf("%d memories say %q", found[s], s)
		}
		delete(found, s)
	}
	if len(found) > 0 {
		c.t.Errorf("nobody said %v", found)
	}
	for _, pattern := range []string{"item-*", "failed/item-*"} {
		left, err := filepath.Glob(filepath.Join(c.dir, ".git", "memory", ".inbox", pattern))
		if err != nil || len(left) > 0 {
			c.t.Errorf("left in the inbox: %q, %v", left, err)
		}
	}
	if len(c.recorded) == 0 || len(c.maybe) == 0 {
		c.t.Errorf("%d sentences were recorded and %d were not: nothing was tried out", len(c.recorded), len(c.maybe))
	}
}

// Recorders and workers are killed at random moments, again and again: nothing
// that was acknowledged is lost, and nothing is stored twice.
func TestKilledWorkersLoseNothing(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 20
	}
	c := newChaos(t, 7, "MEMORY_MCP_GENERATION_URL="+generatorOf(t), "MEMORY_MCP_GENERATION_MODEL=fake-1")
	c.command("record").Run() // the first start of the program reads it from the disk
	took := c.pace()
	ended := 0
	for n := range runs {
		c.record(n, 4*took)
		// Two workers at once: one has the lock, the other waits for it.
		c.running.Go(func() { c.command("work", "--once").Run() })
		if c.killed("", 5*took, "work", "--once", "--retry") {
			ended++
		}
	}
	c.running.Wait()
	c.settle()
	c.check()
	t.Logf("of %d workers %d ended before they were killed; %d sentences were recorded, %d perhaps; a command takes %v", runs, ended, len(c.recorded), len(c.maybe), took)
}

// pace is how long a command takes on this machine.
func (c *chaos) pace() time.Duration {
	began := time.Now()
	for range 3 {
		if err := c.command("version").Run(); err != nil {
			c.t.Fatal(err)
		}
	}
	return time.Since(began) / 3
}
