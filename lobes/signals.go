package lobes

import (
	"fmt"
	"slices"

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
	return h.Entry.Status != "review" && len(r.look(h).signals()) > 0 && r.fromOutside(h)
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
	rev, ok, err := r.written(h)
	return err == nil && (!ok || rev.Op == entry.OpAdopt || entry.Sum(rev.Head) != h.Hash)
}

// withoutHeld leaves out what is held, and tells how much that was.
func withoutHeld(hits []hit, q Query) ([]hit, int) {
	if q.Status == "review" || q.Status == "*" {
		return hits, 0
	}
	free := slices.DeleteFunc(slices.Clone(hits), func(h hit) bool { return h.heldOutside(h.head) })
	return free, len(hits) - len(free)
}
