package lobes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// Correct changes or takes back one entry:
//
//	append   adds the text as a paragraph; without a text it confirms
//	replace  puts the text in place of the old one, which was never right
//	edit     sets fields, as one state in the history
//	confirm  says that the entry is right today
//	delete   takes it back; the history keeps it
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
	r, err := s.holder(ctx, t, fix.ID)
	if err != nil {
		return Corrected{}, err
	}
	done, err := r.store.Write(ctx, by.store(fix.Reason), func(tx *store.Tx) error { return r.plan(tx, fix) })
	if err != nil {
		return Corrected{}, err
	}
	for _, w := range done {
		fix.out.Path, fix.out.Revision, fix.out.Adopted = w.Path, w.Revision, w.Adopted
		r.lobe.written.Store(true)
	}
	r.lobe.note(s)
	out := fix.out
	out.Masked, out.Warnings = orEmpty(fix.masked), orEmpty(fix.warnings)
	return out, nil
}

// A fix is a correction that has been checked.
type fix struct {
	Correction
	by       By
	edit     func(*entry.Entry) // what action edit sets
	masked   []string
	warnings []string
	out      Corrected
}

// shortCorrection is the length in characters up to which a correction is not
// worth being offered as a preference.
const shortCorrection = 20

func (s *Set) correction(c Correction) (*fix, error) {
	var clean cleaner
	f := &fix{Correction: c}
	f.ID = strings.TrimSpace(c.ID)
	f.Action = strings.ToLower(strings.TrimSpace(c.Action))
	text, err := clean.text("text", c.Text)
	if err != nil {
		return nil, err
	}
	if f.Reason, err = clean.line("reason", c.Reason); err != nil {
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
	case "replace":
		if f.Text == "" {
			return nil, &TextError{Field: "text", What: TextEmpty}
		}
	case "edit":
		if f.edit, err = s.edit(c, &clean); err != nil {
			return nil, err
		}
	case "delete", "confirm":
	default:
		return nil, &ValueError{
			Field: "action", Value: c.Action, Allowed: []string{"append", "replace", "edit", "confirm", "delete"},
			Near: textanalysis.Nearest(c.Action, []string{"append", "replace", "edit", "confirm", "delete"}, 1),
		}
	}
	f.masked = clean.masked
	return f, nil
}

// edit checks the fields of action edit, and returns what sets them.
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
	if len(set) == 0 {
		return nil, &ValueError{Field: "action", Value: "edit", Why: "it needs title, tags, kind, trust, status, confidence, importance, expires or subject"}
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
	if f.Action == "delete" {
		return tx.Remove(f.ID)
	}
	changed, err := r.corrected(h.Entry, f)
	if err != nil {
		return err
	}
	if f.Action == "edit" {
		if twin := titled(tx.View(), &changed); twin != "" {
			return &ValueError{Field: "title", Value: changed.Title, Why: fmt.Sprintf("entry %s of the topic has it", twin)}
		}
	}
	if f.Revision == "" && entry.Equal(changed, h.Entry) {
		return nil
	}
	return tx.Update(outcomes()[f.Action].op, f.ID, func(old entry.Entry) (entry.Entry, error) {
		e, err := r.corrected(old, f)
		f.tell(r, &e)
		return e, err
	})
}

// An outcome is how an action is written down and told.
type outcome struct {
	op   entry.Op
	done string
}

func outcomes() map[string]outcome {
	return map[string]outcome{
		"append":  {entry.OpAppend, "appended"},
		"replace": {entry.OpReplace, "replaced"},
		"edit":    {entry.OpEdit, "edited"},
		"confirm": {entry.OpConfirm, "confirmed"},
		"delete":  {entry.OpRetract, "deleted"},
	}
}

// corrected is the entry as the fix leaves it.
func (r reading) corrected(e entry.Entry, f *fix) (entry.Entry, error) {
	switch f.Action {
	case "append":
		e.Body = appended(e.Body, f.Text)
		if len(e.Body) > MaxText {
			return e, &TextError{Field: "text", What: TextTooLong, Size: len(e.Body)}
		}
	case "replace":
		e.Body = f.Text
	case "edit":
		f.edit(&e)
		return e, nil
	}
	r.vouch(&e, f)
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
	if pins := pin(e, r.tree.root); len(pins) > 0 {
		e.Pins = pins
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

// titled is the id of another entry with the same topic and title.
func titled(view *store.View, e *entry.Entry) string {
	key := titleKey(e)
	for h := range view.Heads() {
		if h.Copy == "" && h.Entry.ID != e.ID && h.Entry.Topic == e.Topic && titleKey(&h.Entry) == key {
			return h.Entry.ID
		}
	}
	return ""
}

func (f *fix) tell(r reading, e *entry.Entry) {
	f.out.ID, f.out.Lobe, f.out.Topic, f.out.Title = e.ID, r.lobe.name, e.Topic, e.Title
	f.out.Action, f.out.Trust = outcomes()[f.Action].done, string(trustOf(e))
	rule := f.Action == "append" || f.Action == "replace"
	person := slices.Contains([]string{"user", "preferences"}, e.Topic)
	f.out.SuggestPreference = rule && !person && utf8.RuneCountInString(f.Text) > shortCorrection
	if signs := speaksToModel(f.Text); len(signs) > 0 {
		f.warnings = []string{"the text speaks to the model: " + strings.Join(signs, ", ")}
	}
}
