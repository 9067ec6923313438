package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/bench"
)

func newBenchHook(e *env) *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use:   "hook",
		Short: "Measure what hooks cost",
		Long: `Measure how long a host waits for the hooks of a prompt and of a session's start,
as whole processes, in a scratch repository with so many made-up notes that a
server has used before. Beside each run the same program is asked for its
version, and git for the common directory.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runBenchHook(c.Context(), e, o) },
	}
	f := c.Flags()
	o.flags(c, []string{"100", "1000", "10000"}, "of the made-up notes and prompts")
	f.IntVar(&o.Starts, "runs", 50, "how often to start each")
	return c
}

func runBenchHook(ctx context.Context, e *env, o benchOptions) error {
	o.Executable, o.Now, o.Environment = e.Executable, e.Now, e.programsPaths()
	o.Seed, o.Rest, o.Temp = o.seed, o.rest, o.temp
	sizes, err := o.entries("hook", 0)
	if err != nil {
		return err
	}
	if o.Starts < 1 {
		return &UsageError{Command: Name + " bench hook", Err: fmt.Errorf("%d is no number of runs", o.Starts)}
	}
	results := []bench.HookResult{}
	for _, n := range sizes {
		r, err := bench.MeasureHooks(ctx, o.Options, n)
		if err != nil {
			return fmt.Errorf("measure hooks with %d entries: %w", n, err)
		}
		results = append(results, r)
	}
	if o.json {
		return e.say(compact(results))
	}
	t := &table{head: []string{"ENTRIES", "WHAT", "P50", "P95", "CPU P50", "CPU P95"}, right: map[int]bool{0: true, 2: true, 3: true, 4: true, 5: true}}
	ms := func(v float64) string { return fmt.Sprintf("%.1f ms", v) }
	var notes []string
	for _, r := range results {
		for _, row := range []struct {
			what string
			cost bench.Cost
		}{{"prompt hook", r.Prompt}, {"start hook", r.Start}, {"trivial prompt", r.Trivial}, {"version", r.Process}, {"git rev-parse", r.Git}} {
			t.add(strconv.Itoa(r.Entries), row.what, ms(row.cost.Wall.P50), ms(row.cost.Wall.P95), ms(row.cost.CPU.P50), ms(row.cost.CPU.P95))
		}
		notes = append(notes, fmt.Sprintf("%d entries: prompt hook %.1f times git; %d of %d prompts answered; snapshot %v; load %.1f on %d processors",
			r.Entries, float64(r.OverGit), r.Answered, r.Asked, r.Snapshot, r.Load, r.CPUs))
	}
	return e.say(t.render(e.terminal) + strings.Join(notes, "\n"))
}
