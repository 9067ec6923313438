package lobes

import (
	"context"
	"time"
)

// An Extractor finds memories in raw material, with a language model. It is
// asked in the background only.
type Extractor interface {
	// Name is the model and what tells it from another one of that name: it
	// signs what it finds.
	Name() string
	// Pieces cuts material into parts that one question can hold.
	Pieces(text string) []string
	// Extract finds what is worth keeping in one piece, which may take as long
	// as a model does. Role is "user" for a person's own words. An
	// [UnaskedError] says nothing about the piece.
	Extract(ctx context.Context, piece, role string) (Extracted, error)
}

// Extracted is what was found in a piece.
type Extracted struct {
	Found   []Candidate
	Dropped map[string]int // how many candidates the piece did not bear out, by why
}

// A Candidate is a memory that a model found in material, and that the material
// bears out: its quote stands there word for word.
type Candidate struct {
	Title      string   `json:"title"`
	Text       string   `json:"text"`
	Kind       string   `json:"kind"`       // fact, decision, preference or episode
	Scope      string   `json:"scope"`      // project or global
	Durability string   `json:"durability"` // reusable or task_detail
	Confidence float64  `json:"confidence"` // 0 to 1
	Tags       []string `json:"tags,omitempty"`
	Conditions []string `json:"conditions,omitempty"`
	Quote      string   `json:"quote"`
}

// An UnaskedError says that a model could not be asked at all: it is not
// running, or the ceiling of a day is reached.
type UnaskedError struct {
	Cause error
	Until time.Time // when it is worth to ask again; zero when nobody knows
}

// Error tells the cause on one line: programs say a lot when they fail.
func (e *UnaskedError) Error() string {
	return "the model was not asked: " + cutLine(e.Cause.Error(), mostReason)
}

// Unwrap gives the cause.
func (e *UnaskedError) Unwrap() error { return e.Cause }
