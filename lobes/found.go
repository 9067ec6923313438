package lobes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// ExtractionSource is the source of what a model found in material.
const ExtractionSource = "extraction"

// sureFrom is the confidence from which a found memory is shown unasked.
const sureFrom = 0.7

// keepFound stores what was found in the present piece of an item, by the rules
// of every write. It may run again after a death: each memory has its key.
func (s *Set) keepFound(ctx context.Context, l *Lobe, it *item, out *Settled) error {
	by := By{Actor: cmp.Or(it.Model, "a model"), Session: it.Session, Role: "assistant", Source: ExtractionSource}
	r, err := l.look(ctx)
	if err != nil {
		return err
	}
	readings := []reading{r}
	if s.global != nil && s.global != l {
		shared, err := s.global.look(ctx)
		if err != nil {
			return err
		}
		readings = append(readings, shared)
	}
	groups := map[*Lobe][]*draft{}
	reasons := map[*draft]string{}
	var counted tally
	stored, confirmed := len(out.Stored), len(out.Confirmed)
	for n, c := range *it.Found {
		d, why, err := s.foundDraft(by, readings, it, n, c, &counted)
		if err != nil {
			return err
		}
		if d != nil {
			groups[d.lobe] = append(groups[d.lobe], d)
			reasons[d] = why
		}
	}
	for _, r := range readings {
		drafts := groups[r.lobe]
		if len(drafts) == 0 {
			continue
		}
		if err := distinct(drafts); err != nil {
			return err
		}
		if err := r.roomFor(by, drafts); err != nil {
			return err
		}
		if err := r.writeFound(ctx, by, drafts, reasons, out, &counted); err != nil {
			return err
		}
		r.lobe.note(s)
	}
	it.Known, it.Refused = it.Known+counted.Known, it.Refused+counted.Refused
	it.Stored, it.Confirmed = it.Stored+len(out.Stored)-stored, it.Confirmed+len(out.Confirmed)-confirmed
	return nil
}

