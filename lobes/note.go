package lobes

import "time"

// MaxText is the length in bytes of the longest text that is stored.
const MaxText = 64 << 10

// Note is one memory to store. Only Text is required; what is left empty is
// derived, and the answer says so.
type Note struct {
	Topic string
	Scope string // "project" or "global"; "" leaves it to the topic
	Title string
	Text  string

	Kind       string
	Trust      string
	Provenance string // save, checkpoint, debate, human: another way to tell trust
	Confidence *float64
	Importance *float64
	Durability string // reusable, task_detail

	Tags, Sources, References, Files, Concepts, Conditions []string

	Subject, Problem, Solution, Quote string
	Branch                            string // of recent work; "" is the current one
	Expires, ValidFrom, ValidUntil    string // RFC 3339 or a date

	// StoreAnyway overrules the durability review.
	StoreAnyway bool
}

// Remembered is the answer of [Set.Remember].
type Remembered struct {
	Stored      []Stored  `json:"stored"`
	Confirmed   []Stored  `json:"confirmed"`   // known already: the old entry was confirmed instead
	Similar     []Related `json:"similar"`     // of the same topic
	Preferences []Related `json:"preferences"` // that may bear on what was stored
	Masked      []string  `json:"masked"`      // kinds of secrets that were masked
	Warnings    []string  `json:"warnings"`
}

// Stored is one entry that a call wrote.
type Stored struct {
	ID         string   `json:"id"`
	Lobe       string   `json:"lobe"`
	Topic      string   `json:"topic"`
	Title      string   `json:"title"`
	Path       string   `json:"path"` // absolute
	Trust      string   `json:"trust"`
	TrustFrom  string   `json:"trust_from,omitempty"`
	Status     string   `json:"status,omitempty"` // "" is active; "review" when the text is held for a person
	Branch     string   `json:"branch,omitempty"`
	Actor      string   `json:"actor"`
	Confidence float64  `json:"confidence"`
	Revision   string   `json:"revision"`
	Action     string   `json:"action"`   // created, replaced or confirmed
	Derived    []string `json:"derived"`  // what was chosen for the caller: topic, title, lobe, trust, branch
	Signals    []string `json:"signals"`  // the text speaks to a model: which signs
	Adopted    bool     `json:"adopted"`  // an edit from outside was written down first
	Replaced   string   `json:"replaced"` // title of the entry whose text was replaced
}

// Related is an entry that is told beside an answer.
type Related struct {
	ID         string  `json:"id"`
	Lobe       string  `json:"lobe"`
	Topic      string  `json:"topic"`
	Title      string  `json:"title"`
	Excerpt    string  `json:"excerpt"`
	Path       string  `json:"path"`
	Similarity float64 `json:"similarity"`
	Confidence float64 `json:"confidence"`
}

// Correction changes or removes one entry.
type Correction struct {
	ID string
	// Action is append, replace, edit, confirm, delete (also retract),
	// supersede, archive, undo, restore, move or erase; see [Set.Correct].
	Action string
	Text   string
	// Revision, when given, refuses the change if the entry has another one by
	// now; of erase it is the state of which alone the content goes.
	Revision string
	Reason   string
	// Preview tells what would be done, and does nothing.
	Preview bool

	ValidFrom string   // of supersede: since when the new text holds, RFC 3339 or a date; "" is now
	Sources   []string // what the new text rests on; of append, replace and supersede
	Quote     string   // words of the source, verbatim; as Sources
	Session   string   // of undo, instead of ID: all that the session did
	ToLobe    string   // of move: a lobe's name, "" to stay
	ToTopic   string   // of move: "" keeps it

	// The fields that action edit sets; nil leaves one as it is.
	Title, Kind, Trust, Status, Subject *string
	Tags                                *[]string
	Confidence, Importance              *float64
	Expires                             *string // "" takes it away
}

// Corrected is the answer of [Set.Correct].
type Corrected struct {
	ID       string `json:"id"`
	Lobe     string `json:"lobe"`
	Topic    string `json:"topic"`
	Title    string `json:"title"`
	Path     string `json:"path"`
	Revision string `json:"revision"`
	// Action is appended, replaced, edited, deleted, confirmed, superseded,
	// archived, undone, restored, moved, erased, or unchanged.
	Action string `json:"action"`
	Trust  string `json:"trust"`
	// SuggestPreference tells that the correction may be worth storing as a
	// preference: it is a sentence of a person about how to work.
	SuggestPreference bool     `json:"suggest_preference"`
	Adopted           bool     `json:"adopted"` // an edit from outside was written down first
	Masked            []string `json:"masked"`
	Warnings          []string `json:"warnings"`

	Preview    bool       `json:"preview,omitempty"`    // nothing was done
	Supersedes string     `json:"supersedes,omitempty"` // the id whose place ID took
	ValidFrom  *time.Time `json:"valid_from,omitempty"` // of a supersede
	From       *Location  `json:"from,omitempty"`       // of a move: where it was
	Undone     []Undone   `json:"undone,omitempty"`
	Skipped    []Skipped  `json:"skipped,omitempty"` // of the undo of a session: what others changed since
	Erased     []string   `json:"erased,omitempty"`  // ids, with those of what was made of the entry
	Blanked    []string   `json:"blanked,omitempty"` // of an erase of single states: their revisions
	Left       []string   `json:"left,omitempty"`    // of an erase: what cannot be reached from here
}

// Location is where an entry is.
type Location struct {
	Lobe  string `json:"lobe"`
	Topic string `json:"topic"`
	Path  string `json:"path"` // absolute
}

// Undone is an entry that an undo put back to what it was.
type Undone struct {
	ID    string `json:"id"`
	Lobe  string `json:"lobe"`
	Title string `json:"title"`
	Path  string `json:"path"`
	// What was undone: learned, revised and so on, as in a [Change]; its
	// change ids; and when and by whom the last of them was made.
	Kind     string    `json:"kind"`
	Changes  []string  `json:"changes"`
	Recorded time.Time `json:"recorded"`
	Actor    string    `json:"actor"`
	Gone     bool      `json:"gone"` // it was not there before
}

// Skipped is an entry that an undo left alone.
type Skipped struct {
	ID       string    `json:"id"`
	Lobe     string    `json:"lobe"`
	Title    string    `json:"title"`
	Actor    string    `json:"actor"` // who changed it since, and when
	Recorded time.Time `json:"recorded"`
	Why      string    `json:"why"`
}
