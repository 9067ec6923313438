//go:build !linux

package store

// networkFS names the network file system that a folder is on; here nothing
// tells it cheaply, so it is "".
func networkFS(string) string { return "" }
