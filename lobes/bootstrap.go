package lobes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"memory-mcp/lobes/bootstrap"
	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// BootstrapSource is the source of what is read from a repository: the reason
// of its revisions, and [By.Source] of its writes.
const BootstrapSource = "bootstrap"

// repositoryOrigin is the origin of an entry that was read from a repository.
const repositoryOrigin = "repository"

// Bootstrap reads the lobe's project and stores what it says of itself, on the
// way that every store takes. Each proposal has one id for all time, so a
// second run changes only what the project says differently by now: what is
// the same is not written, what somebody changed or took back since stays so.
func (s *Set) Bootstrap(ctx context.Context, by By, t Target, o BootstrapOptions) (Bootstrapped, error) {
	if err := s.writable("bootstrap"); err != nil {
		return Bootstrapped{}, err
	}
	lobes, err := s.Resolve(t, true)
	if err != nil {
		return Bootstrapped{}, err
	}
	l := lobes[0]
	r, err := l.look(ctx)
	if err != nil {
		return Bootstrapped{}, err
	}
	if r.tree = s.tree(l, t); r.tree.root == "" && r.tree.repo == nil {
		return Bootstrapped{}, &ValueError{Field: "lobe", Value: l.name, Why: "it belongs to no folder that could be read"}
	}
	proposals, err := bootstrap.Propose(ctx, r.tree.root, r.tree.repo, bootstrap.Options{Progress: o.Progress, Now: s.o.Now()})
	if err != nil {
		return Bootstrapped{}, err
	}
	by.Source = BootstrapSource
	answer := Bootstrapped{Lobe: l.name, Stored: []Stored{}, Warnings: []string{}}
	drafts, err := s.proposed(by, r, proposals, &answer)
	if err != nil || len(drafts) == 0 {
		return answer, err
	}
	if err := r.roomFor(by, drafts); err != nil {
		return Bootstrapped{}, err
	}
	err = r.writeProposed(ctx, by, drafts)
	for _, d := range drafts {
		if d.out.Action != "" {
			answer.Stored = append(answer.Stored, d.out)
		}
		if d.out.Status == "review" {
			answer.Warnings = append(answer.Warnings, fmt.Sprintf("%s is held for a person's review: its text speaks to the model", d.out.ID))
		}
	}
	answer.Warnings = append(answer.Warnings, r.nearlyFull()...)
	l.note(s)
	return answer, err
}

// proposed turns proposals into drafts, without those that there is nothing to
// do for.
func (s *Set) proposed(by By, r reading, proposals []bootstrap.Proposal, answer *Bootstrapped) ([]*draft, error) {
	maker := drafter{now: s.o.Now(), by: by}
	var drafts []*draft
	for _, p := range proposals {
		d, err := maker.draft(Note{
			Topic: p.Topic, Title: p.Title, Text: p.Body, Kind: p.Kind, Branch: p.Branch,
			Sources: p.Sources, Tags: p.Tags, Trust: string(entry.AgentInferred),
		}, &cleaner{})
		var short *EphemeralError
		if errors.As(err, &short) {
			answer.Skipped++
			answer.Warnings = append(answer.Warnings, err.Error())
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("take %q from the repository: %w", p.Title, err)
		}
		d.entry.Origin = repositoryOrigin
		d.entry.ID = proposalID(&d.entry)
		d.lobe = r.lobe
		r.complete(d)
		switch needed, err := r.needed(r.view, d); {
		case err != nil:
			return nil, err
		case needed == asItIs:
			answer.Unchanged++
		case needed == notOurs, s.refusedOf(by, r.lobe, d.entry.Body) != "":
			answer.Skipped++
		default:
			drafts = append(drafts, d)
		}
	}
	return drafts, nil
}

// proposalID is the id of what a repository says under a title, the same in
// every run and in every copy.
func proposalID(e *entry.Entry) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{BootstrapSource, e.Topic, e.Branch, e.Title}, "\x00")))
	return entry.InfoOf(e.Topic).Prefix + "-" + hex.EncodeToString(sum[:4])
}

// A need is what there is to do for a proposal.
type need int

const (
	isNew   need = iota
	asItIs       // stored before, and the same
	notOurs      // changed or taken back by somebody since, or theirs from the start
	differs      // stored before by us, and the project says otherwise by now
)

// needed compares a proposal with what is there.
func (r reading) needed(view *store.View, d *draft) (need, error) {
	newest, known, err := r.store.Newest(d.entry.ID)
	if err != nil {
		return notOurs, err
	}
	h, there := view.ID(d.entry.ID)
	if !there {
		if known || titled(view, &d.entry) != "" {
			return notOurs, nil
		}
		return isNew, nil
	}
	ours := h.Broken == nil && newest.Reason == BootstrapSource && entry.Sum(newest.Head) == h.Hash
	switch {
	case h.Entry.Title == d.entry.Title && sameText(&h.Entry, &d.entry) && (!ours || r.sameEvidence(&h.Entry, &d.entry)):
		return asItIs, nil
	case !ours:
		return notOurs, nil
	}
	return differs, nil
}

// sameEvidence tells whether two entries cite the same files in the same state.
func (r reading) sameEvidence(a, b *entry.Entry) bool {
	return strings.Join(a.Pins, "\n") == strings.Join(b.Pins, "\n")
}

// writeProposed writes the drafts as one change.
func (r reading) writeProposed(ctx context.Context, by By, drafts []*draft) error {
	var planned []*draft
	done, err := r.store.Write(ctx, by.store(BootstrapSource), func(tx *store.Tx) error {
		planned = planned[:0]
		for _, d := range drafts {
			d.out = Stored{}
			needed, err := r.needed(tx.View(), d)
			if err != nil {
				return err
			}
			switch needed {
			case isNew:
				d.out = r.stored(by, d, &d.entry, "created")
				err = tx.Put(entry.OpCreate, d.entry)
			case differs:
				d.out = r.stored(by, d, &d.entry, "replaced")
				err = tx.Update(entry.OpReplace, d.entry.ID, func(old entry.Entry) (entry.Entry, error) { return replaced(old, d), nil })
			default:
				continue
			}
			if err != nil {
				return err
			}
			planned = append(planned, d)
		}
		return nil
	})
	for i, w := range done {
		d := planned[i]
		d.out.Path, d.out.Revision, d.out.Adopted = w.Path, w.Revision, w.Adopted
		r.lobe.written.Store(true)
	}
	return err
}
