//go:build unix

package store

// mayKeepOpen tells whether an open file can be replaced by a rename.
const mayKeepOpen = true
