//go:build whisper

package whisper

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Built tells whether whisper.cpp is linked.
const Built = true

// A Transcriber listens to recordings, and is safe for concurrent use: each is
// heard by a process of its own.
type Transcriber struct{ Options }

// New returns a transcriber. It looks at the head of the model file, and loads
// it only to listen.
func New(o Options) (*Transcriber, error) {
	if len(o.Program) == 0 {
		return nil, errors.New("no program listens")
	}
	if err := Readable(o.Model); err != nil {
		return nil, err
	}
	return &Transcriber{o}, nil
}

// threads is how many threads compute: the machine is used for other things
// too, and more than eight gain little.
func (o Options) threads() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return max(1, min(8, runtime.NumCPU()/2))
}

// patience is how long the pipes of a child that was stopped may stay open.
const patience = 5 * time.Second

// Transcribe gives what is said in a recording, in order; nothing for silence.
// progress, nil for nobody, hears how much of the recording is done, of how
// much. Errors are a *SoundError, a *ModelError, a *DiedError, or ctx's.
func (t *Transcriber) Transcribe(ctx context.Context, path string, progress func(done, total time.Duration)) ([]Piece, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("listen to %s: %w", path, err)
	}
	args := slices.Concat(t.Program[1:], []string{"--threads", strconv.Itoa(t.threads()), "--", t.Model, path})
	child := exec.CommandContext(ctx, t.Program[0], args...)
	// The threads of the library wait for each other without turning in place:
	// they would take the processors from whatever else runs. Where it gives
	// up, no debugger is started.
	child.Env = append(os.Environ(), "OMP_WAIT_POLICY=passive", "GGML_NO_BACKTRACE=1")
	child.WaitDelay = patience
	said := &lastWords{}
	child.Stderr = said
	hold, err := child.StdinPipe() // its end tells the child that we are gone
	if err != nil {
		return nil, fmt.Errorf("listen to %s: %w", path, err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("listen to %s: %w", path, err)
	}
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("listen to %s: %w", path, err)
	}
	pieces, end, err := follow(out, progress)
	hold.Close() // it is a signal, and nothing was written
	waited := child.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case end.End == endModel:
		return nil, &ModelError{t.Model, joined(end.What, said.String())}
	case end.End == endSound:
		return nil, &SoundError{path, end.What}
	case end.End == endWell:
		return pieces, nil
	case waited != nil:
		err = waited
	}
	return nil, &DiedError{err, said.String()}
}

// errSilent says that a child ended without a word of how it went.
var errSilent = errors.New("it did not say how it went")

// follow reads what the child tells, up to its end.
func follow(out io.Reader, progress func(done, total time.Duration)) (pieces []Piece, end line, err error) {
	in := json.NewDecoder(bufio.NewReader(out))
	for {
		var l line
		switch err := in.Decode(&l); {
		case errors.Is(err, io.EOF):
			return nil, line{}, errSilent
		case err != nil:
			return nil, line{}, err
		}
		switch {
		case l.End != "":
			return pieces, l, nil
		case l.Piece != nil:
			pieces = append(pieces, *l.Piece)
		case progress != nil:
			progress(l.Done, l.Total)
		}
	}
}

func joined(what, said string) string {
	if said == "" {
		return what
	}
	return what + " (" + said + ")"
}

// lastWords keeps the end of what is written to it.
type lastWords struct{ b []byte }

// mostWords is how many bytes of it are kept.
const mostWords = 2000

func (w *lastWords) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	if len(w.b) > mostWords {
		w.b = append([]byte{}, w.b[len(w.b)-mostWords:]...)
	}
	return len(p), nil
}

// String is the first line that says what is wrong, since what follows from it
// says less, or else the last line.
func (w *lastWords) String() string {
	lines := strings.Split(strings.TrimSpace(string(w.b)), "\n")
	for _, text := range lines {
		for _, word := range []string{"error", "invalid", "wrong", "fail", "assert", "abort"} {
			if strings.Contains(strings.ToLower(text), word) {
				return strings.TrimSpace(text)
			}
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}
