package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/benchrecall"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

type recallBench struct {
	sets    []string
	out     string
	json    bool
	boosts  bool
	half    string
	scratch string
	embed   bool
	model   lobes.Embedder // nil for words alone
}

func newBenchRecall(e *env) *cobra.Command {
	var o recallBench
	c := &cobra.Command{
		Use:   "recall DIR",
		Short: "Measure how well recall ranks, on sets of notes with known answers",
		Long: `Each folder below DIR with docs.jsonl and queries.jsonl is a set. Its notes become
entries of a scratch lobe, and each question is asked as an agent's task is. The
means are of nDCG@10 over all files of questions without misspellings. --embed
asks once by words alone and once by meaning too, with the embedding model of
the configuration.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return runBenchRecall(c.Context(), e, o, args[0]) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.sets, "set", nil, "only the sets of these names")
	f.StringVar(&o.out, "run", "", "write the answers to this folder, one file for each file of questions")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	f.BoolVar(&o.boosts, "boosts", false, "also weigh topic, trust, age, importance and use")
	f.BoolVar(&o.embed, "embed", false, "also with the configured embedding model")
	f.StringVar(&o.half, "half", "both", "which questions count: both, even or odd")
	return c
}

func runBenchRecall(ctx context.Context, e *env, o recallBench, folder string) (err error) {
	halves := map[string]benchrecall.Half{"both": benchrecall.Both, "even": benchrecall.Even, "odd": benchrecall.Odd}
	half, known := halves[o.half]
	if !known {
		return &UsageError{Command: Name + " bench recall", Err: fmt.Errorf("%q is no half of the questions: both, even, odd", o.half)}
	}
	sets, err := chosenSets(folder, o.sets)
	if err != nil {
		return err
	}
	o.scratch, err = os.MkdirTemp("", Name+"-bench-")
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, os.RemoveAll(o.scratch)) }()
	reports, err := o.reports(ctx, e, sets, half)
	if err != nil {
		return err
	}
	last := reports[len(reports)-1]
	if o.out != "" {
		if err := last.Report.WriteRuns(o.out); err != nil {
			return err
		}
	}
	if o.json {
		b, err := json.Marshal(jsonOf(reports))
		if err != nil {
			return err
		}
		return e.say(string(b))
	}
	return printReports(e, reports)
}

// A rankedReport is the report of one way to rank.
type rankedReport struct {
	By string `json:"ranked_by"`
	benchrecall.Report
	// Wordy counts the answers that went by words alone although there was a
	// model: it was too late, or had no vector for them.
	Wordy int `json:"by_words_alone"`
}

// jsonOf is the report alone where there is one, as without a model.
func jsonOf(reports []rankedReport) any {
	if len(reports) == 1 {
		return reports[0].Report
	}
	return reports
}

func printReports(e *env, reports []rankedReport) error {
	for _, r := range reports {
		if len(reports) > 1 {
			if err := e.sayf("ranked by %s:", r.By); err != nil {
				return err
			}
		}
		if err := r.Print(e.Stdout); err != nil {
			return err
		}
	}
	if len(reports) == 1 {
		return nil
	}
	words, both := reports[0], reports[1]
	return e.sayf("by meaning too: headline nDCG@10 %+.3f, recall@5 %+.3f; %d answers went by words alone",
		both.Headline-words.Headline, both.Recall5-words.Recall5, both.Wordy)
}

// reports asks by words alone and, where that is wanted, by meaning too.
func (o recallBench) reports(ctx context.Context, e *env, sets []benchrecall.Set, half benchrecall.Half) (all []rankedReport, err error) {
	one := func(by string) error {
		r := rankedReport{By: by}
		var err error
		r.Report, err = benchrecall.Run(sets, func(s benchrecall.Set) (benchrecall.Ranker, error) { return openRecall(ctx, e, o, s, &r.Wordy) }, half)
		all = append(all, r)
		return err
	}
	if err := one(lobes.RankedByWords); err != nil || !o.embed {
		return all, err
	}
	a := e.openFor(true, e.Dir)
	defer func() { err = firstOf(err, a.Close(ctx)) }()
	if o.model, err = a.Embedder(); err != nil {
		return nil, &HintedError{Err: err, Hint: Name + " models list", Code: ops.ExitNotFound}
	}
	running, stop := context.WithCancel(ctx)
	defer a.Lend(running)()
	defer stop()
	if err := one(lobes.RankedByBoth); err != nil {
		return nil, err
	}
	if both := all[len(all)-1]; both.Wordy >= asked(both.Report) {
		return nil, errors.New("the model answered no question")
	}
	return all, nil
}

// asked is how many questions were put, each once to its own notes.
func asked(r benchrecall.Report) (n int) {
	for _, c := range r.Columns {
		n += len(c.Questions)
	}
	return n
}

func chosenSets(folder string, names []string) ([]benchrecall.Set, error) {
	if len(names) == 0 {
		return benchrecall.LoadAll(folder)
	}
	var sets []benchrecall.Set
	for _, name := range names {
		s, err := benchrecall.Load(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// recallRanker answers from the notes of a set, each group of which is a lobe.
type recallRanker struct {
	ctx  context.Context
	set  *lobes.Set
	lobe map[string]string // by group
	note map[string]string // a note's own id, by lobe and id of the entry
	now  time.Time
	off  bool
	// wordy counts the answers by words alone although there is a model.
	wordy *int
}

// openRecall writes the notes of a set as entries of scratch lobes. They count
// as written by the person: none is held for how it speaks.
func openRecall(ctx context.Context, e *env, o recallBench, s benchrecall.Set, wordy *int) (benchrecall.Ranker, error) {
	r := &recallRanker{ctx: ctx, lobe: map[string]string{}, note: map[string]string{}, now: e.Now(), off: !o.boosts, wordy: wordy}
	var specs []lobes.Spec
	for i, n := range s.Notes {
		name, known := r.lobe[n.Group]
		if !known {
			name = fmt.Sprintf("%s-%d", s.Name, len(r.lobe))
			r.lobe[n.Group] = name
			specs = append(specs, lobes.Spec{Name: name, Dir: filepath.Join(o.scratch, name), Budget: -1, Plain: entry.User})
			if err := writeFile(filepath.Join(o.scratch, name, ".lobe"), []byte("memory-mcp lobe\nformat: 1\n")); err != nil {
				return nil, err
			}
		}
		m := noteEntry(n, i)
		r.note[name+" "+m.ID] = n.ID
		path := filepath.Join(o.scratch, name, m.Topic, m.ID+".md")
		if err := writeFile(path, m.Format()); err != nil {
			return nil, err
		}
	}
	options := lobes.Options{ReadOnly: o.model == nil, Watch: true}
	if o.model != nil {
		options.Embedder = o.model
	}
	r.set = lobes.NewSet(specs, options)
	for _, name := range r.lobe {
		if _, err := r.set.Recall(ctx, lobes.Target{Lobe: name}, lobes.Query{}); err != nil {
			return nil, err
		}
	}
	if o.model == nil {
		return r, nil
	}
	if err := r.set.Embed(ctx); err != nil {
		// A model may know nothing of a set's language: it is asked by words.
		_, err := fmt.Fprintf(e.Stderr, "%s: %s goes by words alone: %v\n", Name, s.Name, err)
		return r, err
	}
	return r, nil
}

// noteEntry maps a note to an entry's own fields: its session and place, or
// its path and the order there, are its source. Within a group the title is
// the one who spoke, which is the entry's subject.
func noteEntry(n benchrecall.Note, order int) entry.Entry {
	m := entry.Entry{
		ID: fmt.Sprintf("mem-%08x", order), Topic: "general", Title: oneLine(n.Title), Body: strings.Trim(n.Text, "\n"),
		Trust: entry.AgentInferred, Created: benchrecall.ParseDate(n.Date), Tags: n.Tags,
	}
	if n.Group != "" {
		m.Title, m.Subject = "", oneLine(n.Title)
	}
	switch {
	case n.Ctx != "":
		m.Sources = []string{fmt.Sprintf("session:%s#%d", n.Ctx, n.Seq)}
	case n.Path != "":
		m.Sources = []string{fmt.Sprintf("%s:%d", n.Path, order+1)}
	}
	return m
}

func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// recallDepth is how many answers count.
const recallDepth = 10

// Rank asks as memory_context does.
func (r *recallRanker) Rank(group, query string) (benchrecall.Answer, error) {
	name, known := r.lobe[group]
	if !known {
		return benchrecall.Answer{}, fmt.Errorf("no notes in group %q", group)
	}
	found, err := r.set.Recall(r.ctx, lobes.Target{Lobe: name}, lobes.Query{Text: query, Limit: recallDepth, NoBoosts: r.off, At: r.now})
	if err != nil {
		return benchrecall.Answer{}, err
	}
	if r.wordy != nil && found.RankedBy == lobes.RankedByWords {
		*r.wordy++
	}
	a := benchrecall.Answer{Gate: found.Gate.Open}
	for _, hit := range found.Results {
		a.IDs = append(a.IDs, r.note[name+" "+hit.Entry.ID])
	}
	return a, nil
}
