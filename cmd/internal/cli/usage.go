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

// exactly wants so many arguments, the first of which is named in the error.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := atLeast(n, what)(c, args); err != nil {
			return err
		}
		return atMost(n)(c, args)
	}
}

// atMost wants no more than so many arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return &UsageError{Command: c.CommandPath(), Err: fmt.Errorf("%s takes no argument such as %q", c.Name(), args[n]), Hint: "usage: " + c.UseLine()}
	}
}
