package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"memory-mcp/cmd/internal/install"
	"memory-mcp/cmd/internal/probe"
)

// verify starts the server that was registered as an agent would, in a bare
// environment and a folder that is nobody's, and tells how it answered.
func (e *env) verify(ctx context.Context, io install.Options) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	c := probe.Command{Path: io.Command, Args: []string{"serve"}, Env: probe.Bare(io.OS, e.Home, e.Getenv), Dir: os.TempDir()}
	if io.ReadOnly {
		c.Args = append(c.Args, "--read-only")
	}
	if io.SetHome != "" {
		c.Env["MEMORY_MCP_HOME"] = io.SetHome
	}
	server, err := probe.Dial(ctx, c)
	if err == nil {
		err = server.Close()
	}
	if err != nil {
		return "", fmt.Errorf("the server that was registered does not answer: %s: %w", io.Command, err)
	}
	return fmt.Sprintf("The server answers in %d ms: %s.", server.Took.Milliseconds(), strings.Join(server.Tools, ", ")), nil
}
