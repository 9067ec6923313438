package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// A server is the program started as a host would, and the two ends of its
// protocol.
type server struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
}

// command is the program in the repository, with nothing of the person's own.
func (o Options) command(ctx context.Context, r *repository, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, o.Executable, args...)
	cmd.Dir = r.root
	cmd.Env = append([]string{"MEMORY_MCP_HOME=" + r.home, "HOME=" + r.home, "USERPROFILE=" + r.home}, o.Environment...)
	return cmd
}

// start starts a server and shakes hands.
func (o Options) start(ctx context.Context, r *repository) (*server, error) {
	cmd := o.command(ctx, r, "serve")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<16)}
	if err := s.greet(); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *server) greet() error {
	_, err := s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"},
	})
	if err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// call makes one call of a tool. An answer that is an error is one.
func (s *server) call(tool string, args map[string]any) error {
	raw, err := s.request("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return err
	}
	var r struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	if r.IsError {
		var text strings.Builder
		for _, c := range r.Content {
			text.WriteString(c.Text)
		}
		return fmt.Errorf("%s: %s", tool, text.String())
	}
	return nil
}

func (s *server) send(message map[string]any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(b, '\n'))
	return err
}

// request sends one message and waits for its answer; what the server says
// unasked is passed over.
func (s *server) request(method string, params map[string]any) (json.RawMessage, error) {
	s.next++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.next, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", method, err)
		}
		var m struct {
			ID     any             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", method, err)
		}
		if m.ID != float64(s.next) {
			continue
		}
		if m.Error != nil {
			return nil, errors.New(m.Error.Message)
		}
		return m.Result, nil
	}
}

// stop ends the server by the end of its input.
func (s *server) stop() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }
