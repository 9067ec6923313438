package whisper

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Options say how to listen.
type Options struct {
	// Model is the absolute path of a model file of whisper.cpp.
	Model string
	// Program is the command that calls [Listen] with what follows: the flag
	// --threads, two dashes, the model and the recording.
	Program []string
	// Threads is how many threads compute; 0 is half of the processors.
	Threads int
}

// Name is what a model file is called.
func (o Options) Name() string {
	name := strings.TrimSuffix(filepath.Base(o.Model), ".bin")
	return strings.Replace(name, "ggml-", "whisper-", 1)
}

// A Piece is what was said at once.
type Piece struct {
	From time.Duration `json:"from"` // in the recording
	To   time.Duration `json:"to"`
	Text string        `json:"text"`
}

// ErrNotBuilt says that the program was built without whisper.cpp.
var ErrNotBuilt = errors.New("this program was built without whisper.cpp")

// BuildCommand builds a program with whisper.cpp, whose headers and libraries
// are in the folder that the variable names.
const BuildCommand = `CGO_ENABLED=1 CGO_CFLAGS="-I$WHISPER" CGO_LDFLAGS="-L$WHISPER" go build -tags whisper ./cmd/memory-mcp`

// A ModelError says that a model file cannot be used.
type ModelError struct {
	Path string
	What string
}

// Error names the file.
func (e *ModelError) Error() string { return fmt.Sprintf("speech model %s: %s", e.Path, e.What) }

// A SoundError says that a recording cannot be read.
type SoundError struct {
	Path string
	What string
}

// Error names the file.
func (e *SoundError) Error() string { return fmt.Sprintf("listen to %s: %s", e.Path, e.What) }

// A DiedError says that the process that listened ended in the middle.
type DiedError struct {
	How  error
	Said string // its last words; may be empty
}

// Error tells how it ended.
func (e *DiedError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("the process that listened ended: %v", e.How)
	}
	return fmt.Sprintf("the process that listened ended: %v; it said: %s", e.How, e.Said)
}

// Unwrap gives how it ended.
func (e *DiedError) Unwrap() error { return e.How }
