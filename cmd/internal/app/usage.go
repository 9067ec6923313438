package app

import (
	"context"
	"errors"
	"time"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// usedTime bounds how long noting a call may take: it is worth no waiting.
const usedTime = 200 * time.Millisecond

// used notes what a call came to: in the figures of usage, and in the ledger
// of its session, so that hooks do not show once more what an answer showed.
func (a *App) used(ctx context.Context, by lobes.By, u ops.Use) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), usedTime)
	defer cancel()
	set, err := a.Current(ctx)
	if err != nil {
		return // the call itself has told
	}
	t := a.Target("")
	err = set.Count(t, lobes.Use{Session: by.Session, Call: u.Op, Opened: u.Opened, Confirmed: u.Confirmed})
	if err = errors.Join(err, tell(ctx, set, t, by, u.Shown)); err != nil {
		a.log.Debug("a call is not noted", "op", u.Op, "cause", err)
	}
}

// tell notes in the ledger what a session was shown. A ledger is begun by
// hooks alone: without any, nobody would ask it.
func tell(ctx context.Context, set *lobes.Set, t lobes.Target, by lobes.By, shown []lobes.Shown) error {
	l, err := set.Ledger(t, lobes.Session{ID: by.Session})
	if errors.Is(err, lobes.ErrNoLedger) || len(shown) == 0 {
		return nil
	}
	if err != nil || !l.Begun() {
		return err
	}
	return l.Update(ctx, func(p *lobes.LedgerPage) {
		for _, m := range shown {
			p.Tell(m)
		}
	})
}
