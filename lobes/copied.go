package lobes

import (
	"context"
	"fmt"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// copiedRecords are the records of a lobe, the oldest first.
func (r reading) copiedRecords(ctx context.Context) ([]Copy, error) {
	records, err := r.store.Records(ctx, store.RecordFilter{})
	if err != nil {
		return nil, err
	}
	var all []Copy
	for _, rec := range records {
		text, err := rec.Format()
		if err != nil {
			return nil, fmt.Errorf("copy a record: %w", err)
		}
		all = append(all, Copy{Lobe: r.lobe.name, Record: text})
	}
	return all, nil
}

// splitRecords parts copies of entries from those of records. A record that
// cannot be read is left out, as one in a lobe's own folder is.
func splitRecords(all []Copy) (entries []Copy, records []entry.Record) {
	for _, c := range all {
		if c.Record == nil {
			entries = append(entries, c)
		} else if rec, err := entry.ParseRecord(c.Record); err == nil {
			records = append(records, rec)
		}
	}
	return entries, records
}

// newRecords counts those that are not here.
func (r reading) newRecords(ctx context.Context, records []entry.Record) (int, error) {
	if len(records) == 0 {
		return 0, nil
	}
	here, err := r.store.Records(ctx, store.RecordFilter{})
	if err != nil {
		return 0, err
	}
	known := map[string]bool{}
	for _, rec := range here {
		known[rec.Key()] = true
	}
	n := 0
	for _, rec := range records {
		if !known[rec.Key()] {
			n++
		}
	}
	return n, nil
}
