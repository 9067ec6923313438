package lobes

import (
	"context"
	"maps"
	"slices"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// happened tells a record as a change of a timeline.
func (h history) happened(r *entry.Record) Change {
	c := Change{
		Recorded: r.Recorded.UTC(), Kind: r.Kind, Op: recordOp, Lobe: h.lobe.name, Key: r.Key(),
		Actor: r.Actor, Session: r.Session, Role: r.Role, Change: r.Fields[changeField], Reason: recordReason(r),
	}
	if len(r.Entries) == 0 {
		return c
	}
	c.ID = r.Entries[0]
	if len(r.Entries) > 1 {
		c.Entries = r.Entries
	}
	if head, ok := h.past.View().ID(c.ID); ok {
		c.Topic, c.Title, c.Path = head.Entry.Topic, head.Entry.Title, h.abs(head.Path)
	} else if s, ok := h.last(c.ID); ok {
		c.Topic, c.Title, c.Path = s.is.Topic, s.is.Title, h.abs(s.path)
	}
	return c
}

// recordOp is the op of a change that is no state of an entry.
const recordOp = "record"

// changeField joins a record to the revisions that the same call wrote.
const changeField = "change"

// recordReason is what a record says, in a line: of feedback the verdict, of
// others each field with its name.
func recordReason(r *entry.Record) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(r.Fields)) {
		switch {
		case key == changeField:
		case key == verdictField:
			parts = append([]string{r.Fields[key]}, parts...)
		default:
			parts = append(parts, key+" "+oneLine(r.Fields[key]))
		}
	}
	if len(parts) == 0 {
		return oneLine(r.Text)
	}
	return withReason(strings.Join(parts, ", "), oneLine(r.Text))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// recordReel is the records of a lobe as moments, the newest first.
func (h history) recordReel(ctx context.Context, w Window, from mark) (func() (frame, bool), error) {
	all, err := h.store.Records(ctx, store.RecordFilter{Since: w.Since, Until: from.until(w.Until)})
	if err != nil {
		return nil, err
	}
	n := len(all)
	return func() (frame, bool) {
		for n > 0 {
			n--
			r := &all[n]
			if r.Kind == entry.RecordErased || !r.Recorded.After(w.Since) {
				continue
			}
			m := store.Moment{Recorded: r.Recorded, Key: r.Key()}
			if len(r.Entries) > 0 {
				m.ID = r.Entries[0]
			}
			return frame{m, r}, true
		}
		return frame{}, false
	}, nil
}

// recordIn tells whether a window holds a record.
func (w Window) recordIn(r *entry.Record) bool {
	return isActor(r.Actor, w.Actor) && (w.Session == "" || r.Session == w.Session) && (w.ID == "" || slices.Contains(r.Entries, w.ID))
}

// records are those of one entry as its chain tells them, the oldest first.
func (h history) records(ctx context.Context, id string) ([]Change, error) {
	all, err := h.store.Records(ctx, store.RecordFilter{Entry: id})
	told := []Change{}
	for _, r := range all {
		if r.Kind != entry.RecordErased {
			told = append(told, h.happened(&r))
		}
	}
	return told, err
}
