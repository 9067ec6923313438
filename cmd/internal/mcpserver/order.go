package mcpserver

import (
	"context"
	"sync"
)

// order makes calls answer as if they had run one after the other in the order
// in which they came: one that writes waits for all before it, one that reads
// for the last one before it that writes. The zero value is ready.
type order struct {
	mu     sync.Mutex
	writer *turn   // the last one that writes
	since  []*turn // reads that came after it
}

// turn is the place of one call.
type turn struct {
	after []*turn
	done  chan struct{}
}

// next gives a call its place; it is asked in the order of arrival.
func (o *order) next(writes bool) *turn {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := &turn{done: make(chan struct{})}
	if o.writer != nil {
		t.after = append(t.after, o.writer)
	}
	if writes {
		t.after = append(t.after, o.since...)
		o.writer, o.since = t, nil
		return t
	}
	kept := o.since[:0]
	for _, s := range o.since {
		if !s.over() {
			kept = append(kept, s)
		}
	}
	o.since = append(kept, t)
	return t
}

func (t *turn) over() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// wait returns when it is this call's turn, or with the error of ctx.
func (t *turn) wait(ctx context.Context) error {
	for _, before := range t.after {
		select {
		case <-before.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t.after = nil
	return nil
}

// end lets the next ones go.
func (t *turn) end() { close(t.done) }
