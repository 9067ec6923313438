package lobes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// Correct changes, takes back or brings back one entry:
//
//	append     adds the text as a paragraph; without a text it confirms
//	replace    puts the text in place of the old one, which was never right
//	supersede  makes a new entry of the text, which holds from ValidFrom on; the
//	           old entry held until then
//	edit       sets fields, as one state in the history; append, replace and
//	           supersede set those that come with the text
//	confirm    says that the entry is right today
//	archive    takes it out of the present, and keeps it
//	move       puts it under another topic or into another lobe; it keeps its id
//	delete     takes it back; the history keeps it
//	restore    brings back what was taken back
//	undo       puts it back to what it was before its last change that is not
//	           undone yet, or all that a session did
//	erase      takes its content away from everywhere, or with a Revision that
//	           of one former state
//
// An edit from outside that is not in the history yet is adopted first, and an
// append is made to the edited text. With a Revision the change is refused
// when the entry has another state by now.
//
// The trust of an entry becomes user only when a person corrects it, that is
// when the caller's role is user; an agent that replaces a text has looked, so
// agent-inferred becomes agent-confirmed, and a higher trust stays.
func (s *Set) Correct(ctx context.Context, by By, t Target, c Correction) (Corrected, error) {
	if err := s.writable("correct"); err != nil {
		return Corrected{}, err
	}
	fix, err := s.correction(c)
	if err != nil {
		return Corrected{}, err
	}
	fix.by = by
	act := s.change
	switch fix.Action {
	case "undo":
		act = s.undo
	case "restore":
		act = s.bringBack
	case "move":
		act = s.move
	case "erase":
		act = s.eraseOne
	}
	if err := act(ctx, t, fix); err != nil {
		return Corrected{}, err
	}
	out := fix.out
	out.Masked, out.Warnings = orEmpty(fix.masked), orEmpty(fix.warnings)
	return out, nil
}

// change makes a correction that concerns the entry's own text and fields.
func (s *Set) change(ctx context.Context, t Target, f *fix) error {
	r, err := s.holder(ctx, t, f.ID)
	if err != nil {
		return err
	}
	body := ""
	err = r.commit(ctx, s, f, func(tx *store.Tx) error {
		if h, ok := tx.View().ID(f.ID); ok {
			body = h.Entry.Body
		}
		return r.plan(tx, f)
	})
	if err == nil && f.Action == "delete" && !f.Preview {
		s.refuseOrWarn(Retracted, r.lobe, body)
	}
	return err
}

// errPreview ends a write that was only planned.
var errPreview = errors.New("only a preview")

