//go:build !whisper

package main_test

import "testing"

// TestWithoutEars: a program that was built without whisper.cpp says so.
func TestWithoutEars(t *testing.T) { runScripts(t, "deaf", nil) }
