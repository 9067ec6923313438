package llm

import "context"

// A Decision is a question with a few possible answers about some records.
type Decision struct {
	Question string
	Options  []string
	Records  []string
}

// Decided is the option that a service chose. Confidence is nil when it did
// not say.
type Decided struct {
	Option     string
	Confidence *float64
	Tokens     int // that the service counted
}

type decideRequest struct {
	Model    string   `json:"model,omitempty"`
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Records  []string `json:"records"`
}

type decideAnswer struct {
	Option     string   `json:"option"`
	Confidence *float64 `json:"confidence"`
	Usage      usage    `json:"usage"`
}

func (a *decideAnswer) spent() usage { return a.Usage }

// Decide asks a service that chooses and writes nothing, below the endpoint at
// systemone. The answer is not held against the options.
func (c *Client) Decide(ctx context.Context, d Decision) (Decided, error) {
	var a decideAnswer
	err := c.post(ctx, "systemone", decideRequest{c.at.Model, d.Question, d.Options, d.Records}, &a)
	return Decided{a.Option, a.Confidence, a.Usage.Total}, err
}
