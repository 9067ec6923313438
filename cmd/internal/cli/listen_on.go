//go:build whisper

package cli

import (
	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/llm/whisper"
)

// listening are the commands of a program that can listen.
func listening() []func(*env) *cobra.Command { return []func(*env) *cobra.Command{newListen} }

// newListen is the process that listens for another one: what it prints is read
// by that.
func newListen(e *env) *cobra.Command {
	var threads int
	c := &cobra.Command{
		Use:    app.ListenCommand + " MODEL RECORDING",
		Short:  "Listen to a recording for another process",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			return whisper.Listen(e.Stdin, e.Stdout, whisper.Options{Model: args[0], Threads: threads}, args[1])
		},
	}
	c.Flags().IntVar(&threads, "threads", 1, "how many threads compute")
	return c
}
