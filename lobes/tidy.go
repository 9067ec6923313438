package lobes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// TidySource is the source of what is made of memories that are there.
const TidySource = "tidy"

const tidyLock = stateName + "/tidy.lock"

// Tidied tells what was made of the memories of lobes, and what was set aside.
type Tidied struct {
	Summaries   []Stored `json:"summaries"`
	Experiences []Stored `json:"experiences"`
	Review      []string `json:"review"`     // ids that wait for a person: a member changed, or another one says the contrary
	Waiting     []string `json:"waiting"`    // ids of experiences that wait for their text
	Superseded  []string `json:"superseded"` // ids of which the judge says that a newer one took their place
	Declined    int      `json:"declined"`   // groups that a model would not tell as one
	Failed      int      `json:"failed"`     // groups that were given up
	// Stopped says why the rest was left; "" when it was not.
	Stopped string `json:"stopped"`
}

// The bounds of one round.
const (
	mostTold   = 5  // questions to the summarizer
	mostJudged = 20 // to the judge
)

// some is a bound of this round: somebody who waits gets more at once.
func (t *tidying) some(most int) int {
	if t.patient {
		return 10 * most
	}
	return most
}

// thinks tells whether there is somebody who tidies.
func (s *Set) thinks() bool { return s.o.Summarizer != nil || s.o.Judge != nil }

