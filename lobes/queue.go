package lobes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// Queue is what waits in the inbox of a lobe for a model.
type Queue struct {
	Lobe    string     `json:"lobe"`
	Waiting int        `json:"waiting"`
	Failed  int        `json:"failed"`           // given up, and kept
	Oldest  *time.Time `json:"oldest,omitempty"` // recorded, of what waits
	// LastError is what went wrong last with what is left.
	LastError string     `json:"last_error"`
	Paused    *time.Time `json:"paused,omitempty"` // since when
	PausedBy  string     `json:"paused_by"`
	Next      string     `json:"next"` // what a person can do about it; "" for nothing
}

// Idle tells that there is nothing to say of the queue.
func (q Queue) Idle() bool { return q.Waiting == 0 && q.Failed == 0 && q.Paused == nil }

// queue looks at the inbox. What cannot be read counts as nothing: the work
// puts it aside with the reason.
func (r reading) queue(ctx context.Context) (Queue, error) {
	box := r.lobe.inbox()
	q := Queue{Lobe: r.lobe.name}
	for _, place := range []struct {
		inbox
		count *int
	}{{box.failed(), &q.Failed}, {box, &q.Waiting}} {
		names, err := place.names()
		if err != nil {
			return q, err
		}
		*place.count = len(names)
		for _, name := range names {
			it, err := place.read(name)
			if err != nil {
				continue
			}
			if it.LastError != "" {
				q.LastError = it.LastError
			}
			if place.inbox == box && q.Oldest == nil {
				q.Oldest = &it.Recorded
			}
		}
	}
	p, err := r.paused(ctx)
	if p != nil {
		q.Paused, q.PausedBy = &p.Recorded, p.Actor
	}
	q.Next = q.next(r.lobe.o)
	return q, err
}

func (q Queue) next(o *Options) string {
	at := ""
	if q.Lobe != "" {
		at = " --lobe " + q.Lobe
	}
	switch {
	case q.Paused != nil:
		return "memory-mcp work --resume" + at
	case q.Waiting > 0 && o.Extractor == nil && o.NoExtractor == nil:
		return `name a model for "generation" in the block "models" of the configuration`
	case q.Failed > 0:
		return "memory-mcp work --once --retry" + at
	}
	return ""
}

// paused is the record by which the work at the inbox was paused; nil while it
// goes on.
func (r reading) paused(ctx context.Context) (*entry.Record, error) {
	all, err := r.store.Records(ctx, store.RecordFilter{Kinds: []string{entry.RecordPaused, entry.RecordResumed}})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if last := all[len(all)-1]; last.Kind == entry.RecordPaused {
		return &last, nil
	}
	return nil, nil
}

// pausedBy says that somebody has paused the work; "" while it goes on.
func (r reading) pausedBy(ctx context.Context) (string, error) {
	p, err := r.paused(ctx)
	if err != nil || p == nil {
		return "", err
	}
	return fmt.Sprintf("the work at the inbox of %s is paused since %s by %s", r.lobe.name, p.Recorded.Format(time.RFC3339), p.Actor), nil
}

// Pause stops the work at the inboxes of the target's lobes in all processes,
// or lets it go on. It gives the names of those that it changed.
func (s *Set) Pause(ctx context.Context, by By, t Target, pause bool) ([]string, error) {
	changed := []string{}
	if err := s.writable("pause"); err != nil {
		return changed, err
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return changed, err
	}
	if t.Lobe == "" && own > 0 {
		lobes = lobes[:own]
	}
	for _, l := range lobes {
		r, err := l.look(ctx)
		if err != nil {
			return changed, err
		}
		is, err := r.paused(ctx)
		if err != nil {
			return changed, err
		}
		if (is != nil) == pause {
			continue
		}
		kind := entry.RecordResumed
		if pause {
			kind = entry.RecordPaused
		}
		if err := r.store.Record(ctx, by.store(""), entry.Record{Kind: kind}); err != nil {
			return changed, err
		}
		changed = append(changed, l.name)
	}
	return changed, nil
}

// settledBefore tells whether material with this hash was worked off.
func (r reading) settledBefore(ctx context.Context, hash string) (bool, error) {
	all, err := r.store.Records(ctx, store.RecordFilter{Kinds: []string{entry.RecordReceived}})
	for _, x := range all {
		if x.Fields["material"] == hash {
			return true, err
		}
	}
	return false, err
}

// receive writes down what became of an item. That the records are full keeps
// nothing from being settled.
func (j *job) receive(ctx context.Context, it *item) error {
	r, err := j.l.look(ctx)
	if err != nil {
		return err
	}
	if done, err := r.settledBefore(ctx, it.Hash); err != nil || done {
		return err // before a death
	}
	return j.record(ctx, r, it, entry.Record{Kind: entry.RecordReceived, Entries: it.Entries, Fields: it.fields()})
}

// record writes a record about an item, in the name of whoever gave it.
func (j *job) record(ctx context.Context, r reading, it *item, x entry.Record) error {
	by := store.By{Actor: it.Actor, Session: it.Session, Role: it.Role}
	err := r.store.Record(ctx, by, x)
	var gone *store.UnknownIDError
	if errors.As(err, &gone) && len(x.Entries) > 0 {
		x.Entries = nil // one of them was erased meanwhile
		err = r.store.Record(ctx, by, x)
	}
	var full *store.RecordsFullError
	if errors.As(err, &full) {
		j.s.o.Logger.Warn("what became of material is not written down", "lobe", j.l.name, "cause", err)
		return nil
	}
	return err
}

// fields are what a record tells of an item: counts, and no text of it.
func (it *item) fields() map[string]string {
	f := map[string]string{"material": it.Hash}
	dropped := 0
	for _, n := range it.Dropped {
		dropped += n
	}
	for name, n := range map[string]int{"stored": it.Stored, "confirmed": it.Confirmed, "known": it.Known, "refused": it.Refused, "dropped": dropped} {
		if n > 0 {
			f[name] = fmt.Sprint(n)
		}
	}
	if it.Source != "" {
		f["source"] = it.Source
	}
	if it.Model != "" {
		f["model"] = it.Model
	}
	return f
}
