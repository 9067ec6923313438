package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"memory-mcp/llm"
)

// An Asker answers questions; [llm.Client] is one.
type Asker interface {
	Ask(ctx context.Context, q llm.Question) (llm.Reply, error)
}

// Material is raw text to find memories in.
type Material struct {
	Text string
	Role string // "user": a person's own words; else what an agent saw
}

// A Candidate is a memory that the material bears out.
type Candidate struct {
	Title      string   `json:"title"`
	Text       string   `json:"text"`
	Kind       string   `json:"kind"`       // fact, decision, preference or episode
	Scope      string   `json:"scope"`      // project or global
	Durability string   `json:"durability"` // reusable or task_detail
	Confidence float64  `json:"confidence"` // 0 to 1, as the model sees it
	Tags       []string `json:"tags"`
	Conditions []string `json:"conditions"` // under which it holds
	Quote      string   `json:"quote"`      // words of the material
}

// A Result is what was found in material.
type Result struct {
	Found   []Candidate
	Dropped map[string]int // how many candidates failed each check
	Model   string         // that answered
	Tokens  int
}

// Why candidates are dropped.
const (
	NoQuote      = "its quote is not in the material"
	InventedName = "it names something that is not in the material"
	OtherTongue  = "it is in another language than the material"
	BadShape     = "its fields are not what was asked for"
	Repeated     = "it repeats another one"
)

// The bounds of material and answers, in characters.
const (
	MaxMaterial   = 12000 // of one question; see [Pieces]
	maxCandidates = 8
	maxTitle      = 120
	maxText       = 900
	maxQuote      = 400
)

// TooLongError says that material is too long for one question.
type TooLongError struct{ Length int }

// Error tells the length and the bound.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("the material has %d characters, at most %d can be looked through at once", e.Length, MaxMaterial)
}

// Extract asks for what is worth keeping of the material. An error is about the
// model or its answer as a whole; candidates that fail a check are none.
func Extract(ctx context.Context, a Asker, m Material) (Result, error) {
	r := Result{Dropped: map[string]int{}}
	text := strings.TrimSpace(m.Text)
	if text == "" {
		return r, nil
	}
	if n := utf8.RuneCountInString(text); n > MaxMaterial {
		return r, &TooLongError{n}
	}
	reply, err := a.Ask(ctx, question(text, m.Role))
	r.Model, r.Tokens = reply.Model, reply.Tokens
	if err != nil {
		return r, fmt.Errorf("extract: %w", err)
	}
	var answer struct {
		Memories []Candidate `json:"memories"`
	}
	if err := json.Unmarshal([]byte(reply.Text), &answer); err != nil {
		return r, fmt.Errorf("extract: %w", &llm.AnswerError{What: "its memories are not what was asked for", Cause: errors.Unwrap(err)})
	}
	source := newSource(text)
	known := map[string]bool{}
	for _, c := range answer.Memories {
		c, why := source.check(c, m.Role)
		key := strings.ToLower(strings.Join(strings.Fields(c.Text), " "))
		if why == "" && known[key] {
			why = Repeated
		}
		if why != "" {
			r.Dropped[why]++
			continue
		}
		known[key] = true
		r.Found = append(r.Found, c)
	}
	return r, nil
}

// Pieces cuts material into parts that one question can hold, at the ends of
// paragraphs or lines where there are some.
func Pieces(text string) []string { return Split(text, MaxMaterial) }

// Split cuts material as [Pieces] does, into parts of at most so many
// characters.
func Split(text string, most int) []string {
	var pieces []string
	for text = strings.TrimSpace(text); text != ""; {
		head := prefix(text, most)
		if len(head) < len(text) {
			head = cutAt(head)
		}
		pieces = append(pieces, strings.TrimSpace(head))
		text = strings.TrimSpace(text[len(head):])
	}
	return pieces
}

// prefix is the first characters of a text, at most so many.
func prefix(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}

// cutAt shortens a piece to a good place to end it, in its second half.
func cutAt(piece string) string {
	for _, end := range []string{"\n\n", "\n", "。", ". ", " "} {
		if i := strings.LastIndex(piece, end); i > len(piece)/2 {
			return piece[:i+len(end)]
		}
	}
	return piece
}
