package config

import (
	"crypto/sha256"
	"os"
)

// Stale reports whether [Load] would now read another text: the file changed,
// or a file appeared in a place that comes before it. The bytes are compared,
// not the times, so a rewrite of the same size in the same instant is seen. A
// file that is gone or cannot be read is an error and no reason to load again:
// some editors take the file away for a moment.
func (c *Config) Stale() (bool, error) {
	for _, place := range c.earlier {
		if _, err := os.Lstat(place); err == nil {
			return true, nil
		}
	}
	if c.Path == "" {
		return false, nil
	}
	src, err := readBytes(c.Path)
	if err != nil {
		return false, unreadable(c.Path, "", err)
	}
	return sha256.Sum256(src) != c.sum, nil
}
