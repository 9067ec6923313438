//go:build !whisper

package whisper

import (
	"context"
	"time"
)

// Built tells whether whisper.cpp is linked.
const Built = false

// A Transcriber listens to recordings. There is none in this program.
type Transcriber struct{ Options }

// New gives ErrNotBuilt.
func New(Options) (*Transcriber, error) { return nil, ErrNotBuilt }

// Transcribe gives ErrNotBuilt.
func (*Transcriber) Transcribe(context.Context, string, func(done, total time.Duration)) ([]Piece, error) {
	return nil, ErrNotBuilt
}
