package lobes

import (
	"fmt"
	"slices"
	"sync"

	"memory-mcp/store"
	"memory-mcp/store/entry"
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

// heldOutside tells whether an entry is held because a file from outside
// speaks to the model: nobody has stood for its present text yet. A confirm or
// a correction does, and so does a configuration by which files are the
// person's own words.
func (r reading) heldOutside(h *store.Head) bool {
	// The signs are remembered, the history is not: they go first.
	return h.Entry.Status != "review" && len(r.lobe.signals.of(h)) > 0 && r.fromOutside(h)
}

// fromOutside tells whether the file's present text was written by hand or by
// another program.
func (r reading) fromOutside(h *store.Head) bool {
	if r.lobe.spec.Plain == entry.User {
		return false
	}
	if h.Copy != "" || h.Broken != nil {
		return true
	}
	newest, ok, err := r.newest(h.Entry.ID)
	return err == nil && (!ok || newest.Op == entry.OpAdopt || entry.Sum(newest.Head) != h.Hash)
}

// withoutHeld leaves out what is held, and tells how much that was.
func withoutHeld(hits []hit, q Query) ([]hit, int) {
	if q.Status == "review" || q.Status == "*" {
		return hits, 0
	}
	free := slices.DeleteFunc(slices.Clone(hits), func(h hit) bool { return h.heldOutside(h.head) })
	return free, len(hits) - len(free)
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
