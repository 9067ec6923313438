package benchrecall

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Print writes the report as a table.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %6s %6s %6s %6s %6s %7s %7s %8s\n",
		"set", "asked", "R@5", "R@10", "MRR@10", "nDCG", "served", "false", "µs/query")
	for _, c := range r.Columns {
		fmt.Fprintf(&b, "%-12s %6d %6.3f %6.3f %6.3f %6.3f %7s %7s %8.0f\n", c.Name(), c.Metrics.Questions,
			c.Metrics.Recall5, c.Metrics.Recall10, c.Metrics.MRR10, c.Metrics.NDCG10,
			share(c.Silence.Served, c.Silence.Found), share(c.Silence.False, c.Silence.Foreign), c.Micros)
	}
	fmt.Fprintf(&b, "headline nDCG@10 %.3f, recall@5 %.3f, loss under one misspelling %.3f\n", r.Headline, r.Recall5, r.TypoLoss)
	fmt.Fprintf(&b, "silence: %.1f %% of the findable served, %.1f %% false\n", 100*r.Served, 100*r.False)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	return nil
}

func share(part, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(part)/float64(of))
}

// WriteRuns writes what was answered, one file a column, one line a question.
func (r Report) WriteRuns(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write runs: %w", err)
	}
	for _, c := range r.Columns {
		path := filepath.Join(folder, strings.ReplaceAll(c.Name(), " ", "_")+".jsonl")
		if err := c.writeRun(path); err != nil {
			return err
		}
	}
	return nil
}

func (c Column) writeRun(path string) error {
	var b strings.Builder
	lines := json.NewEncoder(&b)
	for _, q := range c.Questions {
		ids := c.Answers[q.ID]
		if ids == nil {
			ids = []string{}
		}
		line := struct {
			ID  string   `json:"qid"`
			IDs []string `json:"ids"`
		}{q.ID, ids}
		if err := lines.Encode(line); err != nil {
			return fmt.Errorf("write run %q: %w", path, err)
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	return nil
}
