//go:build !whisper

package cli

import "github.com/spf13/cobra"

// listening are the commands of a program that can listen, which this one
// cannot.
func listening() []func(*env) *cobra.Command { return nil }
