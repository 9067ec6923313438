package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Write puts new entries into a lobe's folder, as a program would that knows
// nothing of this one: so many a second, each whole at once, none synced. It
// ends with the context or after the given time, and tells how many it wrote.
func Write(ctx context.Context, dir string, seed uint64, perSecond int, last time.Duration) (int, error) {
	notes, began := New(seed), time.Now()
	known := map[string]bool{}
	for n := 0; ; n++ {
		due := time.Duration(n) * time.Second / time.Duration(perSecond)
		if due >= last {
			return n, nil
		}
		select {
		case <-ctx.Done():
			return n, nil
		case <-time.After(due - time.Since(began)):
		}
		if time.Since(began) >= last {
			return n, nil
		}
		e := notes.Note().entry(fmt.Sprintf("mem-%04x%08x", seed&0xffff, n), began)
		folder := filepath.Join(dir, filepath.FromSlash(e.Topic))
		if !known[folder] {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return n, err
			}
			known[folder] = true
		}
		half := filepath.Join(folder, ".half-"+e.ID)
		if err := os.WriteFile(half, e.Format(), 0o600); err != nil {
			return n, err
		}
		if err := os.Rename(half, filepath.Join(folder, e.ID+".md")); err != nil {
			return n, err
		}
	}
}
