package ops

import (
	"context"
	"fmt"
	"strings"

	"memory-mcp/lobes"
)

type feedbackIn struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict" enum:"helpful|wrong|outdated|counterexample" words:"verdict"`
	Task    string `json:"task" free:"1"`
	Session string `json:"session" hide:"1"`
	Note    string `json:"note" free:"1" hide:"1" doc:"what happened"`
	Lobe    string `json:"lobe" hide:"1"`
	quiet
}

func feedbackOp() Op {
	return New(Op{
		Name: "memory_feedback", Title: "Rate a memory", Effect: Adds, bare: "id",
		Doc:    "Call when a memory helped in a task, or failed.",
		listed: []Profile{Default, Full}, generates: true, aliases: aliases(ofFeedback()),
		example: `memory_feedback(id: "mod-3f7a2b1c", verdict: "helpful", task: "move uploads to the queue")`,
	}, feedback)
}

// ofFeedback are other words for the parameters of feedback.
func ofFeedback() map[string]string {
	return map[string]string{
		"memory": "id", "entry": "id", "memoryid": "id", "outcome": "verdict", "result": "verdict", "rating": "verdict", "feedback": "verdict",
		"goal": "task", "tasksummary": "task", "taskid": "task", "sessionid": "session",
		"text": "note", "content": "note", "value": "note", "body": "note", "comment": "note", "reason": "note", "details": "note",
	}
}

func feedback(ctx context.Context, env *Env, in feedbackIn) (answer, error) {
	if in.ID == "" {
		return nil, &ArgumentError{Name: "id", Value: `""`, Want: "name the entry by its id, which every answer tells"}
	}
	if in.Verdict == "" {
		return nil, &ArgumentError{Name: "verdict", Value: `""`, Want: "say " + strings.Join(lobes.Verdicts(), ", ")}
	}
	f := lobes.Feedback{ID: in.ID, Verdict: in.Verdict, Task: in.Task, Session: in.Session, Note: in.Note}
	done, err := on(ctx, env, env.target(in.Lobe), func(m Memory, t lobes.Target) (lobes.GivenFeedback, error) {
		return m.Feedback(ctx, env.By, t, f)
	})
	if err != nil {
		return nil, err
	}
	done.Title = safeLine(done.Title)
	return &feedbackGiven{GivenFeedback: done}, nil
}

// feedbackGiven is the answer of feedback.
type feedbackGiven struct {
	lobes.GivenFeedback
}

func (f *feedbackGiven) shrink() bool { return false }

func (f *feedbackGiven) text(p *page) {
	p.line("Noted: %s %q is %s | lobe %s | %s | %s", f.ID, f.Title, f.Verdict, f.Lobe, f.Topic, f.Status)
	switch f.Effect {
	case lobes.EffectReview:
		p.line("It waits for a person now, and is not recalled until then. What holds instead: %s", p.correct(f.ID, "replace", "what holds now"))
	case lobes.EffectObjection:
		p.line("It is a person's word and stays; briefings show the objection beside it until that is settled. Ask the user, then %s or %s",
			p.correct(f.ID, "confirm", ""), p.correct(f.ID, "replace", "what holds now"))
	case lobes.EffectActive:
		p.line("It has proved itself, and is recalled as an active memory now.")
	case lobes.EffectCandidate:
		p.line("It is a candidate again, until somebody looks at it: %s", p.get(f.ID))
	}
	if proof := f.Proof; proof != nil && f.Effect != lobes.EffectActive {
		p.line("It helped in %s of %s; %d and %d make it active%s.", count(proof.Tasks, "task", "tasks"), count(proof.Sessions, "session", "sessions"),
			proof.NeedTasks, proof.NeedSessions, against(proof.Counter))
	}
	for _, w := range f.Warnings {
		p.line("WARNING: %s", strings.TrimSpace(w))
	}
	if len(f.Masked) > 0 {
		p.line("MASKED before it was written: %s. Keep secrets out of memories.", strings.Join(f.Masked, ", "))
	}
	p.line("Take it back: %s", p.correct(f.ID, "undo", ""))
}

func against(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", but for %s against it", count(n, "example", "examples"))
}
