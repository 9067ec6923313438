package app

import (
	"errors"

	"memory-mcp/lobes"
)

// errNoEmbedder says that nothing turns texts into vectors here.
var errNoEmbedder = errors.New("no embedding model is configured")

// Embedder is the embedding model of the configuration, for measurements. A
// model of this machine answers while [App.Lend] runs it.
func (a *App) Embedder() (lobes.Embedder, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now.brains.embedder != nil {
		return a.now.brains.embedder, nil
	}
	for _, p := range a.now.brains.parts {
		if p.role == "embedding" {
			return nil, errors.New(p.cause)
		}
	}
	return nil, errNoEmbedder
}
