//go:build !linux

package store

import "errors"

// watcher would ask the system what has changed since the last look; here
// nothing answers that completely, so each look scans.
type watcher struct{}

func watchFolder(string) (*watcher, error) {
	return nil, errors.New("this system does not tell completely what has changed in a folder")
}

// limitReached tells whether watching failed because the system allows no more.
func limitReached(error) bool { return false }

func (w *watcher) add(string) error { return nil }

func (w *watcher) dirty() (map[string]bool, bool) { return nil, false }

func (w *watcher) close() error { return nil }
