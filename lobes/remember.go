package lobes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// Remember stores notes. All of them are checked before the first is written,
// and those of one lobe are written together. A note whose text is known
// confirms the entry that has it; one with the topic and title of an entry
// replaces that entry's text under the same id, and the history keeps the old
// one. What the answer names is on disk; with an error, that is what was written
// before it.
func (s *Set) Remember(ctx context.Context, by By, t Target, notes []Note) (Remembered, error) {
	if err := s.writable("store"); err != nil {
		return Remembered{}, err
	}
	if len(notes) == 0 {
		return Remembered{}, &TextError{Field: "text", What: TextEmpty}
	}
	drafts, masked, err := s.drafts(by, notes)
	if err != nil {
		return Remembered{}, err
	}
	for _, n := range notes {
		t.Paths = slices.Concat(t.Paths, n.Sources, n.References, n.Files)
	}
	return s.remember(ctx, by, t, drafts, masked)
}

func (s *Set) drafts(by By, notes []Note) ([]*draft, []string, error) {
	d := drafter{now: s.o.Now(), by: by, shared: s.global != nil}
	var c cleaner
	drafts := make([]*draft, 0, len(notes))
	for _, n := range notes {
		one, err := d.draft(n, &c)
		if err != nil {
			return nil, nil, err
		}
		drafts = append(drafts, one)
	}
	return drafts, c.masked, nil
}

func (s *Set) remember(ctx context.Context, by By, t Target, drafts []*draft, masked []string) (Remembered, error) {
	groups, readings, err := s.assign(ctx, t, drafts)
	if err != nil {
		return Remembered{}, err
	}
	refused := []string{}
	for _, r := range readings {
		for _, d := range groups[r.lobe] {
			r.complete(d)
		}
		if err := distinct(groups[r.lobe]); err != nil {
			return Remembered{}, err
		}
		for _, d := range groups[r.lobe] {
			r.compare(d)
		}
		if groups[r.lobe], err = s.withoutRefused(by, r, groups[r.lobe], &refused); err != nil {
			return Remembered{}, err
		}
		if err := r.roomFor(by, groups[r.lobe]); err != nil {
			return Remembered{}, err
		}
	}
	for _, r := range readings {
		if err = r.write(ctx, by, groups[r.lobe]); err != nil {
			break
		}
	}
	answer := s.answer(ctx, t, drafts, readings)
	answer.Masked = orEmpty(masked)
	answer.Warnings = append(answer.Warnings, refused...)
	return answer, err
}

// assign finds the lobe of each draft, and reads those lobes. The project's
// lobe is looked for only when a draft needs one.
func (s *Set) assign(ctx context.Context, t Target, drafts []*draft) (map[*Lobe][]*draft, []reading, error) {
	project, err := s.Resolve(t, true)
	for _, d := range drafts {
		switch {
		case d.global:
			d.lobe = s.global
		case err != nil:
			return nil, nil, err
		default:
			d.lobe = project[0]
		}
		if t.Lobe == "" {
			d.withDerived("lobe")
		}
		if d.lobe.spec.Global && len(project) == 1 && project[0] != d.lobe {
			d.entry.Origin = project[0].name
		}
	}
	groups := make(map[*Lobe][]*draft)
	var used []*Lobe
	for _, d := range drafts {
		if groups[d.lobe] == nil {
			used = append(used, d.lobe)
		}
		groups[d.lobe] = append(groups[d.lobe], d)
	}
	// The project first: its refusals are the likelier ones.
	slices.SortStableFunc(used, func(a, b *Lobe) int { return order(a.spec.Global, b.spec.Global) })
	var readings []reading
	for _, l := range used {
		r, err := l.look(ctx)
		if err != nil {
			return nil, nil, err
		}
		r.tree = s.tree(l, t)
		readings = append(readings, r)
	}
	return groups, readings, nil
}

// order puts false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// complete adds what the lobe knows: branch, commit and the state of the
// cited files.
func (r reading) complete(d *draft) {
	e := &d.entry
	if e.Topic == "recent-work" && e.Branch == "" {
		if e.Branch = r.tree.branch(); e.Branch != "" {
			d.withDerived("branch")
		}
	}
	if len(e.Sources)+len(e.Files) > 0 {
		e.GitSHA = r.tree.commit()
		e.Pins = pin(e, r.tree.root)
	}
}

// compare finds the entries that the draft may confirm or resemble.
func (r reading) compare(d *draft) {
	e := &d.entry
	d.twins = r.index.Marked(textMark(e.Body))
	same := func(of *index.Doc) bool {
		h := headOf(of)
		return r.standing(h) && h.Entry.Topic == e.Topic && h.Entry.Branch == e.Branch
	}
	most := r.lobe.o.Behavior.MaxDedupSuggestions + 1 // one may be the entry itself
	for _, x := range r.index.SimilarIn(e.Topic, e.Title, e.Body, same, textanalysis.DuplicateThreshold, most) {
		d.near = append(d.near, near{x.Key, x.Similarity})
	}
}

