package lobes

import "context"

// missVanished tells of entries that went away in a mass, where a search found
// nothing: a process that has just begun has not settled, and learns of them
// from the history alone. It is asked once.
func (a *Answer) missVanished(ctx context.Context, readings []reading, q Query) {
	if a.Total > 0 || q.unasked || !q.AsOf.IsZero() {
		return
	}
	for _, r := range readings {
		if !r.lobe.asked.CompareAndSwap(false, true) || r.lobe.vanished.Load() != nil {
			continue
		}
		if err := r.lookForVanished(ctx); err != nil {
			r.lobe.o.Logger.Debug("whether entries vanished is not known", "lobe", r.lobe.name, "cause", err)
			continue
		}
		if v := r.lobe.vanished.Load(); v != nil {
			a.Vanished = append(a.Vanished, *v)
		}
	}
}
