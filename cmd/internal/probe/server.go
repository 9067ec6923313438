package probe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A Server is one that was started and greeted.
type Server struct {
	Name, Version string
	Tools         []string
	Took          time.Duration // from the start to the list of tools

	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte
	errs   *said
	quiet  chan struct{} // closed when all that it said is in errs
	nextID int
}

// longestLine bounds what is read of one message.
const longestLine = 16 << 20

// Dial starts a server, shakes hands and asks for its tools. The context also
// bounds the life of the server. The caller closes it.
func Dial(ctx context.Context, c Command) (*Server, error) {
	start := time.Now()
	s := &Server{cmd: c.make(ctx), lines: make(chan []byte, 16), errs: &said{}, quiet: make(chan struct{})}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	said, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go s.read(out)
	go func() {
		defer close(s.quiet)
		_, err := io.Copy(s.errs, said)
		if err != nil {
			return // the pipe was closed on our side: nobody asks any more
		}
	}()
	if err := s.greet(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Took = time.Since(start)
	return s, nil
}

// read passes on the lines of the server until it ends. Every line belongs to
// the protocol, so one that is none is passed on as well, and found out.
func (s *Server) read(out io.Reader) {
	defer close(s.lines)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		s.lines <- bytes.Clone(lines.Bytes())
	}
}

func (s *Server) greet(ctx context.Context) error {
	var hello struct {
		ServerInfo struct{ Name, Version string } `json:"serverInfo"`
	}
	err := s.ask(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "doctor", "version": "1"},
	}, &hello)
	if err != nil {
		return fmt.Errorf("shake hands: %w", err)
	}
	s.Name, s.Version = hello.ServerInfo.Name, hello.ServerInfo.Version
	if err := s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return err
	}
	var list struct {
		Tools []struct{ Name string } `json:"tools"`
	}
	if err := s.ask(ctx, "tools/list", map[string]any{}, &list); err != nil {
		return fmt.Errorf("list the tools: %w", err)
	}
	for _, t := range list.Tools {
		s.Tools = append(s.Tools, t.Name)
	}
	if len(s.Tools) == 0 {
		return errors.New("it lists no tools")
	}
	return nil
}

func (s *Server) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(b, '\n'))
	return err
}

// ask makes one request and waits for its answer.
func (s *Server) ask(ctx context.Context, method string, params, result any) error {
	s.nextID++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.nextID, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer to %s: %w", method, ctx.Err())
		case line, more := <-s.lines:
			if !more {
				select { // its last words may come behind the end of its output
				case <-s.quiet:
				case <-ctx.Done():
				}
				return fmt.Errorf("it ended: %s", lastLine(s.errs.String()))
			}
			done, err := s.take(line, result)
			if done || err != nil {
				return err
			}
		}
	}
}

// take reads one line; it is done when the line answers the last request.
func (s *Server) take(line []byte, result any) (done bool, err error) {
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return false, fmt.Errorf("it writes something else to standard output: %.80q", line)
	}
	if m.Method != "" || string(m.ID) != fmt.Sprint(s.nextID) {
		return false, nil
	}
	if m.Error != nil {
		return true, errors.New(m.Error.Message)
	}
	return true, json.Unmarshal(m.Result, result)
}

// Call calls a tool and gives the text of its answer.
func (s *Server) Call(ctx context.Context, tool string, args map[string]any) (string, error) {
	var answer struct {
		IsError bool                    `json:"isError"`
		Content []struct{ Text string } `json:"content"`
	}
	if err := s.ask(ctx, "tools/call", map[string]any{"name": tool, "arguments": args}, &answer); err != nil {
		return "", fmt.Errorf("call %s: %w", tool, err)
	}
	var b strings.Builder
	for _, c := range answer.Content {
		b.WriteString(c.Text)
	}
	if answer.IsError {
		return "", fmt.Errorf("call %s: %s", tool, b.String())
	}
	return b.String(), nil
}

// patience is how long a server may take to end when its input has.
const patience = 3 * time.Second

// Close ends the server's input and waits for it. One that does not go is
// killed, and that is an error.
func (s *Server) Close() error {
	err := s.in.Close()
	ended := make(chan error, 1)
	go func() {
		for range s.lines { // so that it can finish what it writes
			continue
		}
		ended <- s.cmd.Wait()
	}()
	select {
	case gone := <-ended:
		return errors.Join(err, gone)
	case <-time.After(patience):
		return errors.Join(err, fmt.Errorf("it went on for %v after its input had ended", patience), s.cmd.Process.Kill())
	}
}

// said keeps what a program says while it runs.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to it.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// String is all of it.
func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
