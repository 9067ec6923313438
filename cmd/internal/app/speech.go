package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"memory-mcp/config"
	"memory-mcp/llm/models"
	"memory-mcp/llm/whisper"
	"memory-mcp/lobes"
)

// ListenCommand is the command of this program that listens for another one of
// its processes.
const ListenCommand = "listen"

// errNoSpeech says that no model listens.
var errNoSpeech = errors.New("no model for speech is configured")

// speech joins the model that listens, or says why there is none.
func (b *brains) speech(c *config.Config) {
	m := c.Models.Speech
	if !m.Used() {
		b.deaf = errNoSpeech
		if !whisper.Built {
			b.deaf = whisper.ErrNotBuilt
		}
		return
	}
	p := part{role: string(models.Speech), name: m.Name}
	b.ear, b.deaf = p.ear(c, m)
	b.parts = append(b.parts, p)
}

// ear is what listens with a model; without one it says why.
func (p *part) ear(c *config.Config, m config.Model) (*ear, error) {
	file, _, err := modelFile(c, m.Name)
	var bad *whisper.ModelError
	switch {
	case !whisper.Built:
		p.next = whisper.BuildCommand
		err = whisper.ErrNotBuilt
	case err != nil:
		p.next = p.mend(c, err)
	default:
		var program string
		if program, err = os.Executable(); err != nil {
			break
		}
		var w *whisper.Transcriber
		if w, err = whisper.New(whisper.Options{Model: file, Program: []string{program, ListenCommand}}); err == nil {
			p.name = w.Name()
			return &ear{w}, nil
		}
		if errors.As(err, &bad) {
			p.next = p.mend(c, err)
		}
	}
	p.cause = err.Error()
	return nil, err
}

// mend is what helps against a model file that cannot be used.
func (p *part) mend(c *config.Config, err error) string {
	var unknown *models.UnknownModelError
	if errors.As(err, &unknown) || filepath.IsAbs(p.name) {
		return "correct models." + p.role + " in " + c.Path
	}
	var bad *whisper.ModelError
	if errors.As(err, &bad) {
		return "memory-mcp models rm " + p.name + ", then memory-mcp models pull " + p.name
	}
	return "memory-mcp models pull " + p.name
}

// ear listens to recordings with whisper.cpp.
type ear struct{ *whisper.Transcriber }

// Transcribe gives what is said in a recording. A model that cannot be used
// says nothing about it.
func (e *ear) Transcribe(ctx context.Context, path string, progress func(done, total time.Duration)) ([]lobes.Spoken, error) {
	pieces, err := e.Transcriber.Transcribe(ctx, path, progress)
	var model *whisper.ModelError
	var sound *whisper.SoundError
	switch {
	case errors.As(err, &model):
		return nil, &lobes.UnaskedError{Cause: err}
	case errors.As(err, &sound):
		return nil, &lobes.UnheardError{Path: sound.Path, Why: sound.What}
	case err != nil:
		return nil, err
	}
	spoken := make([]lobes.Spoken, len(pieces))
	for i, p := range pieces {
		spoken[i] = lobes.Spoken(p)
	}
	return spoken, nil
}
