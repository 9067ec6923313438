package lobes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// The sources of what programs take from elsewhere: reasons of the revisions,
// and [By.Source] of the writes.
const (
	SweepSource  = "sweep"  // said in a session and kept by nobody
	MirrorSource = "mirror" // written by a host into its own memory
)

// A Received is a memory that a program took from somewhere: a transcript, a
// file of a host. Nobody asked for it to be stored.
type Received struct {
	Note
	// Key names what it was taken from. One key is one entry for all time: what
	// somebody changed or took back since stays so.
	Key string
	// Candidate keeps it out of all that is shown unasked.
	Candidate bool
	// Follow tells that a newer text takes the place of the one that came
	// before under this key; a change on both sides is a conflict. Without it
	// what is there once is left alone.
	Follow bool
}

// A Receipt tells what became of what was received.
type Receipt struct {
	Lobe      string   `json:"lobe"`
	Stored    []Stored `json:"stored"`
	Conflicts []Stored `json:"conflicts"` // changed here and there: the other text is held beside it
	Known     int      `json:"known"`     // another memory says it
	Unchanged int      `json:"unchanged"` // came before
	Refused   int      `json:"refused"`   // taken back or changed since, of the moment, or a secret
	Waiting   bool     `json:"waiting"`   // the lobe is full: all of it waits in the inbox
}

// likeKnown is how much alike a received text and a memory are when the memory
// says it already.
const likeKnown = 0.5

// Receive stores what a program took from elsewhere: what is new, once. It
// goes to the project's lobe, never to the person's own store. most bounds how
// many of the candidates become memories, with those that did before; the
// first ones count. 0 is without a bound. What a full lobe has no room for waits
// in its inbox for [Set.ReceiveWaiting].
func (s *Set) Receive(ctx context.Context, by By, t Target, all []Received, most int) (Receipt, error) {
	answer, err := s.receive(ctx, by, t, all, most)
	var full *FullError
	if !errors.As(err, &full) {
		return answer, err
	}
	lobes, err := s.Resolve(t, true)
	if err != nil {
		return answer, err
	}
	answer.Waiting = true
	return answer, reading{lobe: lobes[0]}.hold(by, all, most)
}

func (s *Set) receive(ctx context.Context, by By, t Target, all []Received, most int) (Receipt, error) {
	if err := s.writable("store"); err != nil {
		return Receipt{}, err
	}
	lobes, err := s.Resolve(t, true)
	if err != nil {
		return Receipt{}, err
	}
	r, err := lobes[0].look(ctx)
	if err != nil {
		return Receipt{}, err
	}
	r.tree = s.tree(r.lobe, t)
	answer := Receipt{Lobe: r.lobe.name, Stored: []Stored{}, Conflicts: []Stored{}}
	arrived, err := s.arrived(ctx, by, t, r, all, most, &answer)
	if err != nil || len(arrived) == 0 {
		return answer, err
	}
	drafts := make([]*draft, len(arrived))
	for i, a := range arrived {
		drafts[i] = a.draft
	}
	if err := r.roomFor(by, drafts); err != nil {
		return answer, err
	}
	err = r.writeArrived(ctx, by, arrived, &answer)
	r.lobe.note(s)
	return answer, err
}

// An arrival is a received note that has been checked.
type arrival struct {
	*draft
	follow bool
}

