package lobes

import (
	"fmt"
	"sync"

	"memory-mcp/store"
	"memory-mcp/textanalysis"
)

// phrases says in words what signals found, with the words that did it.
func phrases(found []textanalysis.Signal) []string {
	said := make([]string, 0, len(found))
	for _, s := range found {
		said = append(said, fmt.Sprintf("%s (%q)", s.Phrase, s.Text))
	}
	return said
}

// speaksToModel tells by which signs a text speaks to the model that reads it.
func speaksToModel(text string) []string {
	return phrases(textanalysis.InstructionSignals(text))
}

// signals remembers for the texts that were shown whether they speak to the
// model: the look is thorough, and the same few entries are shown again and
// again.
type signals struct {
	mu    sync.Mutex
	known map[string][]string // by hash of the file
}

// mostSignals bounds the memory; what falls out is looked at again.
const mostSignals = 4096

func (s *signals) of(h *store.Head) []string {
	s.mu.Lock()
	found, ok := s.known[h.Hash]
	s.mu.Unlock()
	if ok {
		return found
	}
	found = speaksToModel(h.Entry.Title + "\n" + h.Entry.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSignals {
		s.known = make(map[string][]string)
	}
	s.known[h.Hash] = found
	return found
}
