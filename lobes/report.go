package lobes

import "time"

// Briefing is what a session should know at its start.
type Briefing struct {
	Lobes      []string    `json:"lobes"`
	Sections   []Section   `json:"sections"` // in the order of reading, empty ones left out
	Entries    int         `json:"entries"`  // that the present shows, in these lobes
	Stale      int         `json:"stale"`
	StaleFirst []Result    `json:"stale_first"` // the ones to check first
	Overrides  []Override  `json:"overrides"`   // edits from outside that put back what we had changed
	Late       []Override  `json:"late"`        // bytes that an editor wrote into a replaced file; kept as a side revision
	Objections []Objection `json:"objections"`  // feedback against what a person said
	Vanished   []Vanished  `json:"vanished"`
	Degraded   []Health    `json:"degraded"`
	Held       int         `json:"held"`  // entries waiting for a person's review
	Empty      bool        `json:"empty"` // no lobe has an entry
	Moved      []Moved     `json:"moved"` // an empty lobe whose repository is known to have had memories elsewhere
	Tags       []TagCount  `json:"tags"`
}

// Section is one part of a briefing.
type Section struct {
	Topic   string   `json:"topic"`
	Lobe    string   `json:"lobe"`
	Branch  string   `json:"branch"`
	Results []Result `json:"results"` // the most certain ones
	Total   int      `json:"total"`   // with those that are not in Results
}

// Override is a text beside a memory's own: that of a change of ours which an
// edit undid, that of an edit which came too late, or that of another copy of
// the folder.
type Override struct {
	ID    string `json:"id"`
	Lobe  string `json:"lobe"`
	Title string `json:"title"`
	Path  string `json:"path"`
	Key   string `json:"key"` // of the revision that holds the other text
	// Of the other text: that it is another copy's (or that the memory is gone
	// there), who wrote it and when, and how it begins. A replace with the right
	// text settles it, and so does a confirm of the memory as it is.
	Twin     bool      `json:"twin,omitempty"`
	Gone     bool      `json:"gone,omitempty"`
	Actor    string    `json:"actor,omitempty"`
	Recorded time.Time `json:"recorded,omitzero"`
	Excerpt  string    `json:"excerpt,omitempty"`
}

// Vanished tells that too many entries went at once to be taken for deletions.
type Vanished struct {
	Lobe  string `json:"lobe"`
	Dir   string `json:"dir"`
	Count int    `json:"count"`
}

// Moved says where a known repository's memories were when last written.
type Moved struct {
	Lobe  string `json:"lobe"`
	Dir   string `json:"dir"`
	Count int    `json:"count"`
}

// The states of a lobe and of a Set.
const (
	Running  = "running"
	Degraded = "degraded"
	Safe     = "safe"
)

// Health is how a lobe is.
type Health struct {
	Name   string   `json:"name"`
	State  string   `json:"state"` // running or degraded
	Cause  string   `json:"cause"`
	Remedy []string `json:"remedy"`
}

// LobeInfo describes a lobe.
type LobeInfo struct {
	Name          string `json:"name"`
	Root          string `json:"root"`
	Dir           string `json:"dir"`
	Health        Health `json:"health"`
	Entries       int    `json:"entries"`
	Used          int64  `json:"used"`
	Budget        int64  `json:"budget"`
	AlwaysInclude bool   `json:"always_include"`
	Global        bool   `json:"global"`
	Branch        string `json:"branch"`
	Current       bool   `json:"current"` // the lobe that the target speaks to
}

// LobeStats counts what a lobe holds.
type LobeStats struct {
	Lobe         string         `json:"lobe"`
	Dir          string         `json:"dir"`
	Entries      int            `json:"entries"`
	Broken       int            `json:"broken"`
	Copies       int            `json:"copies"`
	Used         int64          `json:"used"`
	Budget       int64          `json:"budget"`
	ByTopic      map[string]int `json:"by_topic"`
	ByTrust      map[string]int `json:"by_trust"`
	ByStatus     map[string]int `json:"by_status"`
	ByKind       map[string]int `json:"by_kind"`
	BySubject    map[string]int `json:"by_subject"`
	Tags         []TagCount     `json:"tags"`
	Fresh        int            `json:"fresh"`
	Stale        int            `json:"stale"`   // by age
	Unknown      int            `json:"unknown"` // no source to check against
	Oldest       time.Time      `json:"oldest"`
	Newest       time.Time      `json:"newest"`
	HistoryFiles int            `json:"history_files"`
	HistoryBytes int64          `json:"history_bytes"`
	RecordFiles  int            `json:"record_files"` // feedback and the like, written once
	RecordBytes  int64          `json:"record_bytes"`
	InboxFiles   int            `json:"inbox_files"`
	InboxBytes   int64          `json:"inbox_bytes"`
	Queue        Queue          `json:"queue"`        // what waits for a model
	LedgerFiles  int            `json:"ledger_files"` // what sessions were told, one a session
	LedgerBytes  int64          `json:"ledger_bytes"`
	Usage        Usage          `json:"usage"`
	Degraded     *Health        `json:"degraded,omitempty"`
}

// Problem is something in a lobe that a person should look at.
type Problem struct {
	Lobe   string `json:"lobe"`
	File   string `json:"file"` // absolute
	Line   int    `json:"line"`
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// Diagnosis is how a Set is.
type Diagnosis struct {
	Mode     string    `json:"mode"` // running, degraded or safe
	Lobes    []Health  `json:"lobes"`
	Problems []Problem `json:"problems"`
	Queues   []Queue   `json:"queues"`   // of the lobes in which something waits for a model, was given up or is paused
	Behavior Behavior  `json:"behavior"` // in effect
}

// BootstrapOptions are what [Set.Bootstrap] can be told.
type BootstrapOptions struct {
	// Progress is called as the work goes on; total is 0 while unknown.
	Progress func(done, total int, what string)
}

// Bootstrapped is the answer of [Set.Bootstrap].
type Bootstrapped struct {
	Lobe      string   `json:"lobe"`
	Stored    []Stored `json:"stored"`
	Unchanged int      `json:"unchanged"` // stored before with the same text
	Skipped   int      `json:"skipped"`   // taken back, or changed by somebody, since: left so
	Warnings  []string `json:"warnings"`
}
