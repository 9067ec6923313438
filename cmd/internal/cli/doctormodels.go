package cli

import (
	"context"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
)

// models tells how the language models are, what waits for them, and which
// could be used.
func (x *examination) models(ctx context.Context, a *app.App) error {
	for _, p := range a.Tried(ctx) {
		line := p
		line.Next = ""
		name := "model for " + p.Role
		what := line.Line()[len("Model for "+p.Role+", "):]
		var err error
		if p.Cause != "" {
			err = x.warn(name, what, p.Next)
		} else {
			err = x.tell(name, what, nil, "")
		}
		if err != nil {
			return err
		}
	}
	for _, o := range a.Offers(ctx) {
		if err := x.tell("model on offer", o.What+": "+o.How, nil, ""); err != nil {
			return err
		}
	}
	set, err := a.Current(ctx)
	if err != nil {
		return nil // routing has told
	}
	for _, q := range set.Diagnose(ctx).Queues {
		next := q.Next
		q.Next = ""
		if err := x.warn("inbox", ops.QueueLine(q), next); err != nil {
			return err
		}
	}
	return nil
}
