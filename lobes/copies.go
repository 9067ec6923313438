package lobes

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// ImportSource is the source of what a person takes over from another memory.
const ImportSource = "import"

// A Copy is one entry as its files have it, to the byte.
type Copy struct {
	ID, Lobe  string
	Path      string   // slash-separated, relative to the lobe
	Head      []byte   // nil when it was taken back
	Revisions [][]byte // the files of its history, oldest first; nil when it was not asked for
	// Record is the file of a record; then all but Lobe is empty.
	Record []byte
}

// Copies are the entries of the lobes that a call means, by lobe and id. With
// history also those that were taken back. A file that is no memory, and a copy
// of another file, is left out.
func (s *Set) Copies(ctx context.Context, t Target, history bool) ([]Copy, error) {
	lobes, err := s.Resolve(t, false)
	if err != nil {
		return nil, err
	}
	var all []Copy
	for _, l := range lobes {
		if l.spec.Global && len(lobes) > 1 && t.Lobe == "" {
			continue // it goes along with every lobe, and was not named
		}
		of, err := l.copies(ctx, history)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

func (l *Lobe) copies(ctx context.Context, history bool) ([]Copy, error) {
	r, err := l.look(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[string]*Copy{}
	var ids []string
	add := func(id string) *Copy {
		if byID[id] == nil {
			byID[id] = &Copy{ID: id, Lobe: l.name}
			ids = append(ids, id)
		}
		return byID[id]
	}
	for h := range r.view.Heads() {
		if h.Copy != "" || h.Broken != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(l.spec.Dir, filepath.FromSlash(h.Path)))
		if err != nil {
			return nil, fmt.Errorf("copy %q: %w", h.Entry.ID, err)
		}
		c := add(h.Entry.ID)
		c.Path, c.Head = h.Path, text
	}
	if history {
		past, err := r.store.Past(ctx)
		if err != nil {
			return nil, err
		}
		for id := range past.IDs() {
			if err := r.addHistory(add(id)); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(ids)
	all := make([]Copy, 0, len(ids))
	for _, id := range ids {
		if c := byID[id]; c.Head != nil || len(c.Revisions) > 0 {
			all = append(all, *c)
		}
	}
	if !history {
		return all, nil
	}
	records, err := r.copiedRecords(ctx)
	return append(all, records...), err
}

func (r reading) addHistory(c *Copy) error {
	revs, err := r.store.Revisions(c.ID)
	if err != nil {
		return fmt.Errorf("copy the history of %q: %w", c.ID, err)
	}
	for _, rev := range revs {
		text, err := rev.Format()
		if err != nil {
			return fmt.Errorf("copy the history of %q: %w", c.ID, err)
		}
		c.Revisions = append(c.Revisions, text)
	}
	return nil
}

// Accepted tells what became of copies.
type Accepted struct {
	Lobe      string   `json:"lobe"`
	Stored    []string `json:"stored"`    // ids that are new here
	Renewed   []string `json:"renewed"`   // ids whose history or state went on
	Unchanged []string `json:"unchanged"` // ids that were here, as they are
	Differ    []string `json:"differ"`    // ids that have another text here: left alone
	Held      []string `json:"held"`      // ids whose text speaks to a model: held for a person
	Refused   []string `json:"refused"`   // ids that were taken back or erased here, or that cannot be read
	Records   int      `json:"records"`   // that are new here: feedback and the like
}

// Accept takes copies into the lobe that the target leads to, under their own
// ids and as they are, to the byte. An entry that is here with another text is
// left alone, unless the copy brings the history that both share. With preview
// nothing is written.
func (s *Set) Accept(ctx context.Context, by By, t Target, all []Copy, preview bool) (Accepted, error) {
	a := Accepted{Stored: []string{}, Renewed: []string{}, Unchanged: []string{}, Differ: []string{}, Held: []string{}, Refused: []string{}}
	if err := s.writable("store"); err != nil && !preview {
		return a, err
	}
	lobes, err := s.Resolve(t, true)
	if err != nil {
		return a, err
	}
	r, err := lobes[0].look(ctx)
	if err != nil {
		return a, err
	}
	a.Lobe = r.lobe.name
	all, records := splitRecords(all)
	var revs []entry.Revision
	var held []string
	for _, c := range all {
		got, list, err := s.sort(by, r, c)
		if err != nil {
			return a, err
		}
		*list(&a) = append(*list(&a), c.ID)
		revs = append(revs, got...)
		if len(got) > 0 && speaks(c) {
			held = append(held, c.ID)
		}
	}
	a.Held = append(a.Held, held...)
	if a.Records, err = r.newRecords(ctx, records); preview || err != nil || len(revs)+a.Records == 0 {
		return a, err
	}
	merged, err := r.store.Graft(ctx, revs...)
	if err != nil {
		return a, err
	}
	if a.Records > 0 {
		if a.Records, err = r.store.TakeRecords(ctx, records...); err != nil {
			return a, err
		}
	}
	for _, x := range merged.Skipped {
		a.Refused = append(a.Refused, x.ID)
	}
	r.lobe.written.Store(true)
	return a, r.askAbout(ctx, by, held)
}

// sort decides on one copy: what of it goes into the history here, and in which
// list it is told.
func (s *Set) sort(by By, r reading, c Copy) ([]entry.Revision, func(*Accepted) *[]string, error) {
	refused := func(a *Accepted) *[]string { return &a.Refused }
	differ := func(a *Accepted) *[]string { return &a.Differ }
	unchanged := func(a *Accepted) *[]string { return &a.Unchanged }
	revs, ok := s.revisionsOf(by, c)
	if !ok {
		return nil, refused, nil
	}
	h, there := r.view.ID(c.ID)
	known, err := r.store.Revisions(c.ID)
	if err != nil {
		return nil, nil, err
	}
	shared, fresh := false, []entry.Revision{}
	for _, rev := range revs {
		if slices.ContainsFunc(known, func(k entry.Revision) bool { return k.Key() == rev.Key() }) {
			shared = true
		} else {
			fresh = append(fresh, rev)
		}
	}
	switch {
	case there && h.Hash == entry.Sum(c.Head) && c.Head != nil && (shared || len(c.Revisions) == 0), len(fresh) == 0:
		return nil, unchanged, nil
	case !there && len(known) > 0 && !shared:
		return nil, refused, nil // taken back here
	case there && !shared:
		return nil, differ, nil
	}
	if c.Head != nil {
		if e, err := entry.Parse(c.Head); err != nil || s.refusedOf(by, r.lobe, e.Body) != "" {
			return nil, refused, nil
		}
	}
	if there || shared {
		return fresh, func(a *Accepted) *[]string { return &a.Renewed }, nil
	}
	return fresh, func(a *Accepted) *[]string { return &a.Stored }, nil
}

// revisionsOf are the states that a copy brings, the present one last. It is
// not ok when one of them cannot be read, or is of another entry.
func (s *Set) revisionsOf(by By, c Copy) ([]entry.Revision, bool) {
	var revs []entry.Revision
	for _, text := range c.Revisions {
		rev, err := entry.ParseRevision(text)
		if err != nil || rev.ID != c.ID {
			return nil, false
		}
		revs = append(revs, rev)
	}
	if c.Head == nil {
		return revs, len(revs) > 0
	}
	if !entry.ValidID(c.ID) || !entry.IsEntryPath(c.Path) {
		return nil, false
	}
	if slices.ContainsFunc(revs, func(r entry.Revision) bool { return r.Matches(c.Head) }) {
		return revs, true
	}
	now := entry.Revision{
		ID: c.ID, Recorded: s.o.Now().UTC(), Actor: by.Actor, Session: cmp.Or(by.Session, by.Connection), Role: by.Role,
		Op: entry.OpCreate, Reason: ImportSource, Path: c.Path, Head: bytes.Clone(c.Head),
	}
	if n := len(revs); n > 0 {
		now.Op, now.Parents = entry.OpAdopt, []string{revs[n-1].Key()}
	}
	return append(revs, now), true
}

// speaks tells whether the text of a copy speaks to a model and nobody has been
// asked about it yet.
func speaks(c Copy) bool {
	e, err := entry.Parse(c.Head)
	return err == nil && e.Status == "" && len(speaksToModel(e.Title+"\n"+e.Body)) > 0
}

// askAbout puts entries before a person.
func (r reading) askAbout(ctx context.Context, by By, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := r.store.Write(ctx, by.store(ImportSource+": it speaks to a model"), func(tx *store.Tx) error {
		for _, id := range ids {
			if _, there := tx.View().ID(id); !there {
				continue
			}
			err := tx.Update(entry.OpEdit, id, func(e entry.Entry) (entry.Entry, error) {
				e.Status = "review"
				return e, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("hold %s for a person: %w", strings.Join(ids, ", "), err)
	}
	return nil
}
