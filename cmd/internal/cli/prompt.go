package cli

import (
	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/install"
)

func newPrompt(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "prompt",
		Short:   "Print the text that tells an agent about the memory",
		GroupID: groupSetup,
		Long: `Print the marked block that "memory-mcp setup --scope project" writes into
AGENTS.md and GEMINI.md: for an agent that setup does not know, paste it into its
instructions.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return e.say(install.Block()) },
	}
}
