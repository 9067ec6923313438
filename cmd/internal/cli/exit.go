package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"memory-mcp/cmd/internal/ops"
)

// exitDegraded is the exit code of a program that works in part.
const exitDegraded = 6

const exitHelp = `Exit codes:
  0  done
  1  the work could not be done
  2  the command line or an argument is wrong
  3  what was named is not there: an entry, a lobe, a file
  4  refused, and the answer says what would change that: a text that looks
     short-lived, a full lobe, a read-only program
  5  somebody else is at it or was faster, look and try again: an open
     editor, another process, a newer revision
  6  the lobe cannot be served; from diagnose: one of them`

// A UsageError is a command line that makes no sense.
type UsageError struct {
	Command string // as typed, empty for the program itself
	Err     error
	Hint    string
}

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// An ExitError ends the program with a code, after the answer was printed.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// A HintedError is an error with what to do about it.
type HintedError struct {
	Err  error
	Hint string
	Code int
}

func (e *HintedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *HintedError) Unwrap() error { return e.Err }

// report prints an error for a person and returns the exit code.
func (e *env) report(err error) int {
	var usage *UsageError
	var fault *ops.Fault
	var exit *ExitError
	var hinted *HintedError
	switch {
	case err == nil:
		return ops.ExitOK
	case errors.As(err, &exit):
		return exit.Code
	case errors.Is(err, syscall.EPIPE):
		// Whoever read the output has seen enough.
		return ops.ExitOK
	case errors.As(err, &usage):
		hint := usage.Hint
		if hint == "" {
			hint = usage.help()
		}
		return e.complain(usage.Error(), hint, ops.ExitUsage)
	case errors.As(err, &fault):
		return e.complain(fault.Message, fault.Hint, exitCode(fault))
	case errors.As(err, &hinted):
		return e.complain(hinted.Error(), hinted.Hint, hinted.Code)
	case errors.Is(err, context.Canceled):
		return e.complain("stopped", "", ops.ExitFailure)
	}
	return e.complain(err.Error(), "", ops.ExitFailure)
}

// exitCode tells two cases apart that are one for other doors: somebody was
// faster, and the lobe cannot be served.
func exitCode(f *ops.Fault) int {
	switch f.Code {
	case "conflict":
		return ops.ExitBusy
	case "degraded_lobe", "safe_mode":
		return exitDegraded
	}
	return f.Exit
}

func (e *UsageError) help() string {
	command := e.Command
	if command == "" {
		command = Name
	}
	return command + " --help tells how"
}

// complain prints a message and its hint, each line under the program's name.
func (e *env) complain(message, hint string, code int) int {
	paint := terminalOf(e.Stderr, e.Getenv)
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(message), "\n") {
		b.WriteString(Name + ": " + paint.red(line) + "\n")
	}
	for line := range strings.SplitSeq(strings.TrimSpace(hint), "\n") {
		if line != "" {
			b.WriteString(Name + ": hint: " + line + "\n")
		}
	}
	if _, err := fmt.Fprint(e.Stderr, b.String()); err != nil && code == ops.ExitOK {
		return ops.ExitFailure
	}
	return code
}
