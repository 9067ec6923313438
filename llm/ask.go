package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// A Question is what a model is asked in words.
type Question struct {
	System string // what it is to do
	User   string // what to do it with
	// Schema makes the answer one JSON object: a JSON schema of plain objects
	// of which every text and list is bounded. Empty asks for words.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 is 1,024.
	MaxTokens int
	// Temperature is 0 for the likeliest answer.
	Temperature float64
}

// A Reply is what a model answered.
type Reply struct {
	// Text is the answer without what the model thought before it. With a
	// Schema it is one JSON object, not yet held against the schema.
	Text   string
	Model  string // that the server says answered
	Tokens int    // of question and answer, as the server counted them; 0 when it did not
}

// ErrCut is wrapped by the error of an answer that ended at its bound.
var ErrCut = errors.New("it ended before it was complete")

const defaultTokens = 1024

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chat struct {
	Model       string          `json:"model,omitempty"`
	Messages    []message       `json:"messages"`
	MaxTokens   int             `json:"max_tokens"`
	Temperature float64         `json:"temperature"`
	Format      json.RawMessage `json:"response_format,omitempty"`
	Template    json.RawMessage `json:"chat_template_kwargs,omitempty"`
	Reasoning   json.RawMessage `json:"reasoning,omitempty"`
}

type chatAnswer struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage usage `json:"usage"`
}

func (a *chatAnswer) spent() usage { return a.Usage }

// Ask asks a question. Thinking is switched off where the server lets us: a
// thought counts against the bound, and leaves the answer empty. A server that
// refuses the schema is asked once more for any JSON object.
func (c *Client) Ask(ctx context.Context, q Question) (Reply, error) {
	in := chat{
		Model: c.at.Model, MaxTokens: q.MaxTokens, Temperature: q.Temperature,
		Messages: []message{{"system", q.System}, {"user", q.User}},
	}
	if in.MaxTokens <= 0 {
		in.MaxTokens = defaultTokens
	}
	switch {
	case c.at.Sidecar:
		in.Template = json.RawMessage(`{"enable_thinking":false}`)
	case !c.at.Local():
		in.Reasoning = json.RawMessage(`{"enabled":false}`)
	}
	if len(q.Schema) > 0 {
		in.Format = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":` + string(q.Schema) + `}}`)
	}
	a, err := c.chat(ctx, in)
	var status *StatusError
	plainer := in.Reasoning != nil || in.Format != nil
	if plainer && errors.As(err, &status) && (status.Status == http.StatusBadRequest || status.Status == http.StatusUnprocessableEntity) {
		in.Reasoning = nil
		if in.Format != nil {
			in.Format = json.RawMessage(`{"type":"json_object"}`)
		}
		a, err = c.chat(ctx, in)
	}
	if err != nil {
		return Reply{}, err
	}
	r, err := a.reply(len(q.Schema) > 0)
	return r, c.unusable(err)
}

func (c *Client) chat(ctx context.Context, in chat) (chatAnswer, error) {
	var a chatAnswer
	err := c.post(ctx, "chat/completions", in, &a)
	return a, err
}

func (a chatAnswer) reply(object bool) (Reply, error) {
	r := Reply{Model: a.Model, Tokens: a.Usage.Total}
	if len(a.Choices) == 0 {
		return r, &AnswerError{What: "it has no choice"}
	}
	first := a.Choices[0]
	if first.Finish == "length" {
		return r, &AnswerError{What: "it is too long", Cause: ErrCut}
	}
	r.Text = spoken(first.Message.Content)
	if r.Text == "" {
		return r, &AnswerError{What: "it is empty"}
	}
	if object {
		found, err := objectIn(r.Text)
		if err != nil {
			return r, err
		}
		r.Text = found
	}
	return r, nil
}

// spoken is an answer without what was thought before it.
func spoken(text string) string {
	const opening, closing = "<think>", "</think>"
	if _, after, ok := strings.Cut(text, closing); ok {
		text = after
	} else if before, _, ok := strings.Cut(text, opening); ok {
		text = before
	}
	return strings.TrimSpace(text)
}

// objectIn finds the JSON object in an answer, which may stand between words or
// in a fence.
func objectIn(text string) (string, error) {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return "", &AnswerError{What: "it holds no JSON object"}
	}
	d := json.NewDecoder(strings.NewReader(text[at:]))
	var object json.RawMessage
	if err := d.Decode(&object); err != nil {
		return "", &AnswerError{What: "its JSON object is not complete or not valid"}
	}
	return string(object), nil
}
