package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

type benchOptions struct {
	sizes        []string
	stores, asks int
	seed         uint64
	rest         time.Duration
	json         bool
}

func newBench(e *env) *cobra.Command {
	c := &cobra.Command{Use: "bench", Short: "Measure this build", Hidden: true, Args: noArguments, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(newBenchSpeed(e), newBenchRecall(e))
	return c
}

func newBenchSpeed(e *env) *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use:   "speed",
		Short: "Measure start, store and query",
		Long: `Measure how fast this build is, as a client over the protocol sees it: a
server is started in a scratch repository with so many made-up notes, and asked.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runBench(c.Context(), e, o) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.sizes, "entries", []string{"100", "1000", "10000"}, "how many notes; several with commas")
	f.IntVar(&o.stores, "stores", 50, "how many notes to store")
	f.IntVar(&o.asks, "queries", 200, "how many questions of each kind to ask")
	f.Uint64Var(&o.seed, "seed", 1, "of the made-up notes")
	f.DurationVar(&o.rest, "rest", 3*time.Second, "let the files rest before they are read, as those of yesterday have")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}

// benchResult is what was measured at one size. Times are milliseconds.
type benchResult struct {
	Entries     int       `json:"entries"`
	FirstAnswer float64   `json:"first_answer_ms"`
	Store       quantiles `json:"store_ms"`
	Query       quantiles `json:"query_ms"`
	Context     quantiles `json:"context_ms"`
	MemoryMiB   float64   `json:"memory_mib"` // the most that the server held; 0 where the system does not tell
}

type quantiles struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

func quantilesOf(all []time.Duration) quantiles {
	if len(all) == 0 {
		return quantiles{}
	}
	slices.Sort(all)
	at := func(share float64) float64 {
		return milliseconds(all[min(len(all)-1, int(share*float64(len(all))))])
	}
	return quantiles{at(0.5), at(0.95)}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func runBench(ctx context.Context, e *env, o benchOptions) error {
	var results []benchResult
	for _, size := range o.sizes {
		n, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil || n < 0 {
			return &UsageError{Command: Name + " bench speed", Err: fmt.Errorf("%q is no number of entries", size)}
		}
		r, err := e.benchSize(ctx, o, n)
		if err != nil {
			return fmt.Errorf("measure with %d entries: %w", n, err)
		}
		results = append(results, r)
	}
	if o.json {
		return e.say(compact(results))
	}
	t := &table{head: []string{"ENTRIES", "FIRST ANSWER", "STORE P50", "P95", "QUERY P50", "P95", "CONTEXT P50", "P95", "MEMORY"},
		right: map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true}}
	ms := func(v float64) string { return fmt.Sprintf("%.2f ms", v) }
	for _, r := range results {
		t.add(strconv.Itoa(r.Entries), ms(r.FirstAnswer), ms(r.Store.P50), ms(r.Store.P95), ms(r.Query.P50), ms(r.Query.P95),
			ms(r.Context.P50), ms(r.Context.P95), fmt.Sprintf("%.1f MiB", r.MemoryMiB))
	}
	return e.say(t.render(e.terminal))
}

func (e *env) benchSize(ctx context.Context, o benchOptions, n int) (r benchResult, err error) {
	dir, err := os.MkdirTemp("", Name+"-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = firstOf(err, os.RemoveAll(dir)) }()
	scratch, err := newScratch(dir, n, o.seed)
	if err != nil {
		return r, err
	}
	r.Entries = n
	select {
	case <-ctx.Done():
		return r, ctx.Err()
	case <-time.After(o.rest):
	}
	began := e.Now()
	s, err := startServer(ctx, e, scratch)
	if err != nil {
		return r, err
	}
	if err := s.greet(); err != nil {
		return r, firstOf(err, s.stop())
	}
	if _, err := s.call("memory_query", map[string]any{"filter": "upload"}); err != nil {
		return r, firstOf(err, s.stop())
	}
	r.FirstAnswer = milliseconds(e.Now().Sub(began))
	if err := s.measure(e, o, scratch, &r); err != nil {
		return r, firstOf(err, s.stop())
	}
	if err := s.stop(); err != nil {
		return r, err
	}
	r.MemoryMiB = float64(peakMemory(s.cmd.ProcessState)) / (1 << 20)
	return r, nil
}

// measure asks and stores. Each kind is asked a few times first, so that what
// is made at the first call does not count.
func (s *served) measure(e *env, o benchOptions, scratch *scratch, r *benchResult) error {
	const warm = 3
	kinds := []struct {
		tool  string
		times int
		args  func() map[string]any
		into  *quantiles
	}{
		{"memory_query", o.asks, func() map[string]any { return map[string]any{"filter": scratch.notes.Question()} }, &r.Query},
		{"memory_context", o.asks, func() map[string]any { return map[string]any{"context": scratch.notes.Question()} }, &r.Context},
		{"memory_store", o.stores, scratch.note, &r.Store},
	}
	for _, k := range kinds {
		var took []time.Duration
		for i := range k.times + warm {
			args := k.args()
			began := e.Now()
			if _, err := s.call(k.tool, args); err != nil {
				return err
			}
			if i >= warm {
				took = append(took, e.Now().Sub(began))
			}
		}
		*k.into = quantilesOf(took)
	}
	return nil
}
