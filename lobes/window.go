package lobes

import (
	"time"

	"memory-mcp/textanalysis"
)

// Window says which changes are asked for: those recorded after Since and not
// after Until, that all of the rest agrees with. The zero value is all of them.
type Window struct {
	Since, Until time.Time // zero is open; neither may lie in the future
	// Before takes up a timeline where an earlier page ended: its Next, or a
	// time in RFC 3339.
	Before string
	Limit  int // changes of a page of a timeline: 0 is 100, at most 1,000; of a diff, each list: 0 is all

	Topic   string // a topic, a prefix of topics, or "*"
	Actor   string // whole, or without what follows a blank: "claude-code" is every version
	Session string
	ID      string
}

// Change is one step in the life of an entry, or what several of them come to.
type Change struct {
	Recorded time.Time `json:"recorded"`
	// Kind is what it means: learned, revised, confirmed, retracted, restored,
	// promoted, adopted, moved, superseded, archived, undone, erased or late;
	// of what is no state of an entry the kind of the record: feedback,
	// withdrawn, received, failed, declined, paused, resumed.
	Kind   string   `json:"kind"`
	Op     string   `json:"op"` // as the history has it; "record" for a record
	ID     string   `json:"id"` // "" for a record of no entry
	Lobe   string   `json:"lobe"`
	Topic  string   `json:"topic"`
	Title  string   `json:"title"`
	Path   string   `json:"path"` // absolute; where the file lies, or lay
	Key    string   `json:"key"`  // of the revision; "" while the edit is not written down
	Actor  string   `json:"actor"`
	Hint   string   `json:"hint,omitempty"` // who an edit from outside may be of
	Change string   `json:"change"`         // joins what one call wrote
	Reason string   `json:"reason"`
	Parent []string `json:"parents,omitempty"` // keys

	Session string `json:"session,omitempty"`
	Role    string `json:"role,omitempty"`
	Pending bool   `json:"pending,omitempty"` // not yet in the history
	MovedTo string `json:"moved_to,omitempty"`

	// Entries are the ids that a record of several is about.
	Entries []string `json:"entries,omitempty"`

	// Erased is when the content of this state alone was erased, and Eraser who
	// did that: nothing else of it is known.
	Erased *time.Time `json:"erased,omitempty"`
	Eraser string     `json:"eraser,omitempty"`

	// Supersedes are the ids whose place the entry took, when that is what
	// happened here.
	Supersedes []string `json:"supersedes,omitempty"`
	// What the entry stated at that time; in a timeline, too.
	Trust      string     `json:"trust,omitempty"`
	Status     string     `json:"status,omitempty"`
	ValidFrom  *time.Time `json:"valid_from,omitempty"`
	ValidUntil *time.Time `json:"valid_until,omitempty"`
	Sources    []string   `json:"sources,omitempty"`
	Quote      string     `json:"quote,omitempty"`

	// Words are the old title and text with the new ones worked in, and Fields
	// what else became other; only a diff and the chain of an entry tell them.
	Words  []textanalysis.Piece `json:"words,omitempty"`
	Fields []FieldChange        `json:"fields,omitempty"`
}

// FieldChange is a header field that became other.
type FieldChange struct {
	Field string `json:"field"` // as the file names it
	Old   string `json:"old"`
	New   string `json:"new"`
}

// Differences is what became of what was believed between two times. It tells
// the outcome, not the way: an entry stands in one list at most.
//
//	Learned    believed at To, not at From
//	Revised    believed at both, and says something else; also a new entry that
//	           took the place of one that was believed at From
//	Retracted  believed at From, not at To; and what was erased between them
//	Promoted   was a candidate or waited for review at From, and is active at To
//	Adopted    as Learned or Revised, when all of its changes between the two
//	           were made by hand
//
// An entry that was only confirmed, or that came and went between the two, is
// counted. Each list is in the order of the last change, newest first.
type Differences struct {
	Lobes     []string  `json:"lobes"`
	From      time.Time `json:"from"` // zero: from the beginning
	To        time.Time `json:"to"`
	Learned   []Change  `json:"learned"`
	Revised   []Change  `json:"revised"`
	Retracted []Change  `json:"retracted"`
	Promoted  []Change  `json:"promoted"`
	Adopted   []Change  `json:"adopted"`
	Confirmed int       `json:"confirmed"`
	Passed    int       `json:"passed"`  // came and went in between
	Omitted   int       `json:"omitted"` // not told because of Limit
	Degraded  []Health  `json:"degraded"`
}

// Timeline is a page of changes, newest first.
type Timeline struct {
	Lobes    []string `json:"lobes"`
	Changes  []Change `json:"changes"`
	Next     string   `json:"next"` // Before of the next page; "" at the end
	Degraded []Health `json:"degraded"`
}
