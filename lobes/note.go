package lobes

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
	// Action is append, replace, edit, delete (also retract) or confirm.
	Action   string
	Text     string
	Revision string // when given, the change is refused if the entry has another one by now
	Reason   string

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
	Action   string `json:"action"` // appended, replaced, edited, deleted or confirmed
	Trust    string `json:"trust"`
	// SuggestPreference tells that the correction may be worth storing as a
	// preference: it is a sentence of a person about how to work.
	SuggestPreference bool     `json:"suggest_preference"`
	Adopted           bool     `json:"adopted"` // an edit from outside was written down first
	Masked            []string `json:"masked"`
	Warnings          []string `json:"warnings"`
}
