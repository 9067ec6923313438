//go:build unix

package models

import "golang.org/x/sys/unix"

// freeOn is how many bytes a user may still write on the disk of a folder.
func freeOn(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