// arrived turns what was received into drafts, without what there is nothing
// to do for.
func (s *Set) arrived(ctx context.Context, by By, t Target, r reading, all []Received, most int, answer *Receipt) ([]arrival, error) {
	maker := drafter{now: s.o.Now(), by: by}
	shared, _, err := s.look(ctx, t, s.withShared([]*Lobe{r.lobe}), 0)
	if err != nil {
		return nil, err
	}
	var list []arrival
	for _, n := range all {
		if most > 0 && len(list) == most {
			break
		}
		var c cleaner
		d, err := maker.draft(n.Note, &c)
		var short *EphemeralError
		var text *TextError
		switch {
		case errors.As(err, &short), errors.As(err, &text), err == nil && len(c.masked) > 0 && n.Candidate:
			answer.Refused++
			continue
		case err != nil:
			return nil, err
		}
		if n.Candidate && d.entry.Status == "" {
			d.entry.Status = "candidate"
		}
		d.lobe = r.lobe
		if s.refusedOf(by, r.lobe, d.entry.Body) != "" {
			answer.Refused++
			continue
		}
		before := false
		if d.entry.ID, before, err = r.receivedID(by.Source, n.Key, d.entry.Topic); err != nil {
			return nil, err
		}
		if n.Candidate && !before && knownTo(shared, d) {
			answer.Known++
			continue
		}
		r.complete(d)
		list = append(list, arrival{d, n.Follow})
	}
	return list, nil
}

// receivedID is the id of what came under a key, whatever its topic was when
// it came first, and whether it came before.
func (r reading) receivedID(source, key, topic string) (id string, before bool, err error) {
	sum := sha256.Sum256([]byte(source + "\x00" + key))
	tail := "-" + hex.EncodeToString(sum[:4])
	for _, t := range append([]string{topic}, entry.Topics()...) {
		id := entry.InfoOf(t).Prefix + tail
		if _, there := r.view.ID(id); there {
			return id, true, nil
		}
		if _, known, err := r.store.Newest(id); err != nil || known {
			return id, known, err
		}
	}
	return entry.InfoOf(topic).Prefix + tail, false, nil
}

// knownTo tells whether a memory says already what the draft says.
func knownTo(readings []reading, d *draft) bool {
	for _, r := range readings {
		if r.says(&d.entry) {
			return true
		}
	}
	return false
}

// says tells whether a memory other than the entry itself, of whatever topic
// and also one that waits for a person, says what the entry says.
func (r reading) says(e *entry.Entry) bool {
	other := func(d *index.Doc) bool { return headOf(d).Entry.ID != e.ID }
	for _, path := range r.index.Marked(textMark(e.Body)) {
		if h, ok := r.view.Path(path); ok && h.Entry.ID != e.ID {
			return true
		}
	}
	found := r.index.Similar(e.Title, e.Body, other, likeKnown, mostAlike)
	return slices.ContainsFunc(found, func(x index.Similar) bool {
		h, ok := r.view.Path(x.Key)
		return ok && (x.Similarity >= textanalysis.ConfirmThreshold || textanalysis.SameFacts(h.Entry.Title+"\n"+h.Entry.Body, e.Title+"\n"+e.Body) || x.Similarity >= surelyKnown)
	})
}

const (
	mostAlike   = 5
	surelyKnown = 0.7
)

// Knows tells whether a memory of the lobe that the target leads to, or of the
// person's own store, says already what the text says.
func (s *Set) Knows(ctx context.Context, t Target, text string) (bool, error) {
	t.Lobe = ownLobe(t.Lobe)
	lobes, _, err := s.resolve(t, false)
	if err != nil {
		return false, err
	}
	readings, _, err := s.look(ctx, t, lobes, 0)
	if err != nil {
		return false, err
	}
	e := entry.Entry{Title: textanalysis.TitleOf(text, derivedTitle), Body: text}
	return slices.ContainsFunc(readings, func(r reading) bool { return r.says(&e) }), nil
}

