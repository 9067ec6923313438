package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The bounds of one request.
const (
	DefaultTimeout = 60 * time.Second
	defaultPause   = time.Second
	longestPause   = 20 * time.Second
	mostAnswer     = 64 << 20 // bytes
	mostSaid       = 300      // bytes of a refusal that are told
)

// A Meter counts what is asked of a model, and may refuse.
type Meter interface {
	// Allow is asked before each request; an error, as [SpentError], keeps it
	// from being sent.
	Allow() error
	// Used hears what a request came to, in tokens as the server counted them.
	Used(tokens int, err error)
}

// Options adjust a client. The zero value works.
type Options struct {
	HTTP    *http.Client
	Timeout time.Duration // of a request with its second try; 0 is DefaultTimeout
	Pause   time.Duration // before the second try; 0 is a second
	Meter   Meter         // nil counts nothing
}

// A Client asks one endpoint. It is safe for concurrent use.
type Client struct {
	at Endpoint
	o  Options
}

// New returns a client of an endpoint. It connects to nothing.
func New(at Endpoint, o Options) (*Client, error) {
	if err := at.Check(); err != nil {
		return nil, err
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Pause <= 0 {
		o.Pause = defaultPause
	}
	h := http.Client{}
	if o.HTTP != nil {
		h = *o.HTTP
	}
	// A redirect could carry the key and the text to a host that nobody named.
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.HTTP = &h
	return &Client{at: at, o: o}, nil
}

// Endpoint is where the client asks.
func (c *Client) Endpoint() Endpoint { return c.at }

// usage is what a server counted.
type usage struct {
	Total int `json:"total_tokens"`
}

// post sends a request and decodes the answer into out. What may pass is tried
// a second time, within the same time limit.
func (c *Client) post(ctx context.Context, name string, in any, out interface{ spent() usage }) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("ask a model: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, c.o.Timeout)
	defer stop()
	err = c.counted(ctx, name, body, out)
	pause, again := c.pause(ctx, err)
	if !again {
		return err
	}
	select {
	case <-ctx.Done():
		return err
	case <-time.After(pause):
	}
	return c.counted(ctx, name, body, out)
}

// pause tells whether, and after how long, a request that ended with err is
// worth a second try.
func (c *Client) pause(ctx context.Context, err error) (time.Duration, bool) {
	if err == nil || ctx.Err() != nil {
		return 0, false
	}
	var status *StatusError
	if errors.As(err, &status) {
		return max(c.o.Pause, status.After), status.passing() && status.After <= longestPause
	}
	var network *url.Error
	return c.o.Pause, errors.As(err, &network)
}

func (c *Client) counted(ctx context.Context, name string, body []byte, out interface{ spent() usage }) error {
	if c.o.Meter == nil {
		return c.once(ctx, name, body, out)
	}
	if err := c.o.Meter.Allow(); err != nil {
		return err
	}
	err := c.once(ctx, name, body, out)
	c.o.Meter.Used(out.spent().Total, err)
	return err
}

// unusable counts a request whose answer came and says nothing.
func (c *Client) unusable(err error) error {
	if c.o.Meter != nil && err != nil {
		c.o.Meter.Used(0, err)
	}
	return err
}

func (c *Client) once(ctx context.Context, name string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.at.path(name), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the model's server: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.at.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.at.Key)
	}
	res, err := c.o.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("ask the model's server: %w", err)
	}
	defer res.Body.Close() // only read
	if res.StatusCode != http.StatusOK {
		return refusal(res, c.at.Key)
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	switch {
	case err != nil:
		return &url.Error{Op: "read", URL: name, Err: err}
	case len(answer) > mostAnswer:
		return &AnswerError{What: "it is over " + strconv.Itoa(mostAnswer>>20) + " MiB long"}
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return &AnswerError{What: "it is not the JSON that was to come", Cause: shape(err)}
	}
	return nil
}

// shape is an error of decoding without the text that was decoded.
func shape(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s is a %s", kind.Field, kind.Value)
	}
	return err
}

// refusal reads an answer that refuses. Some servers repeat the key, which is
// left out.
func refusal(res *http.Response, key string) error {
	e := &StatusError{Status: res.StatusCode}
	if seconds, err := strconv.Atoi(strings.TrimSpace(res.Header.Get("Retry-After"))); err == nil && seconds > 0 {
		e.After = time.Duration(seconds) * time.Second
	}
	said, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return e
	}
	var told struct {
		Error json.RawMessage `json:"error"`
	}
	var inner struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"` // a text or a number
	}
	switch {
	case json.Unmarshal(said, &told) != nil || len(told.Error) == 0:
		e.Said = string(said)
	case json.Unmarshal(told.Error, &inner) == nil && inner.Message != "":
		e.Said = inner.Message
	default:
		e.Said = strings.Trim(string(told.Error), `"`)
	}
	if inner.Type == "exceed_context_size_error" || inner.Code == "context_length_exceeded" {
		e.Status = http.StatusRequestEntityTooLarge
	}
	if key != "" {
		e.Said = strings.ReplaceAll(e.Said, key, "…")
	}
	e.Said = cut(strings.Join(strings.Fields(strings.ToValidUTF8(e.Said, "")), " "), mostSaid)
	return e
}

// cut shortens a text to at most so many bytes, at a character's end.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
