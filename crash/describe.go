package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"
)

const maxErr = 500

// describe says what was thrown. Only the runtime's and the system's own words
// are kept: any other text may quote a memory.
func describe(value any) string {
	var fault runtime.Error
	var errno syscall.Errno
	err, isErr := value.(error)
	switch {
	case !isErr:
		return fmt.Sprintf("a value of type %T", value)
	case errors.As(err, &fault):
		return cut(fault.Error())
	case errors.As(err, &errno):
		return fmt.Sprintf("an error of type %T: %s", value, errno.Error())
	}
	return fmt.Sprintf("an error of type %T", value)
}

// withoutQuotes empties what stands between quotation marks: by our way of
// writing errors that is the input.
func withoutQuotes(text string) string {
	var b strings.Builder
	quote, escaped := rune(0), false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
		case quote != 0 && r == '\\' && quote != '`':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
			b.WriteString("…")
			b.WriteRune(r)
		case quote != 0:
		case r == '"' || r == '`':
			quote = r
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return cut(b.String())
}

func cut(text string) string {
	if len(text) <= maxErr {
		return text
	}
	text = text[:maxErr]
	for !utf8.ValidString(text) && text != "" {
		text = text[:len(text)-1]
	}
	return text + "…"
}

// remedies are the steps that may help, the likeliest first.
func remedies(kind Kind, phase string, err error) []string {
	steps := []string{}
	switch {
	case err == nil:
	case diskFull(err):
		steps = append(steps, "free some disk space, then try again")
	case errors.Is(err, syscall.EROFS):
		steps = append(steps, "the disk is read-only: remount it, or serve with --read-only")
	case errors.Is(err, fs.ErrPermission):
		steps = append(steps, "give yourself the right to read and write the folder"+of(err))
	case errors.Is(err, fs.ErrNotExist):
		steps = append(steps, "the path is missing: create it or correct it in memory-config.json"+of(err))
	case errors.Is(err, syscall.EMFILE):
		steps = append(steps, "raise the limit of open files (ulimit -n)")
	}
	if phase == PhaseConfiguration {
		steps = append(steps, "correct memory-config.json: the error names the line and the key")
	}
	return append(steps, kindRemedies(kind)...)
}

func kindRemedies(kind Kind) []string {
	switch kind {
	case KindPanic:
		return []string{"the process went on and nothing stored was lost; repeat the call", "if it happens again, report it with this file: it holds no memory"}
	case KindBackground:
		return []string{"the host starts the server again with the next session", "if it happens again, report it with this file: it holds no memory"}
	case KindKilled:
		return []string{"what was acknowledged is stored; repeat the operation named here", "if memory was short, close something or name smaller lobes: the system kills the largest process"}
	case KindStartup:
		return []string{"run memory-mcp diagnose: it says what is missing"}
	case KindLobe:
		return []string{"the other lobes work; run memory-mcp diagnose for this one"}
	case KindTransport:
		return []string{"restart the client: it starts the server again"}
	}
	return []string{}
}

// of names the path that an error is about.
func of(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return ": " + path.Path
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return ": " + link.New
	}
	return ""
}
