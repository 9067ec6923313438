package store

import (
	"errors"
	"fmt"
	"time"

	"memory-mcp/store/entry"
)

var errNotFolder = errors.New("not a folder")

// BusyError says that an entry's file is being edited at this moment.
type BusyError struct {
	ID, Path string
	Age      time.Duration // since the file last changed
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("entry %q is being edited: %s changed %s ago", e.ID, e.Path, e.Age.Round(time.Millisecond))
}

// LockedError says that another writer held the folder's lock for too long.
type LockedError struct {
	Path   string
	Holder string // what the holder said of itself; may be empty
	Waited time.Duration
}

func (e *LockedError) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another program"
	}
	return fmt.Sprintf("lock %s: held by %s for more than %s", e.Path, holder, e.Waited)
}

// ConflictError says that an entry has another state than the caller had read.
type ConflictError struct {
	ID         string
	Want, Have string // revisions, 16 hex digits
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("entry %q is at revision %s, not %s", e.ID, e.Have, e.Want)
}

// BrokenError says that an entry's file cannot be parsed, so it is not changed.
type BrokenError struct {
	ID, Path string
	Cause    *entry.SyntaxError
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%s is not changed, since it cannot be read: %v", e.Path, e.Cause)
}

// Unwrap gives the cause.
func (e *BrokenError) Unwrap() error { return e.Cause }

// NewerFormatError says that a later version of this program wrote the folder.
type NewerFormatError struct {
	Path       string
	Have, Know int
}

func (e *NewerFormatError) Error() string {
	return fmt.Sprintf("%s has format %d, and this program writes format %d: the folder is only read", e.Path, e.Have, e.Know)
}

// UnknownIDError says that the store has no such entry.
type UnknownIDError struct {
	ID     string
	Dir    string
	Gone   bool // it was deleted, and its history is there, unless:
	Erased bool // nothing is left of it, and its id is not issued again
}

func (e *UnknownIDError) Error() string {
	if e.Erased {
		return fmt.Sprintf("entry %q in %s was erased", e.ID, e.Dir)
	}
	if e.Gone {
		return fmt.Sprintf("entry %q in %s was deleted", e.ID, e.Dir)
	}
	return fmt.Sprintf("no entry %q in %s", e.ID, e.Dir)
}

// ExistsError says that an id or a path is taken.
type ExistsError struct{ ID, Path string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("entry %q cannot be put back: %s exists", e.ID, e.Path)
}