// tidy looks after what memories come to together: what was made of others is
// set aside when they change; with a summarizer related memories are told as
// one, with a judge what contradicts is put before a person. Only one process
// tidies a lobe, and a round is bounded: what is left is for the next one.
func (s *Set) tidy(ctx context.Context, l *Lobe, patient bool, done *Tidied) (err error) {
	if s.o.ReadOnly || l.spec.Err != nil {
		return nil
	}
	if _, err := os.Stat(l.spec.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r, err := l.look(ctx)
	if err != nil || !s.thinks() && !r.hasMade() {
		return err
	}
	if err := os.MkdirAll(filepath.Join(l.spec.Dir, stateName), 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(l.spec.Dir, filepath.FromSlash(tidyLock)), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	mine, err := lock.TryLock()
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err != nil || !mine {
		return err
	}
	if r, err = l.look(ctx); err != nil { // somebody else may have tidied meanwhile
		return err
	}
	if done.Stopped, err = r.pausedBy(ctx); err != nil || done.Stopped != "" {
		return err
	}
	t := &tidying{set: s, reading: r, done: done, patient: patient, by: By{Role: "assistant", Source: TidySource}}
	if t.log, err = openTidyLog(l); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{t.setAside, t.judgePairs, t.tellWaiting, t.tellGroups} {
		if err = step(ctx); err != nil || ctx.Err() != nil || done.Stopped != "" {
			break
		}
	}
	var unasked *UnaskedError
	if errors.As(err, &unasked) {
		done.Stopped, err = unasked.Error(), nil
	}
	return err
}

// A tidying is one round in one lobe, whose lock it has.
type tidying struct {
	set *Set
	reading
	log     *tidyLog
	by      By
	done    *Tidied
	patient bool // somebody waits for all that can be done
	asked   int  // of the summarizer

	judged      int // questions to the judge
	judgeFailed bool
}

// renew looks again, after something was written.
func (t *tidying) renew(ctx context.Context) error {
	r, err := t.lobe.look(ctx)
	if err == nil {
		t.reading = r
	}
	t.lobe.written.Store(true)
	return err
}

// derivedAt parts what an entry was made of: an id, and the revision of it.
func derivedAt(origin string) (id, revision string) {
	id, revision, _ = strings.Cut(origin, "@")
	return id, revision
}

// originsOf are the ids of what an entry was made of.
func originsOf(e *entry.Entry) []string {
	ids := make([]string, len(e.DerivedFrom))
	for i, origin := range e.DerivedFrom {
		ids[i], _ = derivedAt(origin)
	}
	return ids
}

// made tells whether an entry was made of others by a summarizer.
func made(e *entry.Entry) bool {
	return (e.Kind == "summary" || e.Kind == "experience") && len(e.DerivedFrom) > 0
}

// hasMade tells whether something was made of other memories here.
func (r reading) hasMade() bool {
	for h := range r.view.Heads() {
		if h.Broken == nil && made(&h.Entry) {
			return true
		}
	}
	return false
}

// setAside puts summaries of which a member has changed before a person, and
// lets experiences wait for a new text. Somebody who wrote or confirmed one
// since has seen the change.
func (t *tidying) setAside(ctx context.Context) error {
	status := map[string]string{}
	why := map[string]string{}
	for h := range t.view.Heads() {
		e := &h.Entry
		if h.Broken != nil || h.Copy != "" || !made(e) || e.Status != "" && e.Status != "active" && e.Status != "candidate" {
			continue
		}
		now := t.statesOf(h)
		if !t.lobe.sown.fresh("made", e.ID, now) {
			continue
		}
		changed, err := t.changedMember(e)
		if err != nil {
			return err
		}
		if changed == "" {
			t.lobe.sown.add("made", e.ID, now)
			continue
		}
		status[e.ID], why[e.ID] = "review", fmt.Sprintf("%s, of which it was made, has changed", changed)
		if e.Kind == "experience" && t.set.o.Summarizer != nil {
			status[e.ID] = "pending"
		}
	}
	if len(status) == 0 {
		return nil
	}
	_, err := t.store.Write(ctx, t.by.store(TidySource), func(tx *store.Tx) error {
		for id, to := range status {
			if _, there := tx.View().ID(id); !there {
				continue
			}
			tx.Note(why[id])
			err := tx.Update(entry.OpEdit, id, func(e entry.Entry) (entry.Entry, error) {
				e.Status = to
				return e, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, to := range status {
		if to == "review" {
			t.done.Review = append(t.done.Review, id)
		} else {
			t.done.Waiting = append(t.done.Waiting, id)
		}
	}
	slices.Sort(t.done.Review)
	return t.renew(ctx)
}

// statesOf is what an entry and its members are at present: while it stays the
// same nothing has to be looked up in the history.
func (t *tidying) statesOf(h *store.Head) string {
	all := h.Hash
	for _, id := range originsOf(&h.Entry) {
		state := "-"
		if member, ok := t.view.ID(id); ok {
			state = member.Hash
			if see(&member.Entry, "", t.set.o.Now()) != shown {
				state += "!"
			}
		}
		all += " " + state
	}
	return all
}

// changedMember gives the first member of an entry that says something else
// than it did, or is gone, since the entry was written last.
func (t *tidying) changedMember(e *entry.Entry) (string, error) {
	own, known, err := t.store.Newest(e.ID)
	if err != nil || !known {
		return "", err
	}
	for _, origin := range e.DerivedFrom {
		id, revision := derivedAt(origin)
		newest, known, err := t.store.Newest(id)
		if err != nil {
			return "", err
		}
		if !known || revisionName(newest) == revision || newest.Recorded.Before(own.Recorded) {
			continue
		}
		same, err := t.saysAsAt(id, revision, newest)
		if err != nil {
			return "", err
		}
		if !same {
			return id, nil
		}
	}
	return "", nil
}

// saysAsAt tells whether an entry says what it said at a revision.
func (t *tidying) saysAsAt(id, revision string, newest entry.Revision) (bool, error) {
	if newest.Gone() {
		return false, nil
	}
	all, err := t.store.Revisions(id)
	if err != nil {
		return false, err
	}
	is, err := entry.ParseFile(newest.Path, newest.Recorded, newest.Head)
	if err != nil {
		return true, nil // somebody is in the middle of it
	}
	for _, rev := range all {
		if revisionName(rev) != revision || rev.Gone() {
			continue
		}
		was, err := entry.ParseFile(rev.Path, rev.Recorded, rev.Head)
		present := hasStatus(&is.Entry, "active") && see(&is.Entry, "", t.set.o.Now()) == shown
		return err == nil && sameClaim(&was.Entry, &is.Entry) && present, nil
	}
	return false, nil
}

func newTidied() Tidied {
	return Tidied{Summaries: []Stored{}, Experiences: []Stored{}, Review: []string{}, Waiting: []string{}, Superseded: []string{}}
}

// quiet tells that nothing came of a round.
func (d *Tidied) quiet() bool {
	return len(d.Summaries)+len(d.Experiences)+len(d.Review)+len(d.Waiting)+len(d.Superseded)+d.Declined+d.Failed == 0
}

// add adds what came of a round.
func (d *Tidied) add(o Tidied) {
	d.Summaries, d.Experiences = append(d.Summaries, o.Summaries...), append(d.Experiences, o.Experiences...)
	d.Review, d.Waiting, d.Superseded = append(d.Review, o.Review...), append(d.Waiting, o.Waiting...), append(d.Superseded, o.Superseded...)
	d.Declined, d.Failed, d.Stopped = d.Declined+o.Declined, d.Failed+o.Failed, o.Stopped
}

// mostRounds bounds how long a person waits for all that can be tidied.
const mostRounds = 20

// tidyAll tidies a lobe until there is nothing left to do, or for some rounds.
func (s *Set) tidyAll(ctx context.Context, l *Lobe, done *Tidied) error {
	for range mostRounds {
		round := newTidied()
		err := s.tidy(ctx, l, true, &round)
		if done.add(round); err != nil || round.quiet() || round.Stopped != "" {
			return err
		}
	}
	return nil
}

// tidyUp is a round in the background.
func (s *Set) tidyUp(ctx context.Context, l *Lobe) {
	done := newTidied()
	err := s.tidy(ctx, l, false, &done)
	switch {
	case err != nil && ctx.Err() == nil:
		s.o.Logger.Warn("memories are not tidied", "lobe", l.name, "cause", err)
	case done.Stopped != "":
		s.o.Logger.Debug("memories are not tidied", "lobe", l.name, "cause", done.Stopped)
	case !done.quiet():
		s.o.Logger.Info("memories were tidied", "lobe", l.name, "summaries", len(done.Summaries), "experiences", len(done.Experiences),
			"review", len(done.Review), "superseded", len(done.Superseded))
	}
}
