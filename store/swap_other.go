//go:build !linux

package store

import "os"

// swap exchanges two files of one folder in one step. It tells false: this
// system offers no such call here, so the caller compares and renames.
func swap(*os.Root, string, string) (bool, error) { return false, nil }

// claim renames a file to a name that must be free. It tells false: this
// system offers no such call here, so the caller looks first.
func claim(*os.Root, string, string) (bool, error) { return false, nil }
