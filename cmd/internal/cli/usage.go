package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// atLeast wants so many arguments, the first of which is named in the error.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= n {
			return nil
		}
		return &UsageError{Command: c.CommandPath(), Err: fmt.Errorf("%s is missing", what), Hint: "usage: " + c.UseLine()}
	}
}

// noArguments wants none.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &UsageError{Command: c.CommandPath(), Err: fmt.Errorf("%s takes no argument such as %q", c.Name(), args[0])}
}
