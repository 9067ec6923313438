package cli

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// A table prints rows in columns that line up, also in scripts whose signs
// are two columns wide. On a terminal the elastic column gives way when the
// lines are too long; elsewhere nothing is cut.
type table struct {
	head    []string
	rows    [][]string
	elastic int // the column that may be cut
	right   map[int]bool
	style   func(column int, cell string) string // after the cells are padded; nil is plain
}

// gutter separates columns.
const gutter = "  "

func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.Join(strings.Fields(printable(c)), " ")
	}
	t.rows = append(t.rows, cells)
}

// String is the table, fitted to the width of the terminal.
func (t *table) render(term terminal) string {
	widths := t.widths(term.width)
	var b strings.Builder
	t.line(&b, t.head, widths, func(_ int, s string) string { return term.bold(s) })
	style := t.style
	if style == nil {
		style = func(_ int, s string) string { return s }
	}
	for _, row := range t.rows {
		t.line(&b, row, widths, style)
	}
	return b.String()
}

func (t *table) widths(limit int) []int {
	widths := make([]int, len(t.head))
	total := (len(widths) - 1) * len(gutter)
	for i := range widths {
		widths[i] = displayWidth(t.head[i])
		for _, row := range t.rows {
			widths[i] = max(widths[i], displayWidth(row[i]))
		}
		total += widths[i]
	}
	const least = 12
	if limit > 0 && total > limit {
		widths[t.elastic] = max(least, widths[t.elastic]-(total-limit))
	}
	return widths
}

func (t *table) line(b *strings.Builder, cells []string, widths []int, style func(int, string) string) {
	for i, cell := range cells {
		if i > 0 {
			b.WriteString(gutter)
		}
		cell = cutTo(cell, widths[i])
		room := strings.Repeat(" ", max(0, widths[i]-displayWidth(cell)))
		switch {
		case t.right[i]:
			b.WriteString(room + style(i, cell))
		case i == len(cells)-1:
			b.WriteString(style(i, cell))
		default:
			b.WriteString(style(i, cell) + room)
		}
	}
	b.WriteString("\n")
}

func displayWidth(s string) int { return runewidth.StringWidth(s) }

// cutTo shortens a text to a number of columns.
func cutTo(s string, columns int) string {
	if columns <= 0 || displayWidth(s) <= columns {
		return s
	}
	return runewidth.Truncate(s, columns, "…")
}

// wrap breaks a text into lines of at most so many columns, between words
// where it can. Line breaks of the text stay.
func wrap(s string, columns int, indent string) string {
	columns -= displayWidth(indent)
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, wrapLine(strings.TrimRight(line, " \t"), columns)...)
	}
	for i, line := range lines {
		if line != "" {
			lines[i] = indent + line
		}
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string, columns int) []string {
	if columns < 20 || displayWidth(line) <= columns {
		return []string{line}
	}
	var lines []string
	at := ""
	for word := range strings.SplitSeq(line, " ") {
		for displayWidth(word) > columns {
			if at != "" {
				lines, at = append(lines, at), ""
			}
			head := runewidth.Truncate(word, columns, "")
			lines, word = append(lines, head), word[len(head):]
		}
		switch {
		case at == "":
			at = word
		case displayWidth(at)+1+displayWidth(word) <= columns:
			at += " " + word
		default:
			lines, at = append(lines, at), word
		}
	}
	return append(lines, at)
}
