package lobes

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// UnknownLobeError says that no lobe has the name.
type UnknownLobeError struct {
	Name  string
	Known []string // all names, sorted
	Near  []string // those that look like it
}

func (e *UnknownLobeError) Error() string {
	return fmt.Sprintf("no lobe is named %q (there are %s)", e.Name, list(e.Known))
}

// AmbiguousError says that a write could go to several lobes.
type AmbiguousError struct{ Candidates []string }

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the call does not tell which lobe it speaks to (it could be %s)", list(e.Candidates))
}

// NoLobeError says that no lobe covers what the call speaks of.
type NoLobeError struct {
	Known []string
	Why   string // what was looked at
}

func (e *NoLobeError) Error() string {
	return fmt.Sprintf("no lobe covers %s (there are %s)", e.Why, list(e.Known))
}

// DegradedError says that the lobe cannot be served.
type DegradedError struct {
	Lobe   string
	Cause  error
	Remedy []string
}

func (e *DegradedError) Error() string {
	return fmt.Sprintf("lobe %q is degraded: %v", e.Lobe, e.Cause)
}

// Unwrap gives the cause.
func (e *DegradedError) Unwrap() error { return e.Cause }

// SafeModeError says that no lobe can be served.
type SafeModeError struct{ Lobes []Health }

func (e *SafeModeError) Error() string {
	causes := make([]string, 0, len(e.Lobes))
	for _, l := range e.Lobes {
		causes = append(causes, fmt.Sprintf("%s: %s", l.Name, l.Cause))
	}
	if len(causes) == 0 {
		return "no lobe is configured"
	}
	return "no lobe can be served: " + strings.Join(causes, "; ")
}

// ReadOnlyError says that this process writes nothing.
type ReadOnlyError struct{ Verb string }

func (e *ReadOnlyError) Error() string { return fmt.Sprintf("%s: read-only", e.Verb) }

// EphemeralError refuses a text that looks as if it will not hold for long.
type EphemeralError struct {
	Title    string
	Severity string // medium or high
	Signals  []string
}

func (e *EphemeralError) Error() string {
	return fmt.Sprintf("%q looks short-lived (%s)", e.Title, strings.Join(e.Signals, "; "))
}

// FullError says that the lobe's budget is used up.
type FullError struct {
	Lobe         string
	Used, Budget int64
	ConfigPath   string // the file to change
	ConfigLine   string // the line that raises the budget
}

func (e *FullError) Error() string {
	return fmt.Sprintf("lobe %q is full: %d of %d bytes are used", e.Lobe, e.Used, e.Budget)
}

// The kinds of [TextError].
const (
	TextEmpty   = "empty"
	TextTooLong = "too long"
	TextNotUTF8 = "not UTF-8"
	TextNUL     = "NUL"
	TextPrivate = "private" // nothing but private parts
)

// TextError refuses a text.
type TextError struct {
	Field  string // text, title, tags, ...
	What   string // one of the constants above
	Offset int    // in bytes, for not UTF-8 and NUL
	Size   int    // in bytes
	Most   int    // of Size, for too long; 0 is MaxText
}

func (e *TextError) Error() string {
	switch e.What {
	case TextTooLong:
		return fmt.Sprintf("%s is too long: %d bytes, at most %d", e.Field, e.Size, cmp.Or(e.Most, MaxText))
	case TextNotUTF8:
		return fmt.Sprintf("%s is not UTF-8 at byte %d", e.Field, e.Offset)
	case TextNUL:
		return fmt.Sprintf("%s has a NUL at byte %d", e.Field, e.Offset)
	case TextPrivate:
		return fmt.Sprintf("%s is empty without its private parts", e.Field)
	default:
		return fmt.Sprintf("%s is empty", e.Field)
	}
}

// ValueError refuses a value that is not one of the allowed ones.
type ValueError struct {
	Field   string
	Value   string
	Allowed []string // empty when they cannot be listed
	Near    []string
	Why     string
}

func (e *ValueError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("%s %q is refused: %s", e.Field, e.Value, e.Why)
	}
	return fmt.Sprintf("%s %q is not known: it is one of %s", e.Field, e.Value, strings.Join(e.Allowed, ", "))
}

// UnknownIDError says that no searched lobe has the entry.
type UnknownIDError struct {
	ID    string
	Lobes []string // that were searched
	Near  []string // ids that look like it
	// Gone tells that the entry was retracted, and when.
	Gone time.Time
	// Erased tells that nothing is left of it, and Gone when it went; with AsOf
	// that nothing is left of what it was then.
	Erased bool
	// AsOf is the time that was asked about; zero is the present.
	AsOf time.Time
	// Elsewhere are the lobes of this process that have the id, though the
	// call does not speak to them.
	Elsewhere []string
}

func (e *UnknownIDError) Error() string {
	if !e.AsOf.IsZero() && e.Erased {
		return fmt.Sprintf("what was believed of %q at %s was erased", e.ID, e.AsOf.UTC().Format(time.RFC3339))
	}
	if !e.AsOf.IsZero() {
		return fmt.Sprintf("nothing was believed of %q in %s at %s", e.ID, list(e.Lobes), e.AsOf.UTC().Format(time.RFC3339))
	}
	if e.Erased {
		return fmt.Sprintf("entry %q was erased on %s", e.ID, e.Gone.Format(time.DateOnly))
	}
	if !e.Gone.IsZero() {
		return fmt.Sprintf("entry %q was retracted on %s", e.ID, e.Gone.Format(time.DateOnly))
	}
	return fmt.Sprintf("no entry has the id %q in %s", e.ID, list(e.Lobes))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// NothingToUndoError says that no change of an entry, or of a session, is left
// to be undone.
type NothingToUndoError struct {
	ID, Session string // one of the two
	Lobe        string
}

func (e *NothingToUndoError) Error() string {
	if e.ID == "" {
		return fmt.Sprintf("session %q has changed nothing in %s that is not undone", e.Session, e.Lobe)
	}
	return fmt.Sprintf("entry %q in %s has no change that is not undone", e.ID, e.Lobe)
}

// LostStateError says that nobody knows what an entry was before a change: the
// file of that state is damaged or gone.
type LostStateError struct {
	ID       string
	Recorded time.Time // of the change
}

func (e *LostStateError) Error() string {
	return fmt.Sprintf("what entry %q was before %s cannot be read: the file of that state is damaged or gone", e.ID, e.Recorded.UTC().Format(time.RFC3339))
}

// MovedError says that an entry lies in another lobe by now.
type MovedError struct{ ID, Lobe, To string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("entry %q was moved from %s to %s", e.ID, e.Lobe, e.To)
}

// StaleTokenError says that what a preview showed is no longer what there is.
type StaleTokenError struct{ Given, Now string }

func (e *StaleTokenError) Error() string {
	if e.Given == "" {
		return "nothing is forgotten without the token of a preview"
	}
	return fmt.Sprintf("the token %q is not the one of what would be forgotten now", e.Given)
}

// RefusedError refuses a text that was taken back before.
type RefusedError struct {
	Title string
	What  string // retracted or erased
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%q was %s: only a person can store it again", e.Title, e.What)
}
