package lobes

import (
	"time"

	"memory-mcp/store/entry"
)

// The bounds of a search.
const (
	DefaultLimit = 10
	MaxLimit     = 50
	// MaxExcerpt is the length in characters of the longest excerpt.
	MaxExcerpt = 500
)

// Query asks for entries. With Text it ranks by relevance (memory_context),
// with Filter it selects in the filter language, with IDs it gets; with none
// it lists.
type Query struct {
	Text    string
	Filter  string
	IDs     []string
	Scope   string // a topic, a prefix of topics, or "*"; "" is "*"
	Branch  string // of recent work: "" is the current one, "*" all, or a name
	Kind    string
	Status  string // "" is what the present shows; "*" or one status shows more
	Subject string
	Limit   int // 0 is DefaultLimit; more than MaxLimit is MaxLimit
	Offset  int
	// MinMatch is the share 0..1 of the query's informative words below which
	// a hit of Text is left out, besides those that are noise beside the others.
	MinMatch float64
	// Depth 3 also tells up to five entries that hang together with the hits.
	Depth    int
	NoBoosts bool // relevance alone orders the hits
	// Excerpt is the length in characters of an excerpt; 0 is 300.
	Excerpt int
	// History fills in Pending and Revision of each result; a get by IDs
	// always does.
	History bool
	// Commits adds what git knows of cited files that changed, within a bound.
	Commits bool
	// Always adds the person's entries of topic user to a search by Text.
	Always bool
	// AsOf asks for what was believed at that recorded time; zero is now. It
	// may not lie in the future.
	AsOf time.Time
	// At is the time that validity and expiry are judged at; zero is AsOf.
	At time.Time

	vector  []float32 // of Text; nil when nobody made one
	unasked bool      // only what may be shown to somebody who did not ask
}

// Answer is what a search found.
type Answer struct {
	Lobes    []string `json:"lobes"` // that were searched
	Results  []Result `json:"results"`
	Total    int      `json:"total"`     // hits before Limit and Offset
	Omitted  int      `json:"omitted"`   // hits not shown: Total less those before and in Results
	NotValid int      `json:"not_valid"` // left out: not valid yet or no longer, or expired
	Held     int      `json:"held"`      // left out: waiting for a person's review
	Hidden   int      `json:"hidden"`    // left out: pending, archived or superseded
	Branches int      `json:"branches"`  // left out: recent work of other branches
	Erased   int      `json:"erased"`    // not known: what was believed of them then was erased since
	Weak     int      `json:"weak"`      // left out: noise beside the others, or less than MinMatch
	Gate     Gate     `json:"gate"`      // of a search by Text: whether it would be shown unasked
	RankedBy string   `json:"ranked_by"` // lexical, hybrid or reranked; recency for a list, id for a get
	// VectorShare is the part of the searched entries that has a vector.
	VectorShare float64    `json:"vector_share"`
	Fallback    string     `json:"fallback"`  // "", "any-word" or "inside-words"
	Tags        []TagCount `json:"tags"`      // the most frequent of the searched lobes
	Matched     []string   `json:"matched"`   // words of the query that the shown hits hold
	Missing     []string   `json:"missing"`   // ids that were asked for and not found
	Conflicts   []Conflict `json:"conflicts"` // among the shown hits
	Tried       string     `json:"tried"`     // what an empty search tried
	Choose      []string   `json:"choose"`    // the call did not lead to a project's lobe: these could be named
	Degraded    []Health   `json:"degraded"`  // lobes that should have been searched and could not
	// Vanished are searched lobes of which many files went at once, as far as
	// this process has noticed; none when another time is asked for.
	Vanished []Vanished `json:"vanished"`
	AsOf     time.Time  `json:"as_of"`
	ValidAt  time.Time  `json:"valid_at"`
}

// Result is one found entry.
type Result struct {
	Entry      entry.Entry `json:"-"`
	Lobe       string      `json:"lobe"`
	Path       string      `json:"path"` // absolute
	Excerpt    string      `json:"excerpt"`
	Score      float64     `json:"score"`
	Confidence float64     `json:"confidence"`
	Fresh      Fresh       `json:"fresh"`
	Why        string      `json:"why"` // one line: what matched and what moved it
	Reasons    []Reason    `json:"reasons"`
	Global     bool        `json:"global"`     // from the person's own store
	Copy       bool        `json:"copy"`       // a second file with the id of another
	Associated bool        `json:"associated"` // no hit itself: it hangs together with one, as Why says
	Broken     bool        `json:"broken"`     // the file does not parse; its text was searched
	Pending    bool        `json:"pending"`    // edited from outside, not yet in the history
	Disputed   bool        `json:"disputed"`   // another text lies beside it: of a copy of the folder, or what an editor wrote too late
	Signals    []string    `json:"signals"`    // the text speaks to a model: which signs
	Revision   string      `json:"revision"`
}

// Reason is one thing that gave a hit its score.
type Reason struct {
	What   string  `json:"what"` // term, expansion, topic, trust, fresh, status, importance
	Term   string  `json:"term,omitempty"`
	For    string  `json:"for,omitempty"` // the word that was asked, which Term stands for
	Field  string  `json:"field,omitempty"`
	Weight float64 `json:"weight"` // part of the score for a term, factor for the rest
}

// Fresh tells how far an entry can be relied on today.
type Fresh struct {
	// Verdict is fresh, stale (by age), changed (a cited file differs from
	// when the entry was last checked), gone (a cited file is not there) or
	// unknown (nothing to judge by).
	Verdict string        `json:"verdict"`
	Commit  string        `json:"commit"` // that the entry was written at
	Changes []FreshChange `json:"changes"`
	Days    int           `json:"days"` // since written or verified
}

// FreshChange is one cited file that is not what it was.
type FreshChange struct {
	File string `json:"file"`
	What string `json:"what"` // changed or gone
	// What git knows of it since the entry was last checked: how many commits
	// touched it, what the last of them says, and its new name. Only the chain
	// of an entry and full detail tell it.
	Commits int    `json:"commits,omitempty"`
	Subject string `json:"subject,omitempty"`
	Renamed string `json:"renamed,omitempty"`
}

// TagCount is a tag and how many entries carry it.
type TagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

// Conflict is a pair of shown entries that may contradict each other.
type Conflict struct {
	A          ConflictSide `json:"a"`
	B          ConflictSide `json:"b"`
	Similarity float64      `json:"similarity"`
	// Doubtful is the id that is more likely wrong: the less certain one, else
	// the older one.
	Doubtful string `json:"doubtful"`
}

// ConflictSide is one side of a [Conflict].
type ConflictSide struct {
	ID         string    `json:"id"`
	Lobe       string    `json:"lobe"`
	Title      string    `json:"title"`
	Confidence float64   `json:"confidence"`
	Created    time.Time `json:"created"`
}
