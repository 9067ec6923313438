package ops

import (
	"strings"

	"memory-mcp/lobes"
)

// A Use is what a call came to, for the figures of usage and for the ledger of
// the session that made it.
type Use struct {
	Op        string
	Shown     []lobes.Shown // that the answer shows, or that the call wrote
	Opened    []string      // ids that were asked for by name
	Confirmed []string      // ids of what was found right, or corrected
}

// Use tells what a call came to, given the text of its answer: only what
// stands there was shown.
func (r Reply) Use(op, text string) Use {
	u := Use{Op: op}
	show := func(lobe, id string) bool {
		if id == "" || !strings.Contains(text, id) {
			return false
		}
		u.Shown = append(u.Shown, lobes.Shown{Lobe: lobe, ID: id})
		return true
	}
	switch a := r.answer.(type) {
	case *found:
		for _, h := range a.Results {
			if show(h.Lobe, h.ID) && a.byID {
				u.Opened = append(u.Opened, h.ID)
			}
		}
	case *briefing:
		for _, h := range a.Results {
			show(h.Lobe, h.ID)
		}
	case *stored:
		for _, s := range a.Stored {
			show(s.Lobe, s.ID)
		}
		for _, s := range a.Confirmed {
			show(s.Lobe, s.ID)
			u.Confirmed = append(u.Confirmed, s.ID)
		}
	case *corrected:
		if a.Action != "deleted" {
			u.Confirmed = append(u.Confirmed, a.ID)
		}
	}
	return u
}
