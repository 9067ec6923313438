//go:build !whisper

package whisper_test

import (
	"context"
	"errors"
	"testing"

	"memory-mcp/llm/whisper"
)

// TestWithoutIt tells that speech cannot be heard, and how that is tested.
func TestWithoutIt(t *testing.T) {
	if _, err := whisper.New(whisper.Options{Model: "/m.bin", Program: []string{"p"}}); !errors.Is(err, whisper.ErrNotBuilt) {
		t.Errorf("%v", err)
	}
	if _, err := new(whisper.Transcriber).Transcribe(context.Background(), "/note.wav", nil); !errors.Is(err, whisper.ErrNotBuilt) {
		t.Errorf("%v", err)
	}
}

func TestHears(t *testing.T) {
	t.Skip("built without whisper.cpp; .ci/native builds its library, and the tests of it run with -tags whisper")
}