// writeArrived writes what arrived as one change.
func (r reading) writeArrived(ctx context.Context, by By, all []arrival, answer *Receipt) error {
	var planned []*Stored
	var kept Receipt
	done, err := r.store.Write(ctx, by.store(by.Source), func(tx *store.Tx) error {
		planned, kept = planned[:0], Receipt{}
		for _, a := range all {
			out, err := r.planArrival(tx, by, a, &kept)
			if err != nil {
				return err
			}
			if out != nil {
				planned = append(planned, out)
			}
		}
		return nil
	})
	answer.Known, answer.Unchanged, answer.Refused = answer.Known+kept.Known, answer.Unchanged+kept.Unchanged, answer.Refused+kept.Refused
	for i, w := range done {
		out := planned[i]
		out.Path, out.Revision, out.Adopted = w.Path, w.Revision, w.Adopted
		r.lobe.written.Store(true)
		if out.Action == conflicting {
			answer.Conflicts = append(answer.Conflicts, *out)
		} else {
			answer.Stored = append(answer.Stored, *out)
		}
	}
	return err
}

// conflicting is the action of a text that is held beside another one.
const conflicting = "conflict"

// planArrival plans what becomes of one arrival; nil is nothing.
func (r reading) planArrival(tx *store.Tx, by By, a arrival, kept *Receipt) (*Stored, error) {
	e := a.entry
	h, there := tx.View().ID(e.ID)
	newest, known, err := r.store.Newest(e.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case !there && known:
		kept.Refused++ // taken back
		return nil, nil
	case !there:
		out := r.stored(by, a.draft, &e, "created")
		return &out, tx.Put(entry.OpCreate, e)
	case !a.follow || h.Entry.Title == e.Title && sameText(&h.Entry, &e):
		kept.Unchanged++
		return nil, nil
	case h.Broken != nil:
		kept.Refused++
		return nil, nil
	}
	if newest.Reason == by.Source && entry.Sum(newest.Head) == h.Hash {
		out := r.stored(by, a.draft, &e, "replaced")
		out.Replaced = h.Entry.Title
		return &out, tx.Update(entry.OpReplace, e.ID, func(old entry.Entry) (entry.Entry, error) { return replaced(old, a.draft), nil })
	}
	return r.planConflict(tx, by, a, h, kept)
}

// planConflict holds the other side's text beside an entry that was changed
// here, unless the other side says what it said before.
func (r reading) planConflict(tx *store.Tx, by By, a arrival, h *store.Head, kept *Receipt) (*Stored, error) {
	said, err := r.lastReceived(by.Source, a.entry.ID)
	if err != nil {
		return nil, err
	}
	if said != nil && said.Title == a.entry.Title && sameText(said, &a.entry) {
		kept.Unchanged++
		return nil, nil
	}
	e := a.entry
	other, _, err := r.receivedID(by.Source, "conflict\x00"+e.ID, e.Topic)
	if err != nil {
		return nil, err
	}
	e.ID, e.Status, e.DerivedFrom = other, "review", []string{h.Entry.ID}
	e.Title = "Conflict with " + h.Entry.ID + ": " + e.Title
	there, standing := tx.View().ID(other)
	if standing && sameText(&there.Entry, &e) {
		kept.Unchanged++
		return nil, nil
	}
	out := r.stored(by, a.draft, &e, conflicting)
	if standing {
		return &out, tx.Update(entry.OpReplace, other, func(old entry.Entry) (entry.Entry, error) {
			old.Title, old.Body, old.Status = e.Title, e.Body, e.Status
			return old, nil
		})
	}
	if _, gone, err := r.store.Newest(other); err != nil || gone {
		kept.Refused++ // somebody has settled it
		return nil, err
	}
	return &out, tx.Put(entry.OpCreate, e)
}

// lastReceived is an entry as it came last from a source; nil when it never did.
func (r reading) lastReceived(source, id string) (*entry.Entry, error) {
	all, err := r.store.Revisions(id)
	if err != nil {
		return nil, err
	}
	for _, rev := range slices.Backward(all) {
		if rev.Reason != source || rev.Gone() {
			continue
		}
		e, err := entry.Parse(rev.Head)
		if err != nil {
			return nil, fmt.Errorf("read an earlier text of %s: %w", id, err)
		}
		return &e, nil
	}
	return nil, nil
}
