package lobes

import (
	"cmp"
	"context"
	"slices"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// withdraw plans that feedback does not count any more.
func withdraw(tx *store.Tx, f *fix, all []entry.Record) error {
	for _, r := range all {
		err := tx.Record(entry.Record{
			Kind: entry.RecordWithdrawn, Actor: f.by.Actor, Session: cmp.Or(f.by.Session, f.by.Connection), Role: f.by.Role,
			Entries: r.Entries, Fields: map[string]string{recordField: r.Key()}, Text: f.Reason,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// undoFeedback takes back the last thing that was said of an entry, if that
// came after the last change of it and changed nothing itself.
func (r reading) undoFeedback(ctx context.Context, s *Set, f *fix) (done bool, err error) {
	if f.feedback, err = r.feedback(ctx, store.RecordFilter{Entry: f.ID}); err != nil || len(f.feedback) == 0 {
		return false, err
	}
	last := f.feedback[len(f.feedback)-1]
	if last.Fields[changeField] != "" {
		return false, nil
	}
	p, err := r.store.Past(ctx)
	if err != nil {
		return false, err
	}
	h := history{r, p}
	all, err := h.deeds(f.ID)
	if err != nil || len(all) > 0 && !all[len(all)-1].Recorded.Before(last.Recorded) {
		return false, err
	}
	return true, r.commit(ctx, s, f, func(tx *store.Tx) error {
		f.out.Undone, f.out.Skipped = []Undone{h.unsaid(&last)}, []Skipped{}
		u := f.out.Undone[0]
		f.out.ID, f.out.Lobe, f.out.Title, f.out.Path = f.ID, r.lobe.name, u.Title, u.Path
		f.out.Topic = h.happened(&last).Topic
		return withdraw(tx, f, []entry.Record{last})
	})
}

// unsaid tells feedback that is taken back.
func (h history) unsaid(r *entry.Record) Undone {
	c := h.happened(r)
	return Undone{ID: c.ID, Lobe: c.Lobe, Title: c.Title, Path: c.Path, Kind: c.Kind, Changes: []string{}, Recorded: c.Recorded, Actor: c.Actor}
}

// withdrawJoined plans that the feedback which made some changes counts no more
// than they do.
func withdrawJoined(tx *store.Tx, f *fix, changes []string) error {
	joined := slices.DeleteFunc(slices.Clone(f.feedback), func(r entry.Record) bool {
		return r.Fields[changeField] == "" || !slices.Contains(changes, r.Fields[changeField])
	})
	return withdraw(tx, f, joined)
}

// planUnsay plans that all feedback of a session which changed nothing is taken
// back.
func (h history) planUnsay(tx *store.Tx, f *fix) error {
	var said []entry.Record
	for _, r := range f.feedback {
		if r.Session == f.Session && r.Fields[changeField] == "" {
			said = append(said, r)
			f.out.Undone = append(f.out.Undone, h.unsaid(&r))
		}
	}
	return withdraw(tx, f, said)
}

// An Objection is feedback against a memory that stays as it is, since it is a
// person's word: both sides are shown until somebody changes or confirms it.
type Objection struct {
	ID       string    `json:"id"`
	Lobe     string    `json:"lobe"`
	Title    string    `json:"title"`
	Path     string    `json:"path"`
	Verdict  string    `json:"verdict"`
	Note     string    `json:"note"`
	Actor    string    `json:"actor"`
	Recorded time.Time `json:"recorded"`
}

// objections are the open ones of a lobe, the oldest first, one an entry.
func (r reading) objections(ctx context.Context) ([]Objection, error) {
	all, err := r.feedback(ctx, store.RecordFilter{})
	if err != nil {
		return nil, err
	}
	var open []Objection
	for _, rec := range slices.Backward(all) {
		verdict := rec.Fields[verdictField]
		if verdict == Helpful || rec.Fields[changeField] != "" || len(rec.Entries) == 0 {
			continue
		}
		h, ok := r.view.ID(rec.Entries[0])
		told := slices.ContainsFunc(open, func(o Objection) bool { return o.ID == rec.Entries[0] })
		if !ok || told || h.Broken != nil || !personal(&h.Entry) || !hasStatus(&h.Entry, "active") {
			continue
		}
		newest, known, err := r.store.Newest(h.Entry.ID)
		if err != nil || known && newest.Recorded.After(rec.Recorded) {
			continue
		}
		open = append(open, Objection{
			ID: h.Entry.ID, Lobe: r.lobe.name, Title: h.Entry.Title, Path: r.path(h), Verdict: verdict,
			Note: rec.Text, Actor: rec.Actor, Recorded: rec.Recorded.UTC(),
		})
	}
	slices.Reverse(open)
	return open, nil
}
