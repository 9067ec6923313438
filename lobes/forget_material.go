package lobes

import (
	"crypto/sha256"
	"fmt"
	"hash"
)

// A leaving is material of an inbox that is to be forgotten.
type leaving struct {
	lobe *Lobe
	box  inbox
	name string
	sum  [sha256.Size]byte // of what is left of it, as it is now
}

// material finds what waits in the inbox, or was given up, and was given as is
// asked. A file that cannot be read agrees with nothing.
func (r reading) material(f Forgetting) ([]leaving, error) {
	var found []leaving
	box := r.lobe.inbox()
	for _, b := range []inbox{box, box.failed()} {
		names, err := b.names()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			it, err := b.read(name)
			if err == nil && it.agrees(f) {
				found = append(found, leaving{r.lobe, b, name, sha256.Sum256([]byte(it.Text))})
			}
		}
	}
	return found, nil
}

func (it *item) agrees(f Forgetting) bool {
	return (f.Session == "" || it.Session == f.Session) && (f.Source == "" || it.Source == f.Source || it.source() == f.Source) &&
		isActor(it.Actor, f.Actor) && !it.Recorded.Before(f.Since) && (f.Until.IsZero() || !it.Recorded.After(f.Until))
}

// tell makes the material a part of what a token stands for.
func (l leaving) tell(sum hash.Hash) {
	fmt.Fprintln(sum, l.lobe.spec.Dir, l.name, l.sum) // a hash never fails to write
}

// dropMaterial takes the material out of the inboxes.
func (m matching) dropMaterial() error {
	for _, l := range m.material {
		if err := l.box.remove(l.name); err != nil {
			return err
		}
	}
	return nil
}
