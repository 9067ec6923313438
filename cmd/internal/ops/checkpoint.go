package ops

import (
	"context"
	"strings"

	"memory-mcp/lobes"
)

type checkpointIn struct {
	TaskSummary string   `json:"taskSummary" free:"1" doc:"what was done, on one line: the title"`
	Problem     string   `json:"problem" free:"1" doc:"what was wrong or wanted"`
	Solution    string   `json:"solution" free:"1" doc:"what helped, and why"`
	Files       []string `json:"files" doc:"files that were changed or matter"`
	Concepts    []string `json:"concepts" doc:"what it is about, short words"`
	Content     string   `json:"content" free:"1" hide:"1"`
	Topic       string   `json:"topic" words:"topic" hide:"1"`
	Tags        []string `json:"tags" hide:"1"`
	Sources     []string `json:"sources" hide:"1"`
	Subject     string   `json:"subject" hide:"1"`
	Lobe        string   `json:"lobe" doc:"a lobe's name; default: the current project"`
	quiet
}

func checkpointOp() Op {
	return New(Op{
		Name: "memory_checkpoint", Title: "Keep what a task taught", Effect: Adds, bare: "taskSummary",
		Doc:    "Call when a task is done: keeps its problem and solution, so that a later session does not solve it again.",
		listed: []Profile{Full}, aliases: aliases(ofCheckpoint()),
		example: `memory_checkpoint(taskSummary: "uploads survive a restart", problem: "chunks were lost", solution: "they go through the queue")`,
	}, func(ctx context.Context, env *Env, in checkpointIn) (answer, error) {
		n := in.note()
		if n.Text == "" {
			return nil, &ArgumentError{Name: "taskSummary", Value: `""`, Want: "say in a line what was done, and give problem and solution"}
		}
		return remember(ctx, env, in.Lobe, []lobes.Note{n})
	})
}

// ofCheckpoint are other words for the parameters of a checkpoint.
func ofCheckpoint() map[string]string {
	return map[string]string{
		"title": "taskSummary", "summary": "taskSummary", "task": "taskSummary", "name": "taskSummary",
		"issue": "problem", "fix": "solution", "resolution": "solution", "file": "files", "paths": "files", "path": "files",
		"concept": "concepts", "keywords": "concepts", "tag": "tags", "source": "sources",
		"text": "content", "value": "content", "body": "content", "details": "content", "notes": "content",
	}
}

// note is the checkpoint as a memory: it holds for good, whatever branch it
// was made on, and is kept also when it tells of what was just done.
func (in checkpointIn) note() lobes.Note {
	n := lobes.Note{
		Topic: either(in.Topic, "general"), Title: in.TaskSummary, Text: in.Content, Kind: "checkpoint", Provenance: "checkpoint",
		Problem: in.Problem, Solution: in.Solution, Files: in.Files, Concepts: in.Concepts, Tags: in.Tags, Sources: in.Sources,
		Subject: in.Subject, StoreAnyway: true,
	}
	if n.Text == "" {
		n.Text = checkpointText(in)
	}
	return n
}

// checkpointText is what a person reads of a checkpoint that has no text of
// its own.
func checkpointText(in checkpointIn) string {
	var parts []string
	for _, p := range []struct{ label, text string }{{"Problem", in.Problem}, {"Solution", in.Solution}} {
		if text := strings.TrimSpace(p.text); text != "" {
			parts = append(parts, p.label+": "+text)
		}
	}
	if len(parts) == 0 {
		return in.TaskSummary
	}
	return strings.Join(parts, "\n\n")
}
