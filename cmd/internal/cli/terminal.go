package cli

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal is what is known of an output: whether a person looks at it, how
// wide it is, and whether it shows colours.
type terminal struct {
	is     bool
	colour bool
	width  int // columns; 0 is without limit
}

// fileDescriptor is what a stream must have to be a terminal.
type fileDescriptor interface{ Fd() uintptr }

// terminalOf looks at an output. NO_COLOR (any value) and TERM=dumb take the
// colours away.
func terminalOf(stream any, getenv func(string) string) terminal {
	if !isTerminal(stream) {
		return terminal{}
	}
	t := terminal{is: true, width: 80}
	t.colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && enableColour(stream)
	if f, ok := stream.(fileDescriptor); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			t.width = w
		}
	}
	return t
}

func isTerminal(stream any) bool {
	if file, ok := stream.(*os.File); ok && file == nil {
		return false
	}
	f, ok := stream.(fileDescriptor)
	return ok && term.IsTerminal(int(f.Fd()))
}

// The styles of a text. Without colours a text stays as it is.
func (t terminal) bold(s string) string   { return t.style("1", s) }
func (t terminal) faint(s string) string  { return t.style("2", s) }
func (t terminal) red(s string) string    { return t.style("31", s) }
func (t terminal) green(s string) string  { return t.style("32", s) }
func (t terminal) yellow(s string) string { return t.style("33", s) }
func (t terminal) cyan(s string) string   { return t.style("36", s) }

func (t terminal) style(code, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// printable takes everything out of a text that a terminal would act on. Texts
// of memories come from anywhere.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0:
			return -1
		case r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return -1 // marks that turn the direction of the text around
		}
		return r
	}, s)
}
