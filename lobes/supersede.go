package lobes

import (
	"fmt"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// planSupersede plans a new entry that holds from a time on, and that the old
// one held until then. What is said of neither of them stays with the old one:
// its text was right, and is answered for the time before.
func (r reading) planSupersede(tx *store.Tx, f *fix, old entry.Entry) error {
	now := r.lobe.o.Now().UTC()
	from := f.validFrom
	if from.IsZero() {
		from = now
	}
	if err := mayEnd(old.Valid, from); err != nil {
		return err
	}
	d, err := r.successor(f, old, now)
	if err != nil {
		return err
	}
	e := d.entry
	e.Valid.From = from
	e.Supersedes = []string{old.ID}
	if e.ID, err = tx.NewID(e.Topic); err != nil {
		return err
	}
	if other := successorOf(tx.View(), old.ID); other != nil {
		f.warnings = append(f.warnings, fmt.Sprintf("%s took the place of %s before; both hold now where their times overlap", other.Entry.ID, old.ID))
	}
	if err := tx.Put(entry.OpCreate, e); err != nil {
		return err
	}
	err = tx.Update(entry.OpSupersede, old.ID, func(was entry.Entry) (entry.Entry, error) {
		if err := mayEnd(was.Valid, from); err != nil {
			return was, err
		}
		was.Valid.Until = from
		return was, nil
	})
	f.tell(r, &e)
	f.out.Supersedes, f.out.ValidFrom = old.ID, &from
	f.out.Path, f.out.Revision = "", ""
	return err
}

// mayEnd refuses an end that would say that an entry never held, or held for
// longer than it says.
func mayEnd(valid entry.Interval, at time.Time) error {
	refuse := func(why string) error {
		return &ValueError{Field: "validFrom", Value: at.UTC().Format(time.RFC3339), Why: why}
	}
	if !valid.From.IsZero() && !at.After(valid.From) {
		return refuse(fmt.Sprintf("the entry holds only from %s on: if its text was never right, replace it", valid.From.UTC().Format(time.RFC3339)))
	}
	if !valid.Until.IsZero() && at.After(valid.Until) {
		return refuse(fmt.Sprintf("the entry held until %s and no longer: something else has taken its place", valid.Until.UTC().Format(time.RFC3339)))
	}
	return nil
}

// successor makes the new entry: about the same thing as the old one, on the
// grounds of whoever says it.
func (r reading) successor(f *fix, old entry.Entry, now time.Time) (*draft, error) {
	note := Note{
		Topic: old.Topic, Title: titleFor(old, f.Text), Text: f.Text, Kind: old.Kind, Tags: old.Tags, Subject: old.Subject, Branch: old.Branch,
		Conditions: old.Conditions, Importance: old.Importance, Durability: old.Durability, Sources: f.Sources, Quote: f.Quote,
		Scope: "project", StoreAnyway: true,
	}
	if f.Title != nil {
		note.Title = *f.Title
	}
	var clean cleaner
	d, err := drafter{now: r.lobe.o.Now(), by: f.by}.draft(note, &clean)
	if err != nil {
		return nil, err
	}
	r.complete(d)
	if trustOf(&d.entry) == entry.AgentInferred && f.by.Source == "" {
		d.entry.Trust, d.entry.TrustFrom = entry.AgentConfirmed, ""
	}
	if r.lobe.spec.Global {
		d.entry.Origin = old.Origin
	}
	if f.edit != nil {
		f.edit(&d.entry)
	}
	return d, nil
}

// successorOf is an entry that says that it took the place of another one.
func successorOf(view *store.View, id string) *store.Head {
	for h := range view.Heads() {
		if h.Copy != "" || h.Broken != nil {
			continue
		}
		for _, old := range h.Entry.Supersedes {
			if old == id {
				return h
			}
		}
	}
	return nil
}
