package hook

import (
	"context"
	"errors"
	"time"

	"memory-mcp/lobes"
)

// The budgets of what is shown, in tokens.
const (
	BriefTokens  = 600
	RecallTokens = 400
)

// Deadline is how long a hook takes at most: far less than any host waits.
const Deadline = 2 * time.Second

// A Hook answers events from the lobes of one process.
type Hook struct {
	// Set are the lobes, Target says which of them the event speaks of.
	Set    *lobes.Set
	Target lobes.Target
	// Now is the clock.
	Now func() time.Time
	// Subject narrows what is recalled; empty does not.
	Subject string
	// Start starts this program once more, on its own, with these arguments;
	// nil is without, and then nothing is handed on.
	Start func(args ...string) error
	// Home is the home directory, where hosts keep files of their own.
	Home string
}

// Answer does what there is to do at a moment, and gives what is to be said.
// With an error there may be an answer as well: what went wrong is only worth
// a line in the log.
func (h *Hook) Answer(ctx context.Context, e Event) (Answer, error) {
	switch e.Moment {
	case Start:
		return h.greet(ctx, e)
	case Prompt:
		return h.recall(ctx, e)
	}
	return Answer{}, nil
}

// ledger is what the session was told; nil where there is no place for one.
func (h *Hook) ledger(e Event) (*lobes.Ledger, error) {
	l, err := h.Set.Ledger(h.Target, e.Session)
	if errors.Is(err, lobes.ErrNoLedger) {
		return nil, nil
	}
	return l, err
}
