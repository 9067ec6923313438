package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/bench"
)

type benchOptions struct {
	bench.Options
	scratch
}

func newBench(e *env) *cobra.Command {
	c := &cobra.Command{Use: "bench", Short: "Measure this build", Hidden: true, Args: noArguments, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(newBenchSpeed(e), newBenchRecall(e), newBenchWrite(e), newBenchHook(e), newBenchTime(e))
	return c
}

func newBenchSpeed(e *env) *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use:   "speed",
		Short: "Measure start, store and query",
		Long: `Measure how fast this build is, in a scratch repository with so many made-up
notes: as a client over the protocol sees it, and the lobe by itself. Times are
medians and 95th percentiles. A store stands beside the least that a durable
file costs in the same run.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runBench(c.Context(), e, o) },
	}
	f := c.Flags()
	o.flags(c, []string{"1000", "10000", "100000"}, "of the made-up notes")
	f.IntVar(&o.Stores, "stores", 50, "how many notes to store")
	f.IntVar(&o.Asks, "queries", 200, "how many questions of each kind to ask")
	f.IntVar(&o.Starts, "starts", 5, "how many processes to start, with a snapshot and without")
	f.DurationVar(&o.Writing, "writing", 5*time.Second, "how long to ask beside a process that writes; 0s leaves it out")
	f.IntVar(&o.PerSecond, "per-second", 1000, "how many entries that process writes")
	return c
}

func newBenchWrite(e *env) *cobra.Command {
	var seed uint64
	var perSecond int
	var last time.Duration
	c := &cobra.Command{
		Use:    "write DIR",
		Short:  "Write entries into a folder, so many a second",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if perSecond < 1 {
				return &UsageError{Command: Name + " bench write", Err: fmt.Errorf("%d entries a second are none", perSecond)}
			}
			n, err := bench.Write(c.Context(), args[0], seed, perSecond, last)
			if err != nil {
				return err
			}
			return e.say(strconv.Itoa(n) + "\n")
		},
	}
	f := c.Flags()
	f.Uint64Var(&seed, "seed", 1, "of the made-up notes; another one gives other ids")
	f.IntVar(&perSecond, "per-second", 1000, "how many")
	f.DurationVar(&last, "for", 5*time.Second, "how long")
	return c
}

func runBench(ctx context.Context, e *env, o benchOptions) error {
	o.Executable, o.Now, o.Environment = e.Executable, e.Now, e.programsPaths()
	o.Seed, o.Rest, o.Temp = o.seed, o.rest, o.temp
	sizes, err := o.entries("speed", 0)
	if err != nil {
		return err
	}
	if o.Stores < 1 || o.Asks < 1 || o.Starts < 1 || o.PerSecond < 1 {
		return &UsageError{Command: Name + " bench speed", Err: fmt.Errorf("stores, queries, starts and per-second are at least 1")}
	}
	var results []bench.Result
	for _, n := range sizes {
		r, err := bench.Measure(ctx, o.Options, n)
		if err != nil {
			return fmt.Errorf("measure with %d entries: %w", n, err)
		}
		results = append(results, r)
	}
	if o.json {
		return e.say(compact(results))
	}
	return e.say(speedTable(results).render(e.terminal))
}

// speedTable has a row for each act and a column for each size.
func speedTable(results []bench.Result) *table {
	t := &table{head: []string{"ACT"}, right: map[int]bool{}}
	for i, r := range results {
		t.head, t.right[i+1] = append(t.head, strconv.Itoa(r.Entries)), true
	}
	for _, row := range speedRows() {
		cells := []string{row.act}
		for _, r := range results {
			cells = append(cells, row.cell(r))
		}
		t.add(cells...)
	}
	return t
}

// A speedRow is one line of the table.
type speedRow struct {
	act  string
	cell func(bench.Result) string
}

func speedRows() []speedRow {
	start := func(t bench.Times) string { return fmt.Sprintf("%.1f (best %.1f) ms", t.P50, t.Best) }
	spread := func(t bench.Times) string {
		if t == (bench.Times{}) {
			return "-"
		}
		return fmt.Sprintf("%.2f / %.2f ms", t.P50, t.P95)
	}
	times := func(r float64) string { return fmt.Sprintf("%.1f ×", r) }
	memory := func(m bench.MiB) string { return fmt.Sprintf("%.1f MiB", m) }
	return []speedRow{
		{"load of the machine before", func(r bench.Result) string { return fmt.Sprintf("%.1f on %d processors", r.Load, r.CPUs) }},
		{"process alone (version)", func(r bench.Result) string { return start(r.Process) }},
		{"start to handshake", func(r bench.Result) string { return start(r.Handshake) }},
		{"start to first answer, snapshot", func(r bench.Result) string {
			if r.First == nil {
				return "no snapshot"
			}
			return start(*r.First)
		}},
		{"start to first answer, all files", func(r bench.Result) string { return start(r.FirstAnew) }},
		{"memory_query over MCP", func(r bench.Result) string { return spread(r.Query) }},
		{"memory_context over MCP", func(r bench.Result) string { return spread(r.Context) }},
		{"context in process", func(r bench.Result) string { return spread(r.InProcess) }},
		{"context in process, a scan each", func(r bench.Result) string { return spread(r.Scanning) }},
		{"bare create, sync, rename, sync", func(r bench.Result) string { return spread(r.Bare) }},
		{"store over MCP", func(r bench.Result) string { return spread(r.Store) }},
		{"store over MCP, times the bare one", func(r bench.Result) string { return times(r.Ratio.MCP) }},
		{"store in process", func(r bench.Result) string { return spread(r.StoreIn) }},
		{"store in process, times the bare one", func(r bench.Result) string { return times(r.Ratio.InProcess) }},
		{"memory held after questions", func(r bench.Result) string { return memory(r.Resident) }},
		{"most memory", func(r bench.Result) string { return memory(r.Peak) }},
		{"context over MCP beside a writer", func(r bench.Result) string { return spread(r.Beside) }},
		{"context in process beside a writer", func(r bench.Result) string { return spread(r.BesideIn) }},
		{"entries written a second beside it", func(r bench.Result) string { return strconv.Itoa(r.PerSecond) }},
	}
}
