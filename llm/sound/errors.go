package sound

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnknown says that a file is no recording that can be read here.
var ErrUnknown = errors.New("it is no WAV, FLAC, MP3, or Ogg file with Vorbis or Opus")

// ErrEmpty says that a recording is 0 s long.
var ErrEmpty = errors.New("it holds no sound: it is 0 s long")

// A FormatError says what is wrong with a recording.
type FormatError struct {
	Format string        // as Reader.Format has it
	At     time.Duration // how much of it could be read
	Err    error
}

// Error tells the format, the place and the cause.
func (e *FormatError) Error() string {
	if e.At == 0 {
		return fmt.Sprintf("read %s: %v", e.Format, e.Err)
	}
	return fmt.Sprintf("read %s: broken after %v: %v", e.Format, e.At.Round(time.Millisecond), e.Err)
}

// Unwrap gives the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// errCut ends a source of which the rest is missing.
var errCut = errors.New("the rest is missing")
