package ops

import (
	"errors"

	"memory-mcp/lobes"
)

// ofPast explains the errors of corrections that look back: undo, move,
// forgetting, and texts that were taken back.
func ofPast(g guide, err error) *Fault {
	var nothing *lobes.NothingToUndoError
	var lost *lobes.LostStateError
	var moved *lobes.MovedError
	var stale *lobes.StaleTokenError
	var refused *lobes.RefusedError
	switch {
	case errors.As(err, &nothing):
		args := []arg{{"session", nothing.Session}}
		if nothing.ID != "" {
			args = []arg{{"id", nothing.ID}}
		}
		return &Fault{"nothing_to_undo", nothing.Error(), "What happened: " + g.history(askTimeline, args...), ExitRefused, 409}
	case errors.As(err, &lost):
		return &Fault{"lost_state", lost.Error(), "Nothing was changed. Which file it is: " + g.diagnose() + ". What holds: " + g.correct(lost.ID, "replace", "the text that holds"), ExitRefused, 409}
	case errors.As(err, &moved):
		return &Fault{"moved", moved.Error(), "Repeat the call with lobe: " + quote(moved.To) + ". Why: " + g.history(askWhy, arg{"id", moved.ID}, arg{"lobe", moved.To}), ExitNotFound, 409}
	case errors.As(err, &stale):
		return &Fault{"stale_token", stale.Error(), "Nothing was done. Repeat the call without apply and token: the preview shows what there is now, and gives the new token.", ExitRefused, 409}
	case errors.As(err, &refused):
		return &Fault{"refused", refused.Error(), "It was not stored. If it is right after all, a person can store it at a shell: " + line("store", "TEXT"), ExitRefused, 403}
	}
	return nil
}

// failedCall is the error of a call, with the operation that was called: some
// advice names its arguments.
type failedCall struct {
	error
	op Op
}

func (c *failedCall) Unwrap() error { return c.error }

// argument is the first of the names that the failed operation has.
func argument(err error, names ...string) string {
	var c *failedCall
	if !errors.As(err, &c) {
		return names[0]
	}
	for _, n := range names {
		if _, ok := c.op.param(n); ok {
			return n
		}
	}
	return names[0]
}
