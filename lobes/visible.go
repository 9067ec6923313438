package lobes

import (
	"time"

	"memory-mcp/store/entry"
)

// A sighting is what the present shows of an entry.
type sighting int

const (
	shown    sighting = iota
	held              // waits for a person's review
	hidden            // pending, archived, superseded
	notValid          // not yet or no longer true, or expired
)

// candidateWeight is the factor of an entry that is not yet an active memory.
const candidateWeight = 0.6

// see tells whether a search may show the entry at a time. asked is the
// status that the caller asked for: "" for what the present shows, "*" for
// that and what waits for review. What is pending, archived or superseded
// belongs to the history, whatever is asked.
//
//	status                        ""      its name  "*"
//	active                        shown   shown     shown
//	candidate                     shown   shown     shown    (weight 0.6, labelled)
//	review                        held    shown     shown
//	pending, archived, superseded hidden  hidden    hidden
//	expired, or not valid         notValid whatever its status
func see(e *entry.Entry, asked string, at time.Time) sighting {
	switch e.Status {
	case "", "active", "candidate":
	case "review":
		if asked != "review" && asked != "*" {
			return held
		}
	default:
		return hidden
	}
	if expired(e, at) || !e.Valid.Contains(at) {
		return notValid
	}
	return shown
}

// expired tells whether the entry's end is over.
func expired(e *entry.Entry, at time.Time) bool {
	return !e.Expires.IsZero() && !at.Before(e.Expires)
}

// hasStatus tells whether the entry is what a caller asked for by status.
func hasStatus(e *entry.Entry, asked string) bool {
	switch asked {
	case "", "*":
		return true
	case "active":
		return e.Status == "" || e.Status == "active"
	}
	return e.Status == asked
}
