package lobes

import (
	"context"
	"log/slog"
	"time"

	"memory-mcp/lobes/repo"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// Options are what a [Set] needs besides its lobes. The zero value works: it
// has no global store, writes, and logs nothing.
type Options struct {
	Now      func() time.Time       // the clock; nil is time.Now
	Analyzer *textanalysis.Analyzer // finds words; nil is the default one
	Logger   *slog.Logger           // nil discards
	// Home is the absolute folder of the global store and of what is known of
	// repositories (~/.memory-mcp); empty is without both.
	Home string
	// ConfigPath is the configuration file that remedies name.
	ConfigPath string
	// ReadOnly refuses every write, and adopts no edits.
	ReadOnly bool
	// Git says where repositories may be looked for and what is believed.
	Git repo.Options
	// Behavior tunes what is shown.
	Behavior Behavior
	// Go runs background work so that a panic in it is reported; nil runs it
	// in a plain goroutine.
	Go func(name string, work func(context.Context))
	// Watch asks the kernel what has changed, where it tells completely: for a
	// process that answers many requests.
	Watch bool
	// Embedder turns texts into vectors, and Reranker scores what was found;
	// nil is without.
	Embedder Embedder
	Reranker Reranker
	// Extractor finds memories in raw material; nil lets it wait, for the reason
	// that NoExtractor tells.
	Extractor   Extractor
	NoExtractor error
	// Summarizer tells related memories as one, and Judge tells what contradicts;
	// nil is without.
	Summarizer Summarizer
	Judge      Judge
	// Transcriber turns speech into text; nil is without, for the reason that
	// NoTranscriber tells.
	Transcriber   Transcriber
	NoTranscriber error
	// Settle is the time between two looks for edits from outside; 0 is 30 s.
	Settle time.Duration
}

func (o Options) complete() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Analyzer == nil {
		o.Analyzer = textanalysis.New(textanalysis.Options{})
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Go == nil {
		o.Go = func(_ string, work func(context.Context)) { go work(context.Background()) }
	}
	if o.Settle <= 0 {
		o.Settle = 30 * time.Second
	}
	o.Behavior = o.Behavior.complete()
	return o
}

// Behavior tunes what is shown and how memories age. The zero value holds the
// defaults.
type Behavior struct {
	StaleDaysStandard    int  // 0 is 30
	StaleDaysPreferences int  // user and preferences; 0 is never
	StaleDaysGotchas     int  // 0 is never
	MaxStaleInBriefing   int  // 0 is 5
	MaxDedupSuggestions  int  // 0 is 3
	MaxConflictPairs     int  // 0 is 2
	NoBoosts             bool // relevance alone orders the hits
	// HalfLifeDays is after how many days an entry without any confidence
	// weighs half; 0 is 30. HalfLives replaces it for the kinds that it names.
	HalfLifeDays float64
	HalfLives    map[string]float64
}

func (b Behavior) complete() Behavior {
	for at, standard := range map[*int]int{
		&b.StaleDaysStandard:   30,
		&b.MaxStaleInBriefing:  5,
		&b.MaxDedupSuggestions: 3,
		&b.MaxConflictPairs:    2,
	} {
		if *at <= 0 {
			*at = standard
		}
	}
	if b.HalfLifeDays <= 0 {
		b.HalfLifeDays = 30
	}
	return b
}

// staleDays is the age at which an entry of the topic is stale; 0 is never.
func (b Behavior) staleDays(topic string) int {
	switch topic {
	case "user", "preferences":
		return b.StaleDaysPreferences
	case "gotchas":
		return b.StaleDaysGotchas
	case "decisions":
		return 0
	}
	return b.StaleDaysStandard
}

// DefaultBudget is the size in bytes that the heads of a lobe may take when
// its Spec does not say.
const DefaultBudget = 2 << 20

// Spec says what one lobe is and where its files are.
type Spec struct {
	Name          string
	Root          string     // absolute folder of the project; "" for the global store
	Dir           string     // absolute folder of the entries
	Repo          *repo.Repo // nil outside git, or when git's files are not believed
	Budget        int64      // bytes of heads; 0 is 2 MiB, negative is without limit
	AlwaysInclude bool
	Global        bool        // the person's own store, seen from every lobe
	Plain         entry.Trust // trust of a file without a header
	Slug          bool        // new file names carry the title
	ConfigLine    string      // "FILE:LINE" of the setting that declared it
	// Err says why the lobe cannot be served: it is degraded, with Remedy to
	// repair it, and the others are not touched.
	Err    error
	Remedy []string
}

// Target says which lobe a call speaks to. The zero value means the lobe of
// the working directory, or the only one.
type Target struct {
	// Lobe is a name, "*" for all, or names with commas (the last two for
	// reading only). Empty leaves the choice to the rest.
	Lobe  string
	Paths []string // sources, references and files named in the call
	Dirs  []string // folders that the host named in its environment, then the working directory
	Roots []string // the client's roots, as paths
}

// By says who acts.
type By struct {
	Actor   string // an MCP client and its version, "cli", ...
	Session string // of the host; "" when it does not tell
	// Connection stands for the session in the history when the host does not
	// tell its own, so that what one agent did can be undone and forgotten.
	Connection string
	Role       string // "user" when the person's own words or hand did it, "assistant" for an agent; "" when not told
	Source     string // "" for a direct call; "bootstrap", "import", "sweep", "extraction" for text nobody typed
}
