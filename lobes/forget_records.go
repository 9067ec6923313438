package lobes

import (
	"context"
	"slices"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// A saying is the records of a lobe that agree with what is to be forgotten.
type saying struct {
	reading
	all []entry.Record
}

// sayings finds the records that were written as is asked. None cites a source.
func (r reading) sayings(ctx context.Context, f Forgetting) (saying, error) {
	found := saying{reading: r}
	if f.Source != "" {
		return found, nil
	}
	all, err := r.store.Records(ctx, store.RecordFilter{Session: f.Session, Since: f.Since, Until: f.Until})
	if err == nil && !f.Erase {
		var live []entry.Record
		live, err = r.feedback(ctx, store.RecordFilter{Session: f.Session, Since: f.Since, Until: f.Until})
		all = live
	}
	found.all = slices.DeleteFunc(all, func(r entry.Record) bool { return r.Kind == entry.RecordErased || !isActor(r.Actor, f.Actor) })
	return found, err
}

// eraseRecords takes the records away for good.
func (m matching) eraseRecords(ctx context.Context, by By) error {
	for _, said := range m.records {
		keys := make([]string, len(said.all))
		for i, r := range said.all {
			keys[i] = r.Key()
		}
		if _, err := said.store.EraseRecords(ctx, by.store(""), keys...); err != nil {
			return err
		}
		said.lobe.written.Store(true)
	}
	return nil
}

// withdraw lets the feedback count no more.
func (m matching) withdraw(ctx context.Context, by By, f Forgetting) error {
	for _, said := range m.records {
		_, err := said.store.Write(ctx, by.store(""), func(tx *store.Tx) error {
			reason := withReason("forgotten: "+f.String(), f.Reason)
			return withdraw(tx, &fix{Correction: Correction{Reason: reason}, by: by}, said.all)
		})
		if err != nil {
			return err
		}
		said.lobe.written.Store(true)
	}
	return nil
}