// foundDraft is a candidate as a draft, with the reason why it is not active;
// nil when it is not to be stored.
func (s *Set) foundDraft(by By, readings []reading, it *item, n int, c Candidate, counted *tally) (*draft, string, error) {
	maker := drafter{now: s.o.Now(), by: by, shared: s.global != nil}
	var clean cleaner
	d, err := maker.draft(it.note(c), &clean)
	var short *EphemeralError
	var text *TextError
	var value *ValueError
	switch {
	case errors.As(err, &short), errors.As(err, &text), errors.As(err, &value):
		counted.Refused++
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	d.stated = false // it vouches for no entry that it confirms
	d.named = false  // of two with one title, the second gets a number
	r := readings[0]
	if d.global {
		r = readings[len(readings)-1]
		d.entry.Origin = readings[0].lobe.name
	}
	d.lobe = r.lobe
	if s.refusedOf(by, r.lobe, d.entry.Body) != "" {
		counted.Refused++
		return nil, "", nil
	}
	if d.entry.ID, _, err = r.receivedID(by.Source, it.key(n), d.entry.Topic); err != nil {
		return nil, "", err
	}
	r.complete(d)
	if !d.global && len(readings) > 1 {
		readings[1].compare(d)
		if len(d.twins) > 0 {
			counted.Known++ // the person's own store says it
			return nil, "", nil
		}
		d.near = nil
	}
	r.compare(d)
	why := it.doubt(c, len(clean.masked) > 0)
	if why != "" && d.entry.Status == "" {
		d.entry.Status = "candidate"
	}
	return d, why, nil
}

// key names a candidate of the present piece, for all time.
func (it *item) key(n int) string { return fmt.Sprintf("%s/%d/%d", it.Hash, it.Done, n) }

// note is a candidate as a memory.
func (it *item) note(c Candidate) Note {
	confidence := c.Confidence
	n := Note{
		Title: c.Title, Text: c.Text, Kind: c.Kind, Scope: c.Scope, Durability: c.Durability, Confidence: &confidence,
		Tags: c.Tags, Conditions: c.Conditions, Quote: c.Quote, Trust: string(it.trust()), Sources: []string{it.source()},
	}
	if c.Kind == "episode" {
		n.Scope = "project"
	}
	if at, ok := SpokenAt(it.Spoken, c.Quote); ok {
		n.References = []string{AtTime(it.source(), at)}
	}
	return n
}

// trust is what the memories of an item rest on: a person's statement when
// somebody recorded it as such. What was read in a transcript under a person's
// name may have been pasted.
func (it *item) trust() entry.Trust {
	if it.Role == "user" && !it.Swept {
		return entry.User
	}
	return entry.AgentInferred
}

// source is what the memories of an item rest on.
func (it *item) source() string {
	switch {
	case it.Source != "":
		return it.Source
	case it.Session != "":
		return "session:" + strings.Join(strings.Fields(it.Session), "-")
	}
	return "material:" + it.Hash
}

// doubt is why what was found in an item is not shown unasked; "" when it is.
func (it *item) doubt(c Candidate, masked bool) string {
	switch {
	case c.Confidence < sureFrom:
		return fmt.Sprintf("the model is not sure of it (%.2f)", c.Confidence)
	case it.Masked || masked:
		return "a secret was masked in what it was found in"
	case it.Truncated:
		return "what it was found in is cut short"
	}
	return ""
}

// writeFound writes the drafts of one lobe as one change.
func (r reading) writeFound(ctx context.Context, by By, drafts []*draft, reasons map[*draft]string, out *Settled, counted *tally) error {
	var planned []*draft
	var kept tally
	done, err := r.store.Write(ctx, by.store(""), func(tx *store.Tx) error {
		planned, kept = planned[:0], tally{}
		for i, d := range drafts {
			acts, err := r.planFound(tx, by, d, drafts[:i], reasons[d], &kept)
			if err != nil {
				return err
			}
			if acts {
				planned = append(planned, d)
			}
		}
		return nil
	})
	for i, w := range done {
		d := planned[i]
		d.out.ID, d.out.Path, d.out.Revision, d.out.Adopted = w.ID, w.Path, w.Revision, w.Adopted
		r.lobe.written.Store(true)
	}
	if err != nil {
		return err
	}
	counted.Known, counted.Refused = counted.Known+kept.Known, counted.Refused+kept.Refused
	for _, d := range drafts {
		switch d.out.Action {
		case "created":
			out.Stored = append(out.Stored, d.out)
		case "confirmed":
			out.Confirmed = append(out.Confirmed, d.out)
		}
	}
	return nil
}

// planFound plans what becomes of one draft, and tells whether anything is to
// be written. It may run again when somebody was faster.
func (r reading) planFound(tx *store.Tx, by By, d *draft, before []*draft, why string, kept *tally) (bool, error) {
	d.out = Stored{}
	e := d.entry
	if _, there := tx.View().ID(e.ID); there {
		kept.Known++ // it came before a death
		return false, nil
	}
	if _, known, err := r.store.Newest(e.ID); err != nil || known {
		kept.Refused++ // taken back since
		return false, err
	}
	for _, other := range before {
		if other.out.Action != "" && r.sameDraft(other, d) {
			kept.Known++
			return false, nil
		}
	}
	c := r.choose(tx.View(), d)
	switch c.op {
	case entry.OpConfirm:
		e := r.confirmed(c.old.Entry, d)
		d.out = r.stored(by, d, &e, "confirmed")
		d.out.Path, d.out.Revision = r.path(c.old), r.revision(c.old)
		if entry.Equal(e, c.old.Entry) {
			return false, nil
		}
		tx.Note(by.Source)
		return true, tx.Update(c.op, e.ID, func(old entry.Entry) (entry.Entry, error) { return r.confirmed(old, d), nil })
	case entry.OpReplace:
		// A model does not overrule what stands there: both are shown.
		why = cmp.Or(why, fmt.Sprintf("%s has its title and says something else", c.old.Entry.ID))
		e.Status = cmp.Or(e.Status, "candidate")
	}
	tx.Note(by.Source + tail("; candidate: ", why))
	d.out = r.stored(by, d, &e, "created")
	return true, tx.Put(entry.OpCreate, e)
}

// tail is a text behind a mark, or nothing.
func tail(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + text
}

// sameDraft tells whether two drafts say the same.
func (r reading) sameDraft(a, b *draft) bool {
	return a.entry.Topic == b.entry.Topic && (sameText(&a.entry, &b.entry) ||
		textanalysis.Similarity(r.lobe.o.Analyzer.FingerprintOf(a.entry.Title, a.entry.Body), r.lobe.o.Analyzer.FingerprintOf(b.entry.Title, b.entry.Body)) >= textanalysis.ConfirmThreshold &&
			textanalysis.SameFacts(a.entry.Body, b.entry.Body))
}