// commit makes a planned change, or only plans it, and tells of the entry.
func (r reading) commit(ctx context.Context, s *Set, f *fix, plan func(*store.Tx) error) error {
	done, err := r.store.Write(ctx, f.by.store(f.Reason), func(tx *store.Tx) error {
		if err := plan(tx); err != nil || !f.Preview {
			return err
		}
		return errPreview
	})
	if errors.Is(err, errPreview) {
		f.out.Preview = true
		if f.out.Supersedes != "" {
			f.out.ID = f.out.Supersedes // no id was issued
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, w := range done {
		r.lobe.written.Store(true)
		if w.ID == f.out.ID {
			f.out.Path, f.out.Revision, f.out.Adopted = w.Path, w.Revision, w.Adopted
		}
	}
	r.lobe.note(s)
	return nil
}

// A fix is a correction that has been checked.
type fix struct {
	Correction
	by        By
	edit      func(*entry.Entry) // sets the fields that the call names; nil when it names none
	validFrom time.Time          // of supersede
	feedback  []entry.Record     // of undo: what was said of the entries, and counts
	masked    []string
	warnings  []string
	out       Corrected
}

// shortCorrection is the length in characters up to which a correction is not
// worth being offered as a preference.
const shortCorrection = 20

// actions are the words that a correction may say, but for old ones.
func actions() []string {
	return []string{
		"append", "replace", "supersede", "edit", "confirm", "archive", "move", "delete", "restore", "undo", "erase",
	}
}

func (s *Set) correction(c Correction) (*fix, error) {
	var clean cleaner
	f := &fix{Correction: c}
	f.ID, f.Session = strings.TrimSpace(c.ID), strings.TrimSpace(c.Session)
	f.Action = strings.ToLower(strings.TrimSpace(c.Action))
	text, err := clean.text("text", c.Text)
	if err != nil {
		return nil, err
	}
	if f.Reason, err = clean.line("reason", c.Reason); err != nil {
		return nil, err
	}
	if f.Sources, err = clean.list("sources", c.Sources); err != nil {
		return nil, err
	}
	if f.Quote, err = clean.text("quote", c.Quote); err != nil {
		return nil, err
	}
	f.Text = strings.TrimSpace(text)
	if f.Text == "" && strings.TrimSpace(c.Text) != "" {
		return nil, &TextError{Field: "text", What: TextPrivate}
	}
	switch f.Action {
	case "retract", "remove":
		f.Action = "delete"
	case "append":
		if f.Text == "" {
			f.Action = "confirm"
		}
	case "replace", "supersede":
		if f.Text == "" {
			return nil, &TextError{Field: "text", What: TextEmpty}
		}
	}
	if slices.Contains([]string{"edit", "append", "replace", "supersede"}, f.Action) {
		if f.edit, err = s.edit(c, &clean); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(actions(), f.Action) {
		return nil, &ValueError{Field: "action", Value: c.Action, Allowed: actions(), Near: textanalysis.Nearest(c.Action, actions(), 1)}
	}
	if f.validFrom, err = callTime("validFrom", c.ValidFrom, s.o.Now().Location(), false); err != nil {
		return nil, err
	}
	f.masked = clean.masked
	return f, nil
}

// edit checks the fields of action edit, which a new text may bring along, and
// returns what sets them; nil when there is nothing to set.
func (s *Set) edit(c Correction, clean *cleaner) (func(*entry.Entry), error) {
	var set []func(*entry.Entry)
	line := func(name string, given *string, parse func(string) (func(*entry.Entry), error)) error {
		if given == nil {
			return nil
		}
		text, err := clean.line(name, *given)
		if err != nil {
			return err
		}
		f, err := parse(text)
		set = append(set, f)
		return err
	}
	for _, step := range []error{
		line("title", c.Title, setTitle), line("kind", c.Kind, setKind), line("trust", c.Trust, setTrust),
		line("status", c.Status, setStatus), line("subject", c.Subject, setSubject), line("expires", c.Expires, s.setExpires),
		share("confidence", c.Confidence), share("importance", c.Importance),
	} {
		if step != nil {
			return nil, step
		}
	}
	if c.Tags != nil {
		tags, err := clean.list("tags", *c.Tags)
		if err != nil {
			return nil, err
		}
		kept, _ := entry.CleanTags(tags)
		set = append(set, func(e *entry.Entry) { e.Tags = kept })
	}
	if c.Confidence != nil {
		set = append(set, func(e *entry.Entry) { e.Confidence = c.Confidence })
	}
	if c.Importance != nil {
		set = append(set, func(e *entry.Entry) { e.Importance = c.Importance })
	}
	if len(set) == 0 && strings.EqualFold(strings.TrimSpace(c.Action), "edit") {
		return nil, &ValueError{Field: "action", Value: "edit", Why: "it needs title, tags, kind, trust, status, confidence, importance, expires or subject"}
	}
	if len(set) == 0 {
		return nil, nil
	}
	return func(e *entry.Entry) {
		for _, f := range set {
			f(e)
		}
	}, nil
}

func setTitle(text string) (func(*entry.Entry), error) {
	text = strings.TrimSpace(strings.TrimLeft(text, "#"))
	if text == "" {
		return nil, &TextError{Field: "title", What: TextEmpty}
	}
	if n := utf8.RuneCountInString(text); n > maxTitle {
		return nil, &ValueError{Field: "title", Value: clip(text, 40), Why: fmt.Sprintf("it has %d characters, at most %d", n, maxTitle)}
	}
	return func(e *entry.Entry) { e.Title = text }, nil
}

func setKind(text string) (func(*entry.Entry), error) {
	kind, err := text, error(nil)
	if text != "" {
		kind, err = entry.ParseKind(text)
	}
	return func(e *entry.Entry) { e.Kind = kind }, err
}

func setTrust(text string) (func(*entry.Entry), error) {
	trust, err := entry.ParseTrust(text)
	return func(e *entry.Entry) { e.Trust, e.TrustFrom, e.Confidence = trust, "", nil }, err
}

func setStatus(text string) (func(*entry.Entry), error) {
	status, err := entry.ParseStatus(text)
	if status == "active" {
		status = ""
	}
	return func(e *entry.Entry) { e.Status = status }, err
}

func setSubject(text string) (func(*entry.Entry), error) {
	return func(e *entry.Entry) { e.Subject = text }, nil
}

func (s *Set) setExpires(text string) (func(*entry.Entry), error) {
	at, err := callTime("expires", text, s.o.Now().Location(), true)
	return func(e *entry.Entry) { e.Expires = at }, err
}

// holder finds the lobe that holds an entry, among those that the target
// leads to.
func (s *Set) holder(ctx context.Context, t Target, id string) (reading, error) {
	if id == "" {
		return reading{}, &ValueError{Field: "id", Why: "it is empty"}
	}
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return reading{}, err
	}
	readings, _, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return reading{}, err
	}
	for _, r := range readings {
		if _, ok := r.view.ID(id); ok {
			return r, nil
		}
	}
	return reading{}, s.unknownID(ctx, id, readings)
}

// plan plans the change. It may run again when somebody was faster.
func (r reading) plan(tx *store.Tx, f *fix) error {
	h, ok := tx.View().ID(f.ID)
	if !ok {
		return &store.UnknownIDError{ID: f.ID, Dir: r.lobe.spec.Dir}
	}
	if f.Revision != "" {
		tx.Expect(f.ID, f.Revision)
	}
	f.warnings = nil
	f.tell(r, &h.Entry)
	f.out.Path, f.out.Revision = r.path(h), r.revision(h)
	switch f.Action {
	case "delete":
		return tx.Remove(f.ID)
	case "supersede":
		return r.planSupersede(tx, f, h.Entry)
	}
	changed, err := r.corrected(h.Entry, f)
	if err != nil {
		return err
	}
	if changed.Title != h.Entry.Title {
		if twin := titled(tx.View(), &changed); twin != "" {
			return &ValueError{Field: "title", Value: changed.Title, Why: fmt.Sprintf("entry %s of the topic has it", twin)}
		}
	}
	if r.settles(f) {
		tx.Join(f.ID)
	} else if f.Revision == "" && entry.Equal(changed, h.Entry) {
		return nil
	}
	return tx.Update(outcomes()[f.Action].op, f.ID, func(old entry.Entry) (entry.Entry, error) {
		e, err := r.corrected(old, f)
		f.tell(r, &e)
		return e, err
	})
}

// settles tells whether the fix answers a text that lies beside the entry's
// own: whoever says what is right has seen both.
func (r reading) settles(f *fix) bool {
	return (f.Action == "replace" || f.Action == "confirm") &&
		slices.ContainsFunc(r.store.Conflicts(), func(c store.Conflict) bool { return c.ID == f.ID })
}

// An outcome is how an action is written down and told.
type outcome struct {
	op   entry.Op
	done string
}

func outcomes() map[string]outcome {
	return map[string]outcome{
		"append":    {entry.OpAppend, "appended"},
		"replace":   {entry.OpReplace, "replaced"},
		"supersede": {entry.OpSupersede, "superseded"},
		"edit":      {entry.OpEdit, "edited"},
		"confirm":   {entry.OpConfirm, "confirmed"},
		"archive":   {entry.OpArchive, "archived"},
		"move":      {entry.OpMove, "moved"},
		"delete":    {entry.OpRetract, "deleted"},
		"restore":   {entry.OpRestore, "restored"},
		"undo":      {entry.OpUndo, "undone"},
		"erase":     {entry.OpErase, "erased"},
	}
}

// corrected is the entry as the fix leaves it.
func (r reading) corrected(e entry.Entry, f *fix) (entry.Entry, error) {
	switch f.Action {
	case "archive":
		e.Status = "archived"
		return e, nil
	case "append":
		e.Sources = union(slices.Clone(e.Sources), f.Sources)
		e.Body = appended(e.Body, f.Text)
		if len(e.Body) > MaxText {
			return e, &TextError{Field: "text", What: TextTooLong, Size: len(e.Body)}
		}
	case "replace":
		e.Title, e.Body = titleFor(e, f.Text), f.Text
		if len(f.Sources) > 0 {
			e.Sources = f.Sources
		}
	case "edit":
		f.edit(&e)
		return e, nil
	}
	if f.Quote != "" && f.Action != "confirm" {
		e.Quote = f.Quote
	}
	r.vouch(&e, f)
	if f.edit != nil {
		f.edit(&e)
	}
	return e, nil
}

// appended puts a paragraph below a text.
func appended(body, text string) string {
	if body == "" {
		return text
	}
	return body + "\n\n" + text
}

// vouch notes who stands for the entry now, and what its sources are today.
func (r reading) vouch(e *entry.Entry, f *fix) {
	e.Verified = day(r.lobe.o.Now())
	cited := len(e.Pins) > 0
	if e.Pins = pin(e, r.tree.root); cited || len(e.Pins) > 0 {
		if commit := r.tree.commit(); commit != "" {
			e.GitSHA = commit
		}
	}
	switch {
	case f.by.Role == "user" && f.by.Source == "":
		e.Trust, e.TrustFrom, e.Confidence = entry.User, "", nil
	case f.Action == "replace" && f.by.Source == "" && trustOf(e) == entry.AgentInferred:
		e.Trust, e.TrustFrom, e.Confidence = entry.AgentConfirmed, "", nil
	}
	if e.Status == "review" && f.by.Role == "user" && f.by.Source == "" {
		e.Status = ""
	}
}

// titled is the id of another entry with the same topic and title. One that
// another entry has taken the place of may have it too.
func titled(view *store.View, e *entry.Entry) string {
	key := titleKey(e)
	for h := range view.Heads() {
		if h.Copy == "" && h.Entry.Valid.Until.IsZero() && h.Entry.ID != e.ID && h.Entry.Topic == e.Topic && titleKey(&h.Entry) == key {
			return h.Entry.ID
		}
	}
	return ""
}

func (f *fix) tell(r reading, e *entry.Entry) {
	f.out.ID, f.out.Lobe, f.out.Topic, f.out.Title = e.ID, r.lobe.name, e.Topic, e.Title
	f.out.Action, f.out.Trust = outcomes()[f.Action].done, string(trustOf(e))
	rule := f.Action == "append" || f.Action == "replace" // what held until a day is no rule
	person := slices.Contains([]string{"user", "preferences"}, e.Topic)
	f.out.SuggestPreference = rule && !person && utf8.RuneCountInString(f.Text) > shortCorrection
	if signs := speaksToModel(f.Text); len(signs) > 0 {
		f.warnings = []string{"the text speaks to the model: " + strings.Join(signs, ", ")}
	}
}