// standing tells whether a head is a memory of the present that may be
// confirmed or pointed to.
func (r reading) standing(h *store.Head) bool {
	return h.Broken == nil && h.Copy == "" && see(&h.Entry, "", r.lobe.o.Now()) == shown
}

// A choice is what is to be done with a draft.
type choice struct {
	op  entry.Op
	old *store.Head // the entry that is confirmed or replaced
}

// choose decides on a draft by the files as the view has them: an entry with
// its topic, branch and title is replaced, or confirmed when it says the same;
// an entry with its text under another title is confirmed.
func (r reading) choose(view *store.View, d *draft) choice {
	if h := r.namesake(view, d, r.lobe.o.Now()); h != nil {
		if sameText(&h.Entry, &d.entry) && r.standing(h) {
			return choice{entry.OpConfirm, h}
		}
		return choice{entry.OpReplace, h}
	}
	for _, path := range d.twins {
		if h, ok := view.Path(path); ok && r.repeats(h, d) && sameText(&h.Entry, &d.entry) {
			return choice{entry.OpConfirm, h}
		}
	}
	for _, n := range d.near {
		if h, ok := view.Path(n.path); ok && n.similarity >= textanalysis.ConfirmThreshold && r.confirms(h, d) && r.equivalent(h, d) {
			return choice{entry.OpConfirm, h}
		}
	}
	return choice{op: entry.OpCreate}
}

// repeats tells whether an entry may be confirmed by its own text: also under
// another topic, since one fact is one memory; only recent work keeps to itself.
func (r reading) repeats(h *store.Head, d *draft) bool {
	const passing = "recent-work"
	return r.confirms(h, d) || r.standing(h) && h.Entry.Topic != passing && d.entry.Topic != passing
}

func (r reading) confirms(h *store.Head, d *draft) bool {
	return r.standing(h) && h.Entry.Topic == d.entry.Topic && h.Entry.Branch == d.entry.Branch
}

// equivalent tells whether an entry says all that the draft says: nearly the
// same words, the same facts, and no more words in the draft than the
// threshold allows for, since a long text holds a short one whole.
func (r reading) equivalent(h *store.Head, d *draft) bool {
	a := r.lobe.o.Analyzer
	old, fresh := a.FingerprintOf(h.Entry.Title, h.Entry.Body), a.FingerprintOf(d.entry.Title, d.entry.Body)
	return float64(fresh.Size())*textanalysis.ConfirmThreshold <= float64(old.Size()) &&
		textanalysis.Similarity(old, fresh) >= textanalysis.ConfirmThreshold &&
		textanalysis.SameFacts(h.Entry.Title+"\n"+h.Entry.Body, d.entry.Title+"\n"+d.entry.Body) &&
		slices.Equal(denied(a, h.Entry.Body), denied(a, d.entry.Body))
}

