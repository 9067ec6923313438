package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/bench"
)

func newBenchTime(e *env) *cobra.Command {
	var o bench.PastOptions
	var s scratch
	c := &cobra.Command{
		Use:   "time",
		Short: "Measure questions about the past",
		Long: `Measure how fast this build answers what was believed at a time, in a scratch
lobe of so many made-up entries, of which a tenth was revised and a fiftieth
taken back: each form of question once the lobe has answered before, the first
question about the past, and questions about the present with a history and
without one.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Now, o.Seed, o.Rest, o.Temp = e.Now, s.seed, s.rest, s.temp
			return runBenchTime(c.Context(), e, o, s)
		},
	}
	f := c.Flags()
	s.flags(c, []string{"1000", "10000", "100000"}, "of the entries, of what became of them, and of the questions")
	f.IntVar(&o.Asks, "queries", 200, "how many questions of each form to ask")
	f.IntVar(&o.Starts, "starts", 3, "how often to open the lobe anew")
	return c
}

func runBenchTime(ctx context.Context, e *env, o bench.PastOptions, s scratch) error {
	sizes, err := s.entries("time", 1)
	if err != nil {
		return err
	}
	results := []bench.PastResult{}
	for _, n := range sizes {
		r, err := bench.MeasurePast(ctx, o, n)
		if err != nil {
			return fmt.Errorf("measure with %d entries: %w", n, err)
		}
		results = append(results, r)
	}
	if s.json {
		return e.say(compact(results))
	}
	for _, r := range results {
		if err := e.say(pastTable(r).render(e.terminal)); err != nil {
			return err
		}
	}
	return nil
}

func pastTable(r bench.PastResult) *table {
	t := &table{head: []string{fmt.Sprintf("%d ENTRIES, %d STATES", r.Entries, r.Revisions), "P50", "P95", "BEST", "HITS"},
		right: map[int]bool{1: true, 2: true, 3: true, 4: true}}
	add := func(name string, m bench.Times, hits string) {
		ms := func(v float64) string { return fmt.Sprintf("%.2f ms", v) }
		t.add(name, ms(m.P50), ms(m.P95), ms(m.Best), hits)
	}
	for _, f := range r.Forms {
		add(f.Name, f.Times, fmt.Sprintf("%.1f", f.Hits))
	}
	add("the present, with history", r.Present, "")
	add("the present, without", r.PresentBare, "")
	add("from nothing, with history", r.Start, "")
	add("from nothing, without", r.StartBare, "")
	add("first question about the past", r.FirstAsOf, "")
	add("second one, about another time", r.SecondAsOf, "")
	return t
}
