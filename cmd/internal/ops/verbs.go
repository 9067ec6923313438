package ops

import (
	"context"

	"memory-mcp/lobes"
)

type briefIn struct {
	Lobe string `json:"lobe" words:"lobes" doc:"default: the current project"`
	quiet
}

func briefOp() Op {
	return New(Op{
		Name: "brief", Title: "Session briefing", Effect: Reads, Idempotent: true, bare: "lobe",
		Doc:    "Call at the start of every session: who the user is, preferences, gotchas, what is stale.",
		listed: []Profile{Verbs, Full}, aliases: aliases(), example: `brief()`,
	}, func(ctx context.Context, env *Env, in briefIn) (answer, error) {
		return brief(ctx, env, in.Lobe, "")
	})
}

type recallIn struct {
	Context    string   `json:"context" free:"1" doc:"the task or question, in plain words"`
	ID         []string `json:"id" one:"1" doc:"ids, with commas: gives their full texts"`
	Lobe       string   `json:"lobe" words:"lobes" doc:"a lobe's name, or * for all"`
	MaxResults int      `json:"maxResults" doc:"default 10"`
	Offset     int      `json:"offset" hide:"1"`
	MinMatch   float64  `json:"minMatch" hide:"1"`
	Branch     string   `json:"branch" words:"wild" hide:"1"`
	Detail     string   `json:"detail" enum:"brief|standard|full" words:"detail" hide:"1"`
	AsOf       string   `json:"asOf" doc:"what was believed then"`
	ValidAt    string   `json:"validAt" hide:"1"`
	quiet
}

func recallOp() Op {
	return New(Op{
		Name: "recall", Title: "Recall for a task", Effect: Reads, Idempotent: true, bare: "context",
		Doc:    "Call before each task, and whenever you are about to guess how this project works.",
		listed: []Profile{Verbs, Full}, aliases: aliases(ofSearch, ofContext, ofTime), example: `recall(context: "add retry to the upload client")`,
	}, func(ctx context.Context, env *Env, in recallIn) (answer, error) {
		if len(in.ID) > 0 {
			return recallThen(ctx, env, in.Lobe, lobes.Query{IDs: in.ID, Limit: lobes.MaxLimit}, either(in.Detail, detailFull), moments{in.AsOf, in.ValidAt, ""})
		}
		if in.Context == "" {
			return nil, &ArgumentError{Name: "context", Value: `""`, Want: "say what the task is about, in plain words"}
		}
		return recallTask(ctx, env, contextIn{
			Context: in.Context, Lobe: in.Lobe, MaxResults: in.MaxResults, MinMatch: in.MinMatch, Branch: in.Branch, Detail: in.Detail,
			AsOf: in.AsOf, ValidAt: in.ValidAt,
		})
	})
}

type areaIn struct {
	Area   string `json:"area" free:"1" doc:"words to narrow it, e.g. a module"`
	Lobe   string `json:"lobe" words:"lobes"`
	Offset int    `json:"offset" hide:"1"`
	quiet
}

// areaOp lists what one topic holds.
func areaOp(name, topic, doc string) Op {
	return New(Op{
		Name: name, Title: "List " + topic, Effect: Reads, Idempotent: true, bare: "area", Doc: doc,
		listed: []Profile{Verbs, Full}, aliases: aliases(ofArea, map[string]string{"skip": "offset"}), example: name + `(area: "upload")`,
	}, func(ctx context.Context, env *Env, in areaIn) (answer, error) {
		f, err := recall(ctx, env, in.Lobe, lobes.Query{Filter: in.Area, Scope: topic, Limit: lobes.MaxLimit, Offset: max(in.Offset, 0)}, detailStandard)
		if err != nil {
			return nil, err
		}
		f.area, f.narrow = name, nil
		return f, nil
	})
}

type learnIn struct {
	Observation string   `json:"observation" free:"1" must:"1" doc:"one insight; its first sentence becomes the title"`
	Topic       string   `json:"topic" words:"topic" hide:"1"`
	Title       string   `json:"title" hide:"1"`
	Tags        []string `json:"tags" hide:"1"`
	Sources     []string `json:"sources" doc:"files it rests on"`
	Lobe        string   `json:"lobe"`
	Durability  string   `json:"durabilityDecision" enum:"default|store-anyway" words:"durability" hide:"1"`
	quiet
}

// learnOp stores in one topic; an empty topic is derived from the text.
func learnOp(name, topic, doc string) Op {
	return New(Op{
		Name: name, Title: "Store a memory", Effect: Adds, bare: "observation", Doc: doc,
		listed: []Profile{Verbs, Full}, aliases: aliases(ofVerb, map[string]string{"source": "sources", "files": "sources", "durability": "durabilityDecision"}),
		example: name + `(observation: "uploads must go through the queue, direct ones lose events")`,
	}, func(ctx context.Context, env *Env, in learnIn) (answer, error) {
		return remember(ctx, env, in.Lobe, []lobes.Note{{
			Topic: either(in.Topic, topic), Title: in.Title, Text: in.Observation, Tags: in.Tags, Sources: in.Sources,
			StoreAnyway: in.Durability == "store-anyway",
		}})
	})
}

type preferIn struct {
	Rule       string `json:"rule" free:"1" must:"1" doc:"the rule, as the user would say it"`
	Lobe       string `json:"lobe" doc:"only for this project; default: everywhere"`
	Durability string `json:"durabilityDecision" enum:"default|store-anyway" words:"durability" hide:"1"`
	quiet
}

func preferOp() Op {
	return New(Op{
		Name: "prefer", Title: "Store a preference", Effect: Adds, bare: "rule",
		Doc:    "Call when the user says how they want things done, or corrects you: stored for every project.",
		listed: []Profile{Verbs, Full}, aliases: aliases(ofRule, map[string]string{"durability": "durabilityDecision"}), example: `prefer(rule: "never add a dependency without asking")`,
	}, func(ctx context.Context, env *Env, in preferIn) (answer, error) {
		n := lobes.Note{Topic: "preferences", Trust: "user", Text: in.Rule, StoreAnyway: in.Durability == "store-anyway"}
		if in.Lobe != "" && in.Lobe != globalLobe {
			n.Scope = "project"
		}
		return remember(ctx, env, in.Lobe, []lobes.Note{n})
	})
}

type fixIn struct {
	ID         string `json:"id" must:"1"`
	Correction string `json:"correction" free:"1" keep:"1" doc:"the text that holds instead"`
	Action     string `json:"action" enum:"replace|append|supersede|confirm|undo|restore|delete" words:"action" doc:"default replace; supersede: the old text held until now"`
	Lobe       string `json:"lobe"`
	Reason     string `json:"reason" free:"1" hide:"1"`
	quiet
}

func fixOp() Op {
	return New(Op{
		Name: "fix", Title: "Correct a memory", Effect: Rewrites, bare: "id",
		Doc:    "Call when a memory is wrong or outdated: give its id and the text that holds instead, or action delete. The old text stays in the history.",
		listed: []Profile{Verbs, Full}, aliases: aliases(ofCorrect), example: `fix(id: "arch-3f7a2b1c", correction: "the new text")`,
	}, func(ctx context.Context, env *Env, in fixIn) (answer, error) {
		return correct(ctx, env, correctIn{ID: in.ID, Action: in.Action, Correction: in.Correction, Lobe: in.Lobe, Reason: in.Reason})
	})
}
