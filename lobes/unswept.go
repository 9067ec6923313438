package lobes

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// mostLooked is how many of the latest ledgers are looked at for transcripts
// that nobody looked through.
const mostLooked = 20

// Unswept are the transcripts of earlier sessions of the target's lobe that
// have grown since they were looked through, and that nobody has written into
// for a while: their hosts ended without a word. The session that asks is left
// out.
func (s *Set) Unswept(t Target, who Session, rest time.Duration) ([]Transcript, error) {
	if s.o.ReadOnly {
		return nil, nil
	}
	type old struct {
		path string
		at   time.Time
	}
	var all []old
	for _, dir := range s.stateDirs(t) {
		listed, err := os.ReadDir(filepath.Join(dir, ledgerName))
		if err != nil {
			continue // nobody was told anything here
		}
		for _, e := range listed {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && e.Name() != ledgerLock {
				all = append(all, old{filepath.Join(dir, ledgerName, e.Name()), info.ModTime()})
			}
		}
	}
	slices.SortFunc(all, func(a, b old) int { return b.at.Compare(a.at) })
	var found []Transcript
	for _, o := range all[:min(len(all), mostLooked)] {
		p := newLedgerPage(s.o.Now())
		p.take(o.path)
		said := p.said
		info, err := os.Stat(said.Path)
		if said.Path == "" || err != nil || said.Session == who.ID || info.Size() == said.Swept || s.o.Now().Sub(info.ModTime()) < rest {
			continue
		}
		found = append(found, said)
	}
	return found, nil
}
