package llm

import (
	"fmt"
	"net/http"
	"time"
)

// A StatusError is an answer that refuses.
type StatusError struct {
	Status int
	Said   string // by the server, cut short
	// After is how long the server asked to be left alone; 0 when it did not.
	After time.Duration
}

// Error tells the status and what the server said.
func (e *StatusError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("the model's server answered %d %s", e.Status, http.StatusText(e.Status))
	}
	return fmt.Sprintf("the model's server answered %d: %s", e.Status, e.Said)
}

// passing tells whether the same request may do better a moment later.
func (e *StatusError) passing() bool {
	return e.Status == http.StatusTooManyRequests || e.Status >= 500 && e.Status != http.StatusNotImplemented
}

// TooLong tells whether the server refused the request for its length.
func (e *StatusError) TooLong() bool { return e.Status == http.StatusRequestEntityTooLarge }

// An AnswerError is an answer that cannot be used.
type AnswerError struct {
	What  string // is wrong with it
	Cause error  // may be nil
}

// Error tells what is wrong with the answer, never its text: that may hold
// what a person wrote.
func (e *AnswerError) Error() string {
	if e.Cause == nil {
		return "the model's answer cannot be used: " + e.What
	}
	return fmt.Sprintf("the model's answer cannot be used: %s: %v", e.What, e.Cause)
}

// Unwrap gives the cause.
func (e *AnswerError) Unwrap() error { return e.Cause }

// A SpentError says that the ceiling of a day is reached.
type SpentError struct {
	Calls, Tokens       int // made and used today
	MaxCalls, MaxTokens int // 0 is without limit
	// Until is when the next day begins; zero when nobody knows.
	Until time.Time
}

// Error tells the count and the ceiling.
func (e *SpentError) Error() string {
	of := func(most int) string {
		if most <= 0 {
			return ""
		}
		return fmt.Sprintf(" of %d", most)
	}
	return fmt.Sprintf("today's ceiling for the model is reached: %d calls%s, %d tokens%s", e.Calls, of(e.MaxCalls), e.Tokens, of(e.MaxTokens))
}
