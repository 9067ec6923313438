package lobes

import (
	"context"
	"time"
)

// A Summarizer tells several memories as one, with a language model. It is
// asked in the background only.
type Summarizer interface {
	// Name is the model and what tells it from another one of that name: it
	// signs what it writes.
	Name() string
	// Summarize tells what the members say together. Kind is "summary" or
	// "experience". Beside errors of the model, it returns a [DeclinedError] or
	// an [UnfoundedError]; an [UnaskedError] says nothing about the members.
	Summarize(ctx context.Context, kind string, members []SummaryMember) (Summarized, error)
}

// A SummaryMember is a memory that is told together with others.
type SummaryMember struct {
	Text       string
	Conditions []string // under which it holds
	Source     string   // what it comes from; two of one source are not independent
}

// Summarized is what was written of the members.
type Summarized struct {
	Title, Body string
	Quotes      []MemberQuote // at least one of each member
}

// A MemberQuote is words of a member, as they stand in it.
type MemberQuote struct {
	Member int // from 0
	Words  string
}

// A DeclinedError says that a model found nothing to be told of the members as
// one.
type DeclinedError struct{}

// Error says so.
func (e *DeclinedError) Error() string { return "the model declined to tell them as one" }

// An UnfoundedError says that what a model wrote is not borne out by the
// members.
type UnfoundedError struct{ What string }

// Error tells what is not borne out.
func (e *UnfoundedError) Error() string { return "what the model wrote is not borne out: " + e.What }

// A Judge tells how two memories stand to each other. It is asked in the
// background only, and about few pairs. With an error the rules of this program
// hold alone.
type Judge interface {
	Name() string // for a person
	// SameProcedure tells whether two episodes are instances of one procedure.
	SameProcedure(ctx context.Context, a, b JudgedSide) (bool, error)
	// Relation tells how two statements stand to each other.
	Relation(ctx context.Context, a, b JudgedSide) (Relation, error)
	// SameProject tells whether two lobes are of one project.
	SameProject(ctx context.Context, a, b JudgedSide) (bool, error)
}

// A JudgedSide is one of the two that a [Judge] compares.
type JudgedSide struct {
	ID, Revision string // so that nothing is asked twice
	Text         string
	Conditions   []string
	Created      time.Time
	Project      string // that people see
}

// A Relation is how two statements stand to each other.
type Relation string

// The relations that something follows from.
const (
	RelationNone     Relation = ""
	RelationConflict Relation = "conflict" // both cannot hold
	RelationNewer    Relation = "newer"    // the newer value took the older one's place
)
