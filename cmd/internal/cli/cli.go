// Package cli is the command line of memory-mcp.
//
// Each command is a file and a function that builds a cobra command. A command
// turns its arguments into one call of an operation, the same that agents call
// over the protocol, and prints the answer: as text and tables for a person,
// as JSON with --json. Nothing here opens an entry's file, but for the editor
// that a person asks for by name.
//
// [Run] is the whole of it: it never exits the process, and what it knows of
// the world is a [World].
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

// Name is what the program is called in its own texts.
const Name = "memory-mcp"

// World is all that the commands see of the process around them.
type World struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Now is the clock.
	Now func() time.Time
	// Getenv reads an environment variable.
	Getenv func(string) string
	// Dir is the absolute working directory, empty when it cannot be told.
	Dir string
	// Home is the person's home directory, empty when it cannot be told.
	Home string
	// Parent is the number of the process that started this one, as it was at
	// the start; a server ends with it. 0 is without.
	Parent int
	// Executable is the absolute path of the running program.
	Executable string
}

// Process is the World of this process. What the system cannot tell stays
// empty: the command that needs it says so.
func Process() World {
	w := World{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Parent: os.Getppid()}
	if dir, err := os.Getwd(); err == nil {
		w.Dir = dir
	}
	if home, err := os.UserHomeDir(); err == nil {
		w.Home = home
	}
	if exe, err := os.Executable(); err == nil {
		w.Executable = exe
		if real, err := filepath.EvalSymlinks(exe); err == nil && real != exe {
			w.Executable = stablePath(exe, real)
		}
	}
	return w
}

// stablePath prefers the link by which the program was started: its target
// often names a version, and goes with the next upgrade.
func stablePath(link, target string) string {
	if filepath.IsAbs(link) {
		return link
	}
	return target
}

// Run executes one command line and returns the exit code of the process.
func Run(ctx context.Context, args []string, w World) int {
	e := newEnv(w)
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return e.report(err)
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:           Name,
		Short:         "A memory for AI coding agents, kept as Markdown files",
		Long:          rootHelp,
		SilenceErrors: true,

		SuggestionsMinimumDistance: 2,

		SilenceUsage:      true,
		Args:              noSuchCommand,
		RunE:              func(c *cobra.Command, _ []string) error { return e.bare(c) },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return flagError(c, err)
	})
	flags := root.PersistentFlags()
	flags.StringVar(&e.configPath, "config", "", "read this configuration `FILE`")
	flags.BoolVar(&e.readOnly, "read-only", false, "refuse every write")
	flags.BoolVar(&e.readOnly, "readonly", false, "the same as --read-only")
	hide(root, "readonly")
	root.AddGroup(
		&cobra.Group{ID: groupDaily, Title: "Every day:"},
		&cobra.Group{ID: groupTime, Title: "Asking the history:"},
		&cobra.Group{ID: groupCare, Title: "Looking after it:"},
		&cobra.Group{ID: groupSetup, Title: "Setting up:"},
	)
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	for _, command := range append(commands(), listening()...) {
		root.AddCommand(command(e))
	}
	return root
}

const (
	groupDaily = "daily"
	groupTime  = "time"
	groupCare  = "care"
	groupSetup = "setup"
)

// commands are the builders of all commands, in the order of the help.
func commands() []func(*env) *cobra.Command {
	return []func(*env) *cobra.Command{
		newStore, newCheckpoint, newRecord, newFeedback, newQuery, newContext, newShow, newEdit,
		newList, newCorrect, newForget, newRestore, newLobes, newStats, newDiagnose,
		newHistory, newDiff, newWhy, newAsOf, newUndo, newDemo,
		newHook, newSweep, newWork,
		newSetup, newUninstall, newDoctor, newPrompt, newImport, newExport, newModels, newServe, newVersion, newBench,
	}
}

const rootHelp = `memory-mcp gives AI coding agents a memory that a person can read, edit and
take away. Every memory is one Markdown file: in .git/memory/ for what belongs
to a repository, in ~/.memory-mcp/global/ for what belongs to a person.

` + exitHelp

// noSuchCommand refuses arguments of the bare program, and names the command
// that was probably meant.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := &UsageError{Command: c.CommandPath(), Err: errors.New("there is no command " + quote(args[0]))}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		e.Hint = "did you mean " + quote(near[0]) + "?"
	}
	return e
}

// flagError tells of an option that is not known. Filters hold words that look
// like options.
func flagError(c *cobra.Command, err error) error {
	e := &UsageError{Command: c.CommandPath(), Err: err}
	if c.Name() == "query" || c.Name() == "ls" {
		e.Hint = `a filter that begins with "-" goes after "--"; ` + e.help()
	}
	return e
}

func hide(c *cobra.Command, flag string) {
	if f := c.PersistentFlags().Lookup(flag); f != nil {
		f.Hidden = true
	}
	if f := c.Flags().Lookup(flag); f != nil {
		f.Hidden = true
	}
}
