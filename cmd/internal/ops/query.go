package ops

import (
	"context"
	"math"

	"memory-mcp/lobes"
)

type contextIn struct {
	Context    string  `json:"context" free:"1" doc:"the task or question, in plain words; empty for the session briefing"`
	Lobe       string  `json:"lobe" words:"lobes" doc:"a lobe's name, or * for all; default: the current project"`
	MaxResults int     `json:"maxResults" doc:"default 10, at most 50"`
	MinMatch   float64 `json:"minMatch" doc:"0..1, drops weaker hits (0.2)"`
	Detail     string  `json:"detail" enum:"brief|standard|full" words:"detail"`
	Branch     string  `json:"branch" words:"wild" hide:"1"`
	Scope      string  `json:"scope" words:"wild" hide:"1"`
	Kind       string  `json:"kind" hide:"1"`
	Subject    string  `json:"subject" hide:"1"`
	First      bool    `json:"isFirstMemoryToolCall" hide:"1"`
	common
}

// defaultMatch is the share of a task's words below which a hit is too weak
// to be shown.
const defaultMatch = 0.2

func contextOp() Op {
	return New(Op{
		Name: "memory_context", Title: "Recall for a task", Effect: Reads, Idempotent: true, bare: "context",
		Doc: "Call at the start of every session without arguments, and before each task with context: what the task is about. " +
			"Without arguments it gives the briefing: who the user is, preferences, gotchas, what is stale. With context it ranks all memories for the task.",
		listed: []Profile{Default, Full}, aliases: aliases(ofSearch, ofContext),
		example: `memory_context(context: "add retry to the upload client")`,
	}, func(ctx context.Context, env *Env, in contextIn) (answer, error) {
		if in.Context == "" {
			return brief(ctx, env, in.Lobe, in.Detail)
		}
		return recallTask(ctx, env, in)
	})
}

func recallTask(ctx context.Context, env *Env, in contextIn) (answer, error) {
	match := in.MinMatch
	if match <= 0 || math.IsNaN(match) {
		match = defaultMatch
	}
	return recall(ctx, env, in.Lobe, lobes.Query{
		Text: in.Context, Limit: limit(in.MaxResults), MinMatch: min(match, 1), Branch: in.Branch,
		Scope: in.Scope, Kind: in.Kind, Subject: in.Subject, Always: true,
	}, either(in.Detail, detailStandard))
}

func limit(n int) int {
	if n <= 0 {
		return lobes.DefaultLimit
	}
	return min(n, lobes.MaxLimit)
}

type queryIn struct {
	Filter     string   `json:"filter" free:"1" doc:"a b = both, a|b = either, -a = without, #tag, =exact, \"a phrase\""`
	Scope      string   `json:"scope" words:"wild" doc:"a topic, a prefix such as modules, or * (default)"`
	ID         []string `json:"id" one:"1" doc:"ids, with commas: gives their full texts"`
	Lobe       string   `json:"lobe" words:"lobes"`
	Detail     string   `json:"detail" enum:"brief|standard|full" words:"detail"`
	Branch     string   `json:"branch" words:"wild" doc:"of recent work; * for all"`
	Kind       string   `json:"kind"`
	Status     string   `json:"status" words:"wild" hide:"1"`
	Subject    string   `json:"subject" hide:"1"`
	MaxResults int      `json:"maxResults"`
	Offset     int      `json:"offset"`
	MinMatch   float64  `json:"minMatch" hide:"1"`
	First      bool     `json:"isFirstMemoryToolCall" hide:"1"`
	common
}

func queryOp() Op {
	return New(Op{
		Name: "memory_query", Title: "Search memories", Effect: Reads, Idempotent: true, bare: "filter",
		Doc:    "Call to look something up by exact words, topic or tag, or to read a memory in full by its id.",
		listed: []Profile{Default, Full}, aliases: aliases(ofSearch, ofQuery),
		example: `memory_query(filter: "reducer sealed|swift -deprecated", scope: "conventions")`,
	}, func(ctx context.Context, env *Env, in queryIn) (answer, error) {
		detail := either(in.Detail, detailBrief)
		if len(in.ID) > 0 && in.Detail == "" {
			detail = detailFull
		}
		if len(in.ID) > 0 && in.MaxResults <= 0 {
			in.MaxResults = lobes.MaxLimit
		}
		return recall(ctx, env, in.Lobe, lobes.Query{
			Filter: in.Filter, IDs: in.ID, Scope: topicWord(in.Scope), Branch: in.Branch, Kind: in.Kind,
			Status: in.Status, Subject: in.Subject, Limit: limit(in.MaxResults), Offset: max(in.Offset, 0),
			MinMatch: min(max(in.MinMatch, 0), 1),
		}, detail)
	})
}
