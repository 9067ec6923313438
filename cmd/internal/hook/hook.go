package hook

import (
	"context"
	"errors"
	"time"

	"memory-mcp/cmd/internal/hosts"
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
	// Generates tells that a model for generation is configured: what was said
	// in a session is recorded for it.
	Generates bool
	// Start starts this program once more, on its own, with these arguments;
	// nil is without, and then nothing is handed on.
	Start func(args ...string) error
	// Machine tells where hosts keep their files, Memory is the memory's home.
	Machine hosts.Machine
	Memory  string
}

// Answer does what there is to do at a moment, and gives what is to be said.
// With an error there may be an answer as well: what went wrong is only worth
// a line in the log.
func (h *Hook) Answer(ctx context.Context, e Event) (Answer, error) {
	switch e.Moment {
	case Start:
		answer, err := h.greet(ctx, e)
		return answer, errors.Join(err, h.follow(ctx, e), h.catchUp(e))
	case Prompt:
		return h.recall(ctx, e)
	case Wrote:
		return Answer{}, h.mirror(e)
	case Stop:
		if e.Host == opencode {
			// Whether another turn follows, or the end without a word, is not told.
			return Answer{}, h.handOnFindings(ctx, e)
		}
		return h.nudge(ctx, e)
	case Compact:
		return Answer{}, errors.Join(h.handOn(ctx, e), h.forget(ctx, e))
	case End:
		return Answer{}, h.handOn(ctx, e)
	}
	return Answer{}, nil
}

// forget empties the ledger of a session whose context is about to be
// shortened, where no start follows at which that is done.
func (h *Hook) forget(ctx context.Context, e Event) error {
	if e.Host != cursor && e.Host != opencode && e.Host != cline {
		return nil
	}
	l, err := h.ledger(e)
	if l == nil {
		return err
	}
	return l.Update(ctx, func(p *lobes.LedgerPage) { p.Clear() })
}

// ledger is what the session was told; nil where there is no place for one.
func (h *Hook) ledger(e Event) (*lobes.Ledger, error) {
	l, err := h.Set.Ledger(h.Target, e.Session)
	if errors.Is(err, lobes.ErrNoLedger) {
		return nil, nil
	}
	return l, err
}
