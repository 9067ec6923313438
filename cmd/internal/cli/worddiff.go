package cli

import (
	"strings"

	"memory-mcp/textanalysis"
)

// removed and added mark what one of two texts has and the other has not: by
// colour where there is one, else with the marks that git uses.
func (t terminal) removed(s string) string {
	if t.colour {
		return t.style("9;31", s)
	}
	return "[-" + s + "-]"
}

func (t terminal) added(s string) string {
	if t.colour {
		return t.green(s)
	}
	return "{+" + s + "+}"
}

// words is a difference, broken into lines that fit.
func (t terminal) words(pieces []textanalysis.Piece, indent string) string {
	var b strings.Builder
	column := 0
	for _, p := range pieces {
		paint := func(s string) string { return s }
		switch p.What {
		case textanalysis.Removed:
			paint = t.removed
		case textanalysis.Added:
			paint = t.added
		}
		for i, line := range strings.Split(printable(p.Text), "\n") {
			if i > 0 {
				b.WriteString("\n" + indent)
				column = 0
			}
			column = t.run(&b, line, paint, column, indent)
		}
	}
	return indent + strings.TrimRight(b.String(), "\n ")
}

// run writes the words of one line of a piece, and gives the column behind
// them.
func (t terminal) run(b *strings.Builder, line string, paint func(string) string, column int, indent string) int {
	part := ""
	flush := func() {
		if part != "" {
			b.WriteString(paint(part))
		}
		part = ""
	}
	for word := range strings.SplitAfterSeq(line, " ") {
		wide := displayWidth(word)
		if t.width > 0 && column > 0 && column+wide+displayWidth(indent) > t.width {
			flush()
			b.WriteString("\n" + indent)
			column = 0
		}
		part += word
		column += wide
	}
	flush()
	return column
}
