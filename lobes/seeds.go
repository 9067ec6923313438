package lobes

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"memory-mcp/store"
)

// mostSeeds is how many memories a round in the background begins from: what
// has changed lately comes first, and the rest has time.
const mostSeeds = 25

// enough tells whether a round has begun from so many memories that the rest is
// for the next one. A person who waits wants all of it.
func (t *tidying) enough(n int) bool { return !t.patient && n >= mostSeeds }

// seedbed is what is to be looked at for one purpose.
type seedbed struct {
	what, by string
	all      []*store.Head // the latest first
	newest   time.Time     // of all files of the lobe, at most now
	left     bool          // something is to be looked at again
}

// sownName is a file beside the caches: up to which time of its files a lobe
// was looked through, by purpose and model. Losing it costs time.
const sownName = stateName + "/sown"

// seeds are the memories that may be a member of something and have changed
// since all of them were looked through for the purpose by a model.
func (t *tidying) seeds(what, by string) *seedbed {
	bed, now := &seedbed{what: what, by: by}, t.set.o.Now()
	since := t.sowings()[what+" "+by]
	for h := range t.view.Heads() {
		at := h.Modified
		if h.Changed.After(at) {
			at = h.Changed
		}
		// A time that has not come would leave out all that changes until then.
		if at.After(bed.newest) && !at.After(now) {
			bed.newest = at
		}
		if at.Before(since) || h.Broken != nil || !t.lobe.sown.fresh(what, h.Entry.ID, h.Hash) || t.kindOfGroup(h) == "" {
			continue
		}
		bed.all = append(bed.all, h)
	}
	slices.SortStableFunc(bed.all, func(a, b *store.Head) int { return b.Modified.Compare(a.Modified) })
	return bed
}

// sow notes that all seeds were looked at.
func (t *tidying) sow(bed *seedbed) error {
	if bed.left || len(bed.all) == 0 {
		return nil
	}
	all := t.sowings()
	all[bed.what+" "+bed.by] = bed.newest
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.lobe.spec.Dir, filepath.FromSlash(sownName)), b, 0o600)
}

// sowings are the times up to which the lobe was looked through. What cannot be
// read counts as nothing.
func (t *tidying) sowings() map[string]time.Time {
	all := map[string]time.Time{}
	b, err := os.ReadFile(filepath.Join(t.lobe.spec.Dir, filepath.FromSlash(sownName)))
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.lobe.o.Logger.Debug("all memories are looked through anew", "lobe", t.lobe.name, "cause", err)
	}
	if all == nil {
		all = map[string]time.Time{}
	}
	return all
}
