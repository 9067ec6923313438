//go:build !unix

package config

// isNotFolder is never true here: the system reports such a path as missing.
func isNotFolder(error) bool {
	return false
}

// syncFolder does nothing: folders cannot be synced here.
func syncFolder(string) error {
	return nil
}
