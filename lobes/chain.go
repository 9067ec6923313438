package lobes

import "time"

// Chain is all that is known of how an entry came to be what it is.
type Chain struct {
	ID   string `json:"id"`
	Lobe string `json:"lobe"`
	// State is believed, retracted, moved (to MovedTo) or erased.
	State   string `json:"state"`
	MovedTo string `json:"moved_to,omitempty"`
	// Entry is what is believed now; nil when nothing is.
	Entry *Result `json:"entry"`
	// Changes is the entry's own line, oldest first, each with its words;
	// Beside are texts that no line leads to: what an editor wrote too late,
	// and the other head of two copies that were merged.
	// Records are what else happened to it, feedback above all, oldest first.
	Changes []Change `json:"changes"`
	Beside  []Change `json:"beside"`
	Records []Change `json:"records"`
	// Ancestors are the entries that it took the place of or was made of,
	// Descendants those that took its place or were made of it, the nearest
	// first.
	Ancestors   []Link `json:"ancestors"`
	Descendants []Link `json:"descendants"`
	Omitted     int    `json:"omitted"` // links beyond the bound
	// Unread counts states of the entry that others follow and whose files are
	// damaged or gone.
	Unread int `json:"unread,omitempty"`
}

// Link is an entry that another one hangs together with.
type Link struct {
	// Relation is supersedes or derived_from: how the younger one of the two
	// refers to the older one.
	Relation string `json:"relation"`
	Of       string `json:"of"` // the id at the other end
	Depth    int    `json:"depth"`
	ID       string `json:"id"`
	Lobe     string `json:"lobe"` // "" when no searched lobe knows the id
	State    string `json:"state"`
	Title    string `json:"title"`
	Topic    string `json:"topic"`
	Excerpt  string `json:"excerpt"`
	// Of the entry's first state: who wrote it, when, and on what grounds.
	Recorded time.Time `json:"recorded"`
	Actor    string    `json:"actor"`
	Session  string    `json:"session"`
	Sources  []string  `json:"sources"`
	Quote    string    `json:"quote"`
	// Reason is the one that its last change was given.
	Reason     string     `json:"reason"`
	ValidFrom  *time.Time `json:"valid_from,omitempty"`
	ValidUntil *time.Time `json:"valid_until,omitempty"`
}

// The states of an entry in a [Chain].
const (
	StateBelieved  = "believed"
	StateRetracted = "retracted"
	StateMoved     = "moved"
	StateErased    = "erased"
	StateUnknown   = "unknown"
)
