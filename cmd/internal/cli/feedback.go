package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/lobes"
)

type feedbackOptions struct {
	task, session, note, lobe string
	json                      bool
}

func newFeedback(e *env) *cobra.Command {
	var o feedbackOptions
	c := &cobra.Command{
		Use:     "feedback ID VERDICT",
		Short:   "Say how a memory did",
		GroupID: groupDaily,
		Long: `Say how a memory did when it was used:

  helpful         it was used, and that went well
  wrong           it was never right: it waits for a person's look
  outdated        it was right, and is not any more: likewise
  counterexample  an experience was followed, and that went badly: it is a
                  candidate again

An experience becomes active after it helped in 3 tasks of 2 sessions and nothing
speaks against it. Nothing is deleted; "undo ID" takes the feedback back.`,
		Example: `  memory-mcp feedback mod-3f7a2b1c helpful --task "move uploads to the queue"
  memory-mcp feedback gotcha-77aa01ff outdated --note "it is Redis now"`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &UsageError{Command: c.CommandPath(), Err: errors.New("it takes the id of a memory and a verdict"), Hint: "the verdicts are " + strings.Join(lobes.Verdicts(), ", ")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			a := map[string]any{"id": args[0], "verdict": args[1]}
			for name, value := range map[string]string{"task": o.task, "session": o.session, "note": o.note, "lobe": o.lobe} {
				set(a, name, value)
			}
			return e.run(c.Context(), request{op: "memory_feedback", args: a, json: o.json, pretty: e.showFeedback})
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return lobes.Verdicts(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := c.Flags()
	f.StringVar(&o.task, "task", "", "what it was used for")
	f.StringVar(&o.session, "session", "", "the session that it was used in")
	f.StringVar(&o.note, "note", "", "what happened")
	f.StringVar(&o.lobe, "lobe", "", "the lobe that has the entry")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}

func (e *env) showFeedback(structure []byte) error {
	var g lobes.GivenFeedback
	if err := json.Unmarshal(structure, &g); err != nil {
		return err
	}
	t := e.terminal
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s is %s\n", t.green("Noted"), g.ID, printable(g.Title), g.Verdict)
	say := func(format string, a ...any) { fmt.Fprintf(&b, "  "+format+"\n", a...) }
	switch g.Effect {
	case lobes.EffectReview:
		say("it waits for your review: memory-mcp query --status review")
	case lobes.EffectObjection:
		say("it is a person's word and stays as it is; briefings show the objection beside it")
	case lobes.EffectActive:
		say("it has proved itself, and is active now")
	case lobes.EffectCandidate:
		say("it is a candidate again")
	}
	if p := g.Proof; p != nil {
		say("it helped in %s of %s, %d and %d make it active; %s", counted(p.Tasks, "task", "tasks"), counted(p.Sessions, "session", "sessions"),
			p.NeedTasks, p.NeedSessions, counted(p.Counter, "example is against it", "examples are against it"))
	}
	for _, w := range g.Warnings {
		say("%s %s", t.yellow("warning"), printable(w))
	}
	if len(g.Masked) > 0 {
		say("masked before it was written: %s", strings.Join(g.Masked, ", "))
	}
	return e.say(b.String())
}
