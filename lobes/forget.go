package lobes

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// Forget takes back, or erases, every entry that agrees with what is asked.
// Without Apply it only shows them; with it, it needs the token of what was
// shown, and is refused when that is no longer what there is.
func (s *Set) Forget(ctx context.Context, by By, t Target, f Forgetting) (Forgotten, error) {
	if err := s.writable("forget"); err != nil {
		return Forgotten{}, err
	}
	if err := f.check(s.o.Now()); err != nil {
		return Forgotten{}, err
	}
	if f.Secrets {
		return s.forgetSecrets(ctx, by, t, f)
	}
	found, err := s.matches(ctx, t, f)
	if err != nil {
		return Forgotten{}, err
	}
	answer := found.answer(f)
	if !f.Apply || len(found.all)+answer.Records+answer.Material == 0 {
		return answer, nil
	}
	if f.Token != answer.Token {
		return answer, &StaleTokenError{Given: f.Token, Now: answer.Token}
	}
	// It goes first: what is found in it would come back.
	if err := found.dropMaterial(); err != nil {
		return answer, err
	}
	if f.Erase {
		gone, err := s.erase(ctx, by, found.places())
		answer.Erased, answer.Left = gone.ids, gone.left
		if err == nil {
			err = found.eraseRecords(ctx, by)
		}
		answer.Applied = err == nil
		return answer, err
	}
	answer.Retracted, err = s.retract(ctx, by, found, f)
	if err == nil {
		err = found.withdraw(ctx, by, f)
	}
	answer.Applied = err == nil
	return answer, err
}

// check refuses a call that would mean everything, or nothing.
func (f *Forgetting) check(now time.Time) error {
	f.Session, f.Source, f.Actor = strings.TrimSpace(f.Session), strings.TrimSpace(f.Source), strings.TrimSpace(f.Actor)
	if f.Session == "" && f.Source == "" && f.Actor == "" && f.Since.IsZero() && f.Until.IsZero() && !f.Secrets {
		return &ValueError{Field: "session", Why: "nothing says what is to be forgotten: it takes a session, a source, an actor, or a time"}
	}
	for _, err := range []error{notLater("since", f.Since, now), notLater("until", f.Until, now)} {
		if err != nil {
			return err
		}
	}
	if !f.Since.IsZero() && !f.Until.IsZero() && f.Until.Before(f.Since) {
		return &ValueError{Field: "until", Value: f.Until.UTC().Format(time.RFC3339), Why: "it is before since"}
	}
	return nil
}

// A match is an entry that is to be forgotten.
type match struct {
	history
	id   string
	last state // that agreed
	was  *state
}

// matching is what was found, by lobe and id.
type matching struct {
	lobes    []string
	all      []match
	records  []saying
	material []leaving
}

// matches finds the entries of which a state agrees with what is asked.
func (s *Set) matches(ctx context.Context, t Target, f Forgetting) (matching, error) {
	var found matching
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return found, err
	}
	if t.Lobe == "" && own > 0 {
		lobes = lobes[:own] // what is seen from everywhere is forgotten only by name
	}
	readings, _, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return found, err
	}
	err = settled(func() error {
		found = matching{lobes: []string{}}
		for _, r := range readings {
			found.lobes = append(found.lobes, r.lobe.name)
			p, err := r.store.Past(ctx)
			if err != nil {
				return err
			}
			some, err := history{r, p}.matches(ctx, f)
			if err != nil {
				return err
			}
			found.all = append(found.all, some...)
			said, err := r.sayings(ctx, f)
			if err != nil {
				return err
			}
			if len(said.all) > 0 {
				found.records = append(found.records, said)
			}
			leaving, err := r.material(f)
			if err != nil {
				return err
			}
			found.material = append(found.material, leaving...)
		}
		return nil
	})
	return found, err
}

func (h history) matches(ctx context.Context, f Forgetting) ([]match, error) {
	var found []match
	for id := range h.past.IDs() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, there := h.past.View().ID(id); !there && !f.Erase {
			continue
		}
		moments := slices.Concat(h.past.Line(id), h.past.Beside(id))
		for i, m := range slices.Backward(moments) {
			if m.Gone || !f.spans(m.Recorded) {
				continue
			}
			s, err := h.read(m)
			if err = unusable(err); err != nil {
				return nil, err
			}
			if s.ID == "" || !f.agrees(s, h.tree.root) {
				continue
			}
			one := match{history: h, id: id, last: s}
			if was, ok := h.lastOf(moments[:i]); ok {
				one.was = &was
			}
			found = append(found, one)
			break
		}
	}
	return found, nil
}

func (f Forgetting) spans(at time.Time) bool {
	return !at.Before(f.Since) && (f.Until.IsZero() || !at.After(f.Until))
}