// denied are the words that follow a negation: "always throw, never return"
// has the words of "never throw, always return" and says the opposite.
func denied(a *textanalysis.Analyzer, text string) []string {
	var found []string
	after := false
	for _, t := range a.Tokens(text) {
		if after {
			found = append(found, t.Stem)
		}
		after = textanalysis.Negated(t.Text)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// roomFor refuses new entries of agents when the budget is used up.
func (r reading) roomFor(by By, drafts []*draft) error {
	budget := r.lobe.spec.Budget
	if budget < 0 || by.Role == "user" {
		return nil
	}
	used := r.view.Bytes()
	added := int64(0)
	for _, d := range drafts {
		if r.choose(r.view, d).op == entry.OpCreate {
			added += int64(len(d.entry.Format()))
		}
	}
	if added == 0 || used+added <= budget {
		return nil
	}
	return &FullError{
		Lobe: r.lobe.name, Used: used, Budget: budget,
		ConfigPath: r.lobe.o.ConfigPath, ConfigLine: budgetLine(r.lobe.name, r.lobe.spec.Root, used+added),
	}
}

// budgetLine is the setting that makes room, ready to be pasted.
func budgetLine(lobe, root string, needed int64) string {
	megabytes := max(4, (2*needed+1<<20-1)>>20)
	return fmt.Sprintf(`"%s": {"root": %q, "budgetMB": %d}`, lobe, root, megabytes)
}

// write writes the drafts of one lobe as one change.
func (r reading) write(ctx context.Context, by By, drafts []*draft) error {
	var planned []*draft
	done, err := r.store.Write(ctx, by.store(""), func(tx *store.Tx) error {
		planned = planned[:0]
		for _, d := range drafts {
			acts, err := r.planDraft(tx, by, d)
			if err != nil {
				return err
			}
			if acts {
				planned = append(planned, d)
			}
		}
		return nil
	})
	for _, d := range drafts {
		d.done = err == nil
	}
	for i, w := range done {
		d := planned[i]
		d.out.ID, d.out.Path, d.out.Revision, d.out.Adopted = w.ID, w.Path, w.Revision, w.Adopted
		d.done = true
		r.lobe.written.Store(true)
	}
	return err
}

func (b By) store(reason string) store.By {
	return store.By{Actor: b.Actor, Session: cmp.Or(b.Session, b.Connection), Role: b.Role, Reason: reason}
}

// planDraft plans what becomes of one draft, and tells whether anything is to be
// written. It may run again when somebody was faster, so it sets the draft's
// outcome anew each time.
func (r reading) planDraft(tx *store.Tx, by By, d *draft) (bool, error) {
	c := r.choose(tx.View(), d)
	d.out = Stored{}
	switch c.op {
	case entry.OpConfirm:
		e := r.confirmed(c.old.Entry, d)
		d.out = r.stored(by, d, &e, "confirmed")
		d.out.Path, d.out.Revision = r.path(c.old), r.revision(c.old)
		if entry.Equal(e, c.old.Entry) {
			return false, nil
		}
		return true, tx.Update(c.op, e.ID, func(old entry.Entry) (entry.Entry, error) { return r.confirmed(old, d), nil })
	case entry.OpReplace:
		e := replaced(c.old.Entry, d)
		d.out = r.stored(by, d, &e, "replaced")
		d.out.Replaced = c.old.Entry.Title
		return true, tx.Update(c.op, e.ID, func(old entry.Entry) (entry.Entry, error) { return replaced(old, d), nil })
	}
	id, err := tx.NewID(d.entry.Topic)
	if err != nil {
		return false, err
	}
	e := d.entry
	e.ID = id
	d.out = r.stored(by, d, &e, "created")
	return true, tx.Put(c.op, e)
}

// confirmed is the old entry, seen to be right today.
func (r reading) confirmed(e entry.Entry, d *draft) entry.Entry {
	e.Verified = day(r.lobe.o.Now())
	e.Sources = union(slices.Clone(e.Sources), d.entry.Sources)
	e.Pins = pin(&e, r.tree.root)
	// Somebody vouches for it: that counts when they say so themselves.
	if d.stated && d.entry.Trust.Confidence() > e.Trust.Confidence() {
		e.Trust, e.TrustFrom, e.Confidence = d.entry.Trust, "", d.entry.Confidence
	}
	return e
}

// replaced is the old entry with the draft's text. What the draft does not
// state stays.
func replaced(e entry.Entry, d *draft) entry.Entry {
	n := d.entry
	e.Title, e.Body = n.Title, n.Body
	e.Trust, e.TrustFrom, e.Confidence = n.Trust, n.TrustFrom, n.Confidence
	e.Valid, e.Expires = n.Valid, n.Expires
	e.Verified = time.Time{}
	if !e.Created.IsZero() {
		e.Verified = day(n.Created)
	}
	e.Status = n.Status
	for _, f := range []struct{ to, from *[]string }{
		{&e.Sources, &n.Sources}, {&e.References, &n.References}, {&e.Tags, &n.Tags}, {&e.Files, &n.Files},
		{&e.Concepts, &n.Concepts}, {&e.Conditions, &n.Conditions}, {&e.Pins, &n.Pins},
	} {
		if len(*f.from) > 0 {
			*f.to = *f.from
		}
	}
	for _, f := range []struct{ to, from *string }{
		{&e.Kind, &n.Kind}, {&e.Durability, &n.Durability}, {&e.Subject, &n.Subject}, {&e.Problem, &n.Problem},
		{&e.Solution, &n.Solution}, {&e.Quote, &n.Quote}, {&e.GitSHA, &n.GitSHA}, {&e.Origin, &n.Origin},
	} {
		if *f.from != "" {
			*f.to = *f.from
		}
	}
	if n.Importance != nil {
		e.Importance = n.Importance
	}
	return e
}

func (r reading) stored(by By, d *draft, e *entry.Entry, action string) Stored {
	return Stored{
		ID: e.ID, Lobe: r.lobe.name, Topic: e.Topic, Title: e.Title,
		Trust: string(trustOf(e)), TrustFrom: e.TrustFrom, Status: e.Status, Branch: e.Branch,
		Actor: by.Actor, Confidence: e.Certainty(), Action: action,
		Derived: orEmpty(d.derived), Signals: orEmpty(d.signals),
	}
}

func day(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
