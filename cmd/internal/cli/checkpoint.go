package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

type checkpointOptions struct {
	problem, solution, topic, subject, lobe string
	files, concepts, tags                   []string
	json                                    bool
}

func newCheckpoint(e *env) *cobra.Command {
	var o checkpointOptions
	c := &cobra.Command{
		Use:     "checkpoint SUMMARY...",
		Short:   "Keep what a finished task taught",
		GroupID: groupDaily,
		Long: `Keep what a finished task taught: what was done in a line, the problem, what
solved it, the files and the ideas. It holds for good, on every branch.`,
		Example: `  memory-mcp checkpoint "uploads survive a restart" --problem "chunks were lost" \
    --solution "they go through the queue" --file queue/q.go --concept retries`,
		RunE: func(c *cobra.Command, args []string) error { return runCheckpoint(c, e, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.problem, "problem", "", "what was wrong or wanted")
	f.StringVar(&o.solution, "solution", "", "what helped, and why")
	f.StringSliceVar(&o.files, "file", nil, "a file that was changed or matters; may be repeated")
	f.StringSliceVar(&o.concepts, "concept", nil, "what it is about; may be repeated")
	f.StringSliceVar(&o.tags, "tag", nil, "a tag; may be repeated")
	f.StringVar(&o.topic, "topic", "", "another topic than general")
	f.StringVar(&o.subject, "subject", "", "whom or what it is about")
	f.StringVar(&o.lobe, "lobe", "", "the lobe to store into; the current project's when absent")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}

func runCheckpoint(c *cobra.Command, e *env, o checkpointOptions, args []string) error {
	summary := strings.TrimSpace(strings.Join(args, " "))
	if summary == "" && o.problem == "" && o.solution == "" {
		return within(c, &UsageError{Err: errors.New("the summary is missing"), Hint: "usage: " + c.UseLine()})
	}
	a := map[string]any{}
	for name, value := range map[string]string{
		"taskSummary": summary, "problem": o.problem, "solution": o.solution, "topic": o.topic, "subject": o.subject, "lobe": o.lobe,
	} {
		set(a, name, value)
	}
	setList(a, "files", o.files)
	setList(a, "concepts", o.concepts)
	setList(a, "tags", o.tags)
	return e.run(c.Context(), request{op: "memory_checkpoint", args: a, json: o.json, pretty: e.showStored})
}