// agrees tells whether somebody wrote a text as is asked.
func (f Forgetting) agrees(s state, root string) bool {
	if s.rev.Op == entry.OpEdit && strings.HasPrefix(s.rev.Reason, feedbackReason) {
		return false // somebody said something of it, and wrote nothing
	}
	switch s.rev.Op {
	case entry.OpConfirm, entry.OpMove, entry.OpArchive, entry.OpUndo, entry.OpRestore, entry.OpSupersede:
		return false
	}
	return (f.Session == "" || s.rev.Session == f.Session) && isActor(s.rev.Actor, f.Actor) && (f.Source == "" || cites(&s.is, f.Source, root))
}

// cites tells whether an entry rests on a source: a file, whatever the place
// in it, a session, or what else stands among its sources.
func cites(e *entry.Entry, source, root string) bool {
	file, isFile := belowRoot(root, source)
	session := sessionSource + strings.TrimPrefix(source, sessionSource)
	for _, list := range [][]string{e.Sources, e.References, e.Files} {
		for _, cited := range list {
			if strings.EqualFold(cited, source) || cited == session || strings.HasPrefix(cited, session+"#") {
				return true
			}
			if other, ok := belowRoot(root, cited); isFile && ok && other == file {
				return true
			}
		}
	}
	return false
}

// answer tells what was found, and gives it a token.
func (m matching) answer(f Forgetting) Forgotten {
	a := Forgotten{
		Lobes: m.lobes, Matches: []Change{}, Retracted: []string{}, Erased: []string{}, Masked: []string{}, Left: []string{},
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%v %v\n", f.Erase, f.Secrets) // a hash never fails to write
	for _, one := range m.all {
		a.Matches = append(a.Matches, one.told(one.last, one.was))
		head := ""
		if h, ok := one.past.View().ID(one.id); ok {
			head = h.Hash
		}
		fmt.Fprintf(sum, "%s %s %s", one.lobe.spec.Dir, one.id, head)
		for _, moment := range slices.Concat(one.past.Line(one.id), one.past.Beside(one.id)) {
			fmt.Fprintf(sum, " %s", moment.Key)
		}
		fmt.Fprintln(sum)
	}
	for _, said := range m.records {
		a.Records += len(said.all)
		for _, r := range said.all {
			fmt.Fprintln(sum, said.lobe.spec.Dir, r.Key())
		}
	}
	for _, l := range m.material {
		a.Material++
		l.tell(sum)
	}
	a.Token = inLetters(sum.Sum(nil)[:8])
	return a
}

// inLetters writes bytes in small letters, two each: letters and digits beside
// the word token would look like a secret, and be masked in the answer.
func inLetters(b []byte) string {
	const letters = "abcdefghijklmnop"
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, letters[c>>4], letters[c&15])
	}
	return string(out)
}

func (m matching) places() []place {
	var all []place
	for _, one := range m.all {
		all = append(all, place{one.lobe, one.id})
	}
	return all
}

// retract takes back what was found, as one change of each lobe.
func (s *Set) retract(ctx context.Context, by By, found matching, f Forgetting) ([]string, error) {
	gone := []string{}
	byLobe := make(map[*Lobe][]match)
	var order []*Lobe
	for _, one := range found.all {
		if byLobe[one.lobe] == nil {
			order = append(order, one.lobe)
		}
		byLobe[one.lobe] = append(byLobe[one.lobe], one)
	}
	for _, l := range order {
		r := byLobe[l][0].reading
		written, err := r.store.Write(ctx, by.store(withReason("forgotten: "+f.String(), f.Reason)), func(tx *store.Tx) error {
			for _, one := range byLobe[l] {
				if line := one.past.Line(one.id); !line[len(line)-1].Pending {
					tx.Expect(one.id, line[len(line)-1].Key)
				}
				if err := tx.Remove(one.id); err != nil {
					return err
				}
			}
			return nil
		})
		for _, w := range written {
			gone = append(gone, w.ID)
			l.written.Store(true)
			s.refuseOrWarn(Retracted, l, w.Before.Entry.Body)
		}
		if err != nil {
			return gone, err
		}
		l.note(s)
	}
	return gone, nil
}

// String says what was asked, for the history.
func (f Forgetting) String() string {
	var parts []string
	for _, p := range []struct{ name, value string }{{"session", f.Session}, {"source", filepath.ToSlash(f.Source)}, {"actor", f.Actor}} {
		if p.value != "" {
			parts = append(parts, p.name+" "+p.value)
		}
	}
	if !f.Since.IsZero() {
		parts = append(parts, "since "+f.Since.UTC().Format(time.RFC3339))
	}
	if !f.Until.IsZero() {
		parts = append(parts, "until "+f.Until.UTC().Format(time.RFC3339))
	}
	return strings.Join(parts, ", ")
}
