package cli

import "io"

// nopCloser is an output that is no file, and needs no closing.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
