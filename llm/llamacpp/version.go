package llamacpp

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// A StrangerError says that a program is not llama-server, or cannot run here.
type StrangerError struct {
	Path string
	Said string // its last lines
	Err  error  // how it ended; nil when it ended well
}

// Error tells what the program said.
func (e *StrangerError) Error() string {
	text := e.Path + " is no llama-server that runs here"
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Said != "" {
		text += ": it said " + e.Said
	}
	return text
}

// Unwrap gives how the program ended.
func (e *StrangerError) Unwrap() error { return e.Err }

// A program has so long to say what it is; its libraries may come from a slow
// disk.
const versionWithin = 30 * time.Second

// Version asks a program what it is, and gives what llama-server says of
// itself, like "0.4.0-dev (build 1, commit 5b4ebc5)".
func Version(ctx context.Context, path string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, versionWithin)
	defer stop()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env, cmd.WaitDelay = environment(""), time.Second
	said := &head{}
	cmd.Stdout, cmd.Stderr = said, said
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it did not say what it is: %w", ctx.Err())
	}
	for line := range strings.Lines(said.String()) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "version: "); ok && err == nil {
			return version, nil
		}
	}
	return "", &StrangerError{path, strings.TrimSpace(said.String()), err}
}

// head is the beginning of what a program says.
type head struct{ b []byte }

// mostHead is how many bytes of it are kept.
const mostHead = 2 << 10

// Write keeps the first bytes. One that never stops talking is cut off.
func (h *head) Write(b []byte) (int, error) {
	if len(h.b) >= mostHead {
		return 0, errors.New("it says more than a version")
	}
	h.b = append(h.b, b[:min(len(b), mostHead-len(h.b))]...)
	return len(b), nil
}

func (h *head) String() string { return strings.ToValidUTF8(string(h.b), "") }
