package entry

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMalformed is wrapped by every error that says a file cannot be read.
var ErrMalformed = errors.New("malformed")

// SyntaxError says which line of a file cannot be read, and what would mend it.
type SyntaxError struct {
	Line   int    // from 1
	What   string // what is wrong
	Value  string // the text it is about
	Remedy string // what a person can do

	key string // the header key that cannot be decoded, if it is about one
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: %s: %q", e.Line, e.What, e.Value)
}

// Unwrap makes the error an [ErrMalformed].
func (e *SyntaxError) Unwrap() error { return ErrMalformed }

// KeyError says that a rewrite was refused because a header key would have to
// change and cannot be decoded, or cannot be written.
type KeyError struct {
	Key   string
	Cause error
}

func (e *KeyError) Error() string { return fmt.Sprintf("key %q: %v", e.Key, e.Cause) }

// Unwrap gives the cause.
func (e *KeyError) Unwrap() error { return e.Cause }

// TopicError says that a text is not a topic.
type TopicError struct {
	Given string
	Near  string   // the topic that was probably meant; "" when none is near
	Known []string // every topic; "modules/NAME" stands for all of its kind
}

func (e *TopicError) Error() string {
	return unknown("topic", e.Given, e.Near, e.Known)
}

// WordError says that a text is none of a closed list of words.
type WordError struct {
	What  string // "kind", "status", "trust", ...
	Given string
	Near  string // the word that was probably meant; "" when none is near
	Known []string
}

func (e *WordError) Error() string {
	return unknown(e.What, e.Given, e.Near, e.Known)
}

func unknown(what, given, near string, known []string) string {
	s := fmt.Sprintf("no %s is named %q (known: %s)", what, given, strings.Join(known, ", "))
	if near != "" {
		s += fmt.Sprintf("; nearest is %q", near)
	}
	return s
}
