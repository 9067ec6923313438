// Command memory-mcp gives AI coding agents a memory kept as Markdown files.
//
// It is one program with several faces: `memory-mcp serve` speaks the Model
// Context Protocol on standard input and output, and the other commands do the
// same work for a person or a script. `memory-mcp help` lists them.
package main

import (
	"context"
	"os"

	"memory-mcp/cmd/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Process()))
}
