//go:build whisper

package whisper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	binding "github.com/ggerganov/whisper.cpp/bindings/go/pkg/whisper"

	"memory-mcp/llm/sound"
)

// A line is what the child tells its parent, one JSON value a line. It ends
// with one that says how it went.
type line struct {
	Done  time.Duration `json:"done,omitempty"`
	Total time.Duration `json:"total,omitempty"`
	Piece *Piece        `json:"piece,omitempty"`
	End   string        `json:"end,omitempty"` // one of the constants below
	What  string        `json:"what,omitempty"`
}

// How it went.
const (
	endWell  = "well"
	endModel = "model" // it cannot be used
	endSound = "sound" // it cannot be read
)

// errAlone says that the parent is gone.
var errAlone = errors.New("nobody waits for what is heard")

// Listen is the child: it writes what is said in a recording to out, or what is
// wrong with it. It returns an error when that could not be written, and as
// soon as in ends: nobody waits then, and the process is to exit, for the
// library goes on until it does.
func Listen(in io.Reader, out io.Writer, o Options, recording string) error {
	alone, done := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, in)
		alone <- errors.Join(errAlone, err)
	}()
	go func() { done <- listen(json.NewEncoder(out), o, recording) }()
	select {
	case err := <-alone:
		return err
	case err := <-done:
		return err
	}
}

func listen(w *json.Encoder, o Options, recording string) error {
	end := line{End: endWell}
	var bad *ModelError
	err := hear(o, recording, func(l line) error { return w.Encode(l) })
	switch {
	case errors.As(err, &bad):
		end = line{End: endModel, What: bad.What}
	case err != nil:
		end = line{End: endSound, What: err.Error()}
	}
	return w.Encode(end)
}

// hear loads the model, and tells what it hears in each window.
func hear(o Options, recording string, tell func(line) error) error {
	r, closed, err := open(recording)
	if err != nil {
		return err
	}
	defer closed()
	m, err := binding.New(o.Model)
	if err != nil {
		return &ModelError{o.Model, cause(err).Error()}
	}
	defer m.Close() // only read
	l := listener{model: m, threads: o.threads()}
	for w, err := range r.Windows() {
		if err != nil {
			return err
		}
		pieces, err := l.listen(w)
		if err != nil {
			return &ModelError{o.Model, err.Error()}
		}
		for _, p := range pieces {
			if err := tell(line{Piece: &p}); err != nil {
				return err
			}
		}
		done := w.At + lasting(w.Samples)
		if err := tell(line{Done: done, Total: max(r.Length(), done)}); err != nil {
			return err
		}
	}
	return nil
}

// open opens a recording. Nothing but a file is waited for.
func open(path string) (*sound.Reader, func(), error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, cause(err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, cause(err)
	}
	r, err := sound.Open(f, info.Size())
	if err != nil {
		f.Close() // only read
		return nil, nil, err
	}
	return r, func() { f.Close() }, nil // only read
}

// A listener asks a model about one window after another.
type listener struct {
	model    binding.Model
	threads  int
	language string // as it was heard first
}

// shortest is the least that the library listens to; silence follows what is
// shorter.
const shortest = sound.Rate

// listen gives what is said in a window. Nothing is in silence: a model that
// is asked makes something up.
func (l *listener) listen(w sound.Window) ([]Piece, error) {
	if w.Silent {
		return nil, nil
	}
	c, err := l.model.NewContext()
	if err != nil {
		return nil, err
	}
	c.SetThreads(uint(l.threads))
	c.SetMaxContext(0) // what was said before is no reason to hear it again
	if l.model.IsMultilingual() {
		if l.language == "" {
			l.language = "auto"
		}
		if err := c.SetLanguage(l.language); err != nil {
			return nil, fmt.Errorf("listen for the language %q: %w", l.language, err)
		}
	}
	samples := w.Samples
	if len(samples) < shortest {
		samples = append(slices.Clone(samples), make([]float32, shortest-len(samples))...)
	}
	if err := c.Process(samples, nil, nil, nil); err != nil {
		return nil, err
	}
	if l.language == "auto" {
		l.language = c.DetectedLanguage()
	}
	return l.pieces(c, w)
}

// pieces places what was heard in the recording.
func (l *listener) pieces(c binding.Context, w sound.Window) ([]Piece, error) {
	var all []Piece
	for {
		s, err := c.NextSegment()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		text := strings.TrimSpace(strings.ToValidUTF8(s.Text, ""))
		if text == "" || remark(text) {
			continue
		}
		end := lasting(w.Samples)
		from, to := min(max(s.Start, 0), end), min(s.End, end)
		all = append(all, Piece{From: w.At + from, To: w.At + max(from, to), Text: text})
	}
}

// remark tells whether a text is no speech but what a model says of a noise, as
// [BLANK_AUDIO] or (music).
func remark(text string) bool {
	for _, marks := range []string{"[]", "()", "**", "♪♪"} {
		first, last, inside := marks[:len(marks)/2], marks[len(marks)/2:], text
		inside, opens := strings.CutPrefix(inside, first)
		inside, closes := strings.CutSuffix(inside, last)
		if opens && closes && !strings.ContainsAny(inside, marks) {
			return true
		}
	}
	return false
}

func lasting(samples []float32) time.Duration {
	return time.Duration(len(samples)) * time.Second / sound.Rate
}
