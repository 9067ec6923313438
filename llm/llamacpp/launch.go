package llamacpp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"memory-mcp/llm/sidecar"
)

// How often a server that starts is asked, and how long it may take: a large
// model comes from a slow disk.
const (
	askFirst    = 10 * time.Millisecond
	askMost     = 500 * time.Millisecond
	startWithin = 5 * time.Minute
	askWithin   = 2 * time.Second
)

// serving is a server of ours that answers.
type serving struct {
	*sidecar.Process
	at sidecar.Address
}

// Address is where it answers.
func (s *serving) Address() sidecar.Address { return s.at }

// launch starts the server and returns when it has loaded the model.
func (m *Model) launch(ctx context.Context) (sidecar.Server, error) {
	if err := Readable(m.o.File); err != nil {
		return nil, err
	}
	if _, err := Version(ctx, m.o.Server); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, fmt.Errorf("start llama-server: %w", err)
	}
	at := sidecar.Address{URL: fmt.Sprintf("http://127.0.0.1:%d", port), Key: rand.Text()}
	p, err := sidecar.Start(sidecar.Command{
		Path: m.o.Server, Args: m.arguments(port), Env: environment(at.Key), MostMemory: m.mostMemory(),
	})
	if err != nil {
		return nil, err
	}
	if err := m.answers(ctx, p, at); err != nil {
		p.Stop()
		if said := p.Said(); said != "" && !errors.Is(err, errEnded) {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		return nil, fmt.Errorf("start llama-server: %w", err)
	}
	return &serving{p, at}, nil
}

// freePort asks the system for a port. Another program can take it before the
// server does: the server then ends, and whoever answers has not our key.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// answers returns when the server has loaded the model.
func (m *Model) answers(ctx context.Context, p *sidecar.Process, at sidecar.Address) error {
	ctx, stop := context.WithTimeout(ctx, startWithin)
	defer stop()
	for pause := askFirst; ; pause = min(2*pause, askMost) {
		status, err := get(ctx, at, "/health", nil)
		if err == nil && status == http.StatusOK {
			return m.check(ctx, at)
		}
		select {
		case <-p.Done():
			return fmt.Errorf("%w: %w", errEnded, p.Err())
		case <-ctx.Done():
			return fmt.Errorf("it did not answer: %w", ctx.Err())
		case <-time.After(pause):
		}
	}
}

// An ImpostorError says that something else answers where the server should.
type ImpostorError struct {
	URL  string
	What string // it is
}

// Error tells what answers.
func (e *ImpostorError) Error() string {
	return fmt.Sprintf("at %s answers %s, not llama-server with our model", e.URL, e.What)
}

// check tells whether the server at an address is llama-server with our model,
// asks for our key, and answers.
func (m *Model) check(ctx context.Context, at sidecar.Address) error {
	var props struct {
		Path string `json:"model_path"`
	}
	status, err := get(ctx, at, "/props", &props)
	switch {
	case err != nil:
		return err
	case status == http.StatusUnauthorized:
		return &ImpostorError{at.URL, "a server with another key"}
	case status != http.StatusOK:
		return &ImpostorError{at.URL, fmt.Sprintf("a server that knows no /props (%d)", status)}
	case !sameFile(props.Path, m.o.File):
		return &ImpostorError{at.URL, fmt.Sprintf("a server with the model %q", props.Path)}
	}
	open, err := get(ctx, sidecar.Address{URL: at.URL}, "/props", nil)
	if err == nil && open == http.StatusOK {
		return &ImpostorError{at.URL, "a server that asks for no key"}
	}
	return err
}

func sameFile(a, b string) bool {
	resolvedA, errA := filepath.EvalSymlinks(a)
	resolvedB, errB := filepath.EvalSymlinks(b)
	return a == b || errA == nil && errB == nil && resolvedA == resolvedB
}

const mostProps = 1 << 20

// get asks for a small JSON object. Nothing but this machine is asked.
func get(ctx context.Context, at sidecar.Address, path string, out any) (int, error) {
	ctx, stop := context.WithTimeout(ctx, askWithin)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(at.URL, "/")+path, nil)
	if err != nil {
		return 0, err
	}
	if at.Key != "" {
		req.Header.Set("Authorization", "Bearer "+at.Key)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close() // only read
	b, err := io.ReadAll(io.LimitReader(res.Body, mostProps))
	if err == nil && out != nil && res.StatusCode == http.StatusOK {
		err = json.Unmarshal(b, out)
	}
	return res.StatusCode, err
}
