package lobes

import "time"

// Forgetting says what is to be forgotten: every entry of which one state was
// written as all of the given fields say. At least one of them is needed.
type Forgetting struct {
	Session string
	Source  string // a file, an address or a session that an entry cites
	Actor   string // as in a [Window]
	// Since and Until bound the recorded time of that state, both included.
	Since, Until time.Time
	// Secrets masks what looks like a secret in files and history, instead of
	// forgetting entries. The other fields may be empty.
	Secrets bool

	Erase  bool // the content goes from everywhere; without it the history keeps it
	Apply  bool // do it; without it the call only shows what would be done
	Token  string
	Reason string
}

// Forgotten is the answer of [Set.Forget].
type Forgotten struct {
	Lobes []string `json:"lobes"`
	// Matches are the entries, each with the last state that agreed.
	Matches []Change `json:"matches"`
	// Token stands for exactly these entries in exactly these states: a call
	// with it acts only if they are still the same.
	Token     string   `json:"token"`
	Applied   bool     `json:"applied"`
	Retracted []string `json:"retracted"`
	Erased    []string `json:"erased"` // with what was made of them
	Masked    []string `json:"masked"` // ids that held secrets
	// Records counts what else was written down so: feedback and the like. To
	// erase takes them away; to take back lets feedback count no more.
	Records int `json:"records"`
	// Material counts the texts that wait in inboxes, or were given up there.
	Material int `json:"material"`
	// Left is what cannot be reached from here, in words.
	Left []string `json:"left"`
}
