// Package entry says what a memory is and how its Markdown file is written.
//
// An [Entry] is one memory as its file states it. [Parse] reads a file,
// [Entry.Format] writes a new one, and [Rewrite] changes an existing one line
// by line, so that what a person wrote stays as they wrote it. A [Revision] is
// one immutable state of an entry with the facts of how it came about.
//
// The format is docs/format.md. The package does no I/O.
package entry

import "time"

// Entry is one memory as its file states it. The zero value of every field
// but ID, Topic, Title and Body means "not stated", and is not written.
type Entry struct {
	ID    string // unique in its lobe; see [ValidID]
	Topic string // one of [Topics], or "modules/NAME"
	Title string // one line, without the "# "
	Body  string // Markdown below the title: LF line ends, no blank lines at either end

	Kind         string   // one of [Kinds]
	Status       string   // one of [Statuses]; "" is active
	Trust        Trust    // "" is [AgentInferred]
	TrustFrom    string   // "topic" when Trust came from the topic's default
	Confidence   *float64 // 0..1; nil means the one that goes with Trust; see [Entry.Certainty]
	Importance   *float64 // 0..1; nil is neutral (0.5)
	Durability   string   // "reusable" or "task_detail"
	Created      time.Time
	LastAccessed time.Time // read and kept, never used: an older program's field
	Verified     time.Time // the day somebody last checked the entry against its sources
	Valid        Interval  // when the fact holds in the world
	Expires      time.Time

	Sources     []string // files, addresses or people that the entry rests on
	References  []string // other files or names it speaks of
	Tags        []string // see [CleanTags]
	Branch      string   // git branch, for recent work
	GitSHA      string   // commit at the time of writing
	Supersedes  []string // ids
	DerivedFrom []string // ids
	MovedTo     string   // lobe and id, for an entry that was moved away
	Subject     string
	Conditions  []string // "os: linux", "version: 1.2", free text
	Problem     string
	Solution    string
	Files       []string
	Concepts    []string
	Quote       string   // words of the source, verbatim
	Origin      string   // the lobe it came from, or "repository", "import", ...
	Pins        []string // "PATH SHA256" of each cited file when the entry was last checked

	// Extra holds the header keys that this version does not know, in file
	// order, so that a copy of the entry in a new file keeps them.
	Extra []Field
}

// Field is a header key that is not one of ours. Lines are its raw lines,
// without line ends, the first one with the key; later ones are continuation lines.
type Field struct {
	Key   string
	Lines []string
}

// Interval is a half-open span of time [From, Until). A zero bound is open.
type Interval struct{ From, Until time.Time }

// Contains tells whether t lies in the interval.
func (i Interval) Contains(t time.Time) bool {
	return (i.From.IsZero() || !t.Before(i.From)) && (i.Until.IsZero() || t.Before(i.Until))
}

// Trust tells where a memory comes from.
type Trust string

// The levels of trust, highest first.
const (
	User           Trust = "user"            // a person said or corrected it
	AgentConfirmed Trust = "agent-confirmed" // an agent saw it and checked the code
	AgentInferred  Trust = "agent-inferred"  // an agent saw it
)

// Confidence is the certainty that goes with a trust, 0..1.
func (t Trust) Confidence() float64 {
	switch t {
	case User:
		return 1
	case AgentConfirmed:
		return 0.85
	default:
		return 0.70
	}
}

// Certainty is the stated confidence, clamped to 0..1, or the one that goes
// with the entry's trust.
func (e Entry) Certainty() float64 {
	if e.Confidence == nil {
		return e.Trust.Confidence()
	}
	return min(1, max(0, *e.Confidence))
}
