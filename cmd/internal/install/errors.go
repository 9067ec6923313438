package install

import (
	"fmt"
	"strings"
)

// A NameTakenError says that other servers have both names that ours may have
// in a file.
type NameTakenError struct{ Names []string }

func (e *NameTakenError) Error() string {
	return "other servers are named " + strings.Join(e.Names, " and ")
}

// A FileError is about one file of a host: it is left as it is.
type FileError struct {
	Host, Path string
	Err        error
}

func (e *FileError) Error() string { return fmt.Sprintf("leave %q alone: %v", e.Path, e.Err) }

func (e *FileError) Unwrap() error { return e.Err }

// An UnknownHostError says that no host has an id.
type UnknownHostError struct {
	ID    string
	Known []string
}

func (e *UnknownHostError) Error() string {
	return fmt.Sprintf("no agent is named %q (known: %s)", e.ID, strings.Join(e.Known, ", "))
}

// A ForeignFileError says that a whole file of ours would stand where another
// one is.
type ForeignFileError struct{ Edited bool }

func (e *ForeignFileError) Error() string {
	if e.Edited {
		return "it was changed by hand since setup wrote it"
	}
	return "another file has this name"
}

// A ChangedError says that a file kept changing while it was to be written.
type ChangedError struct{ Tries int }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("it changed each of %d times that it was to be written", e.Tries)
}
