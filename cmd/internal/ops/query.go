package ops

import (
	"context"

	"memory-mcp/lobes"
)

type contextIn struct {
	Context    string  `json:"context" free:"1" doc:"the task, in plain words"`
	Lobe       string  `json:"lobe" words:"lobes" doc:"a name, or * for all; default: this project"`
	MaxResults int     `json:"maxResults" doc:"10"`
	MinMatch   float64 `json:"minMatch" hide:"1" doc:"0..1, drops weaker hits"`
	Detail     string  `json:"detail" enum:"brief|standard|full" words:"detail"`
	Depth      int     `json:"depth" doc:"3 adds what hangs together"`
	Boosts     string  `json:"boosts" enum:"on|off" hide:"1" doc:"off ranks by relevance alone"`
	Branch     string  `json:"branch" words:"wild" hide:"1"`
	Scope      string  `json:"scope" words:"wild" hide:"1"`
	Kind       string  `json:"kind" hide:"1"`
	Subject    string  `json:"subject" hide:"1"`
	AsOf       string  `json:"asOf" hide:"1" doc:"what was believed at that time"`
	ValidAt    string  `json:"validAt" hide:"1" doc:"what held in the world at that time"`
	First      bool    `json:"isFirstMemoryToolCall" hide:"1"`
	common
}

// depthDetail is the length of texts that a depth stands for, unless the
// caller named one.
func depthDetail(detail string, depth int, otherwise string) string {
	switch {
	case detail != "" || depth <= 0:
		return either(detail, otherwise)
	case depth == 1:
		return detailBrief
	}
	return detailFull
}

func contextOp() Op {
	return New(Op{
		Name: "memory_context", Title: "Recall for a task", Effect: Reads, Idempotent: true, bare: "context",
		Doc: "Call at the start of every session without arguments, and before each task with context: what it is about. " +
			"Without arguments: the briefing (user, preferences, gotchas, what is stale).",
		listed: []Profile{Default, Full}, aliases: aliases(ofSearch, ofContext, ofTime),
		example: `memory_context(context: "add retry to the upload client")`,
	}, func(ctx context.Context, env *Env, in contextIn) (answer, error) {
		if in.Context == "" && in.AsOf == "" && in.ValidAt == "" {
			return brief(ctx, env, in.Lobe, in.Detail)
		}
		return recallTask(ctx, env, in)
	})
}

func recallTask(ctx context.Context, env *Env, in contextIn) (answer, error) {
	return recallThen(ctx, env, in.Lobe, lobes.Query{
		Text: in.Context, Limit: limit(in.MaxResults), MinMatch: min(max(in.MinMatch, 0), 1), Branch: in.Branch,
		Scope: in.Scope, Kind: in.Kind, Subject: in.Subject, Always: true,
		Depth: in.Depth, NoBoosts: in.Boosts == "off",
	}, depthDetail(in.Detail, in.Depth, detailStandard), moments{in.AsOf, in.ValidAt, ""})
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
	Depth      int      `json:"depth" hide:"1" doc:"1 to 3, as in memory_context"`
	Boosts     string   `json:"boosts" enum:"on|off" hide:"1" doc:"off ranks by relevance alone"`
	Branch     string   `json:"branch" words:"wild" hide:"1"`
	Kind       string   `json:"kind"`
	Status     string   `json:"status" words:"wild" hide:"1"`
	Subject    string   `json:"subject" hide:"1"`
	MaxResults int      `json:"maxResults"`
	Offset     int      `json:"offset"`
	MinMatch   float64  `json:"minMatch" hide:"1"`
	AsOf       string   `json:"asOf" doc:"what was believed then"`
	ValidAt    string   `json:"validAt"`
	First      bool     `json:"isFirstMemoryToolCall" hide:"1"`
	common
}

func queryOp() Op {
	return New(Op{
		Name: "memory_query", Title: "Search memories", Effect: Reads, Idempotent: true, bare: "filter",
		Doc:    "Call to look something up by exact words, topic or tag, or to read a memory in full by its id.",
		listed: []Profile{Default, Full}, aliases: aliases(ofSearch, ofQuery, ofTime),
		example: `memory_query(filter: "reducer sealed|swift -deprecated", scope: "conventions")`,
	}, func(ctx context.Context, env *Env, in queryIn) (answer, error) {
		detail := depthDetail(in.Detail, in.Depth, detailBrief)
		if len(in.ID) > 0 && in.Detail == "" && in.Depth <= 0 {
			detail = detailFull
		}
		if len(in.ID) > 0 && in.MaxResults <= 0 {
			in.MaxResults = lobes.MaxLimit
		}
		return recallThen(ctx, env, in.Lobe, lobes.Query{
			Filter: in.Filter, IDs: in.ID, Scope: topicWord(in.Scope), Branch: in.Branch, Kind: in.Kind,
			Status: in.Status, Subject: in.Subject, Limit: limit(in.MaxResults), Offset: max(in.Offset, 0),
			MinMatch: min(max(in.MinMatch, 0), 1), Depth: in.Depth, NoBoosts: in.Boosts == "off",
		}, detail, moments{in.AsOf, in.ValidAt, ""})
	})
}
