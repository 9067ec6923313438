package app

import (
	"context"

	"memory-mcp/lobes"
)

// RestoreVanished puts back all entries of a lobe whose files went at once.
func (a *App) RestoreVanished(ctx context.Context, by lobes.By, lobe string) ([]lobes.Returned, error) {
	set, err := a.Current(ctx)
	if err != nil {
		return nil, err
	}
	return set.RestoreVanished(ctx, by, a.Target(lobe))
}

// ForgetVanished makes a deletion of the absence of all entries of a lobe
// whose files went at once.
func (a *App) ForgetVanished(ctx context.Context, by lobes.By, lobe string) ([]lobes.Returned, error) {
	set, err := a.Current(ctx)
	if err != nil {
		return nil, err
	}
	return set.ForgetVanished(ctx, by, a.Target(lobe))
}
