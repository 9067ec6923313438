package lobes

import (
	"sync"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// A look is what only a thorough look at an entry tells. Each part is worked
// out when it is first asked for.
type look struct {
	signals func() []string // by which signs the text speaks to the model
	sense   func() sense
	excerpt func() string // of MaxExcerpt characters
	// prose is the excerpt of the usual length.
	prose func() string
}

// sense is what entries are compared by.
type sense struct {
	whole, title textanalysis.Fingerprint
	stance       textanalysis.Stance
	short        bool // too short to contradict anything
}

func newLook(a *textanalysis.Analyzer, e *entry.Entry) *look {
	return &look{
		signals: sync.OnceValue(func() []string { return speaksToModel(e.Title + "\n" + e.Body) }),
		sense: sync.OnceValue(func() sense {
			if len([]rune(e.Body)) <= textanalysis.ConflictMinBody {
				return sense{short: true}
			}
			return sense{
				whole: a.FingerprintOf(e.Title, e.Body), title: a.FingerprintOf(e.Title, ""), stance: textanalysis.StanceOf(e.Body),
			}
		}),
		excerpt: sync.OnceValue(func() string { return entry.Excerpt(e.Body, MaxExcerpt) }),
		prose:   sync.OnceValue(func() string { return entry.Excerpt(e.Body, standardExcerpt) }),
	}
}

// short is an excerpt of at most so many characters.
func (l *look) short(e *entry.Entry, characters int) string {
	switch characters {
	case MaxExcerpt:
		return l.excerpt()
	case standardExcerpt:
		return l.prose()
	}
	return entry.Excerpt(e.Body, characters)
}

// looks remembers the looks at the texts that were shown: the same few entries
// are shown again and again.
type looks struct {
	mu       sync.Mutex
	now, old map[string]*look // by hash of the file
}

// mostLooks bounds the memory: when as many are known, those not asked for
// since the last time are given up, to be looked at again.
const mostLooks = 2048

func (s *looks) of(a *textanalysis.Analyzer, h *store.Head) *look {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.now[h.Hash]; ok {
		return l
	}
	l, ok := s.old[h.Hash]
	if !ok {
		l = newLook(a, &h.Entry)
	}
	if s.now == nil || len(s.now) >= mostLooks {
		s.now, s.old = make(map[string]*look), s.now
	}
	s.now[h.Hash] = l
	return l
}

// look is what a thorough look at an entry tells.
func (r reading) look(h *store.Head) *look { return r.lobe.looks.of(r.lobe.o.Analyzer, h) }
