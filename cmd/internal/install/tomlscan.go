package install

import (
	"bytes"
	"strings"
)

// A statement is a table header, or a key with its value, of a TOML file: the
// lines from start to end, the last without its line end. Blank lines and
// comments belong to none.
type statement struct {
	start, end int
	header     []string // of a table, nil for a key
	key        []string
}

// scanTOML divides a valid TOML file. It knows only as much of the language as
// tells where a value that spans lines ends.
func scanTOML(text []byte) []statement {
	var found []statement
	for pos := 0; pos < len(text); {
		line := text[pos:lineEnd(text, pos)]
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) == 0 || trimmed[0] == '#' {
			pos += len(line) + 1
			continue
		}
		s := statement{start: pos}
		if trimmed[0] == '[' {
			s.end = pos + len(bytes.TrimRight(line, "\r"))
			s.header = headerOf(string(trimmed))
		} else {
			stop := valueEnd(text, pos)
			s.end = pos + len(bytes.TrimRight(text[pos:stop], "\r"))
			s.key = dotted(string(trimmed))
		}
		found = append(found, s)
		pos = lineEnd(text, s.end) + 1
	}
	return found
}

func lineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(text)
}

// valueEnd is the end of the line in which a statement ends: not inside quotes
// or brackets.
func valueEnd(text []byte, pos int) int {
	depth := 0
	for pos < len(text) {
		switch c := text[pos]; c {
		case '"', '\'':
			pos = stringEnd(text, pos)
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			pos = lineEnd(text, pos)
			continue
		case '\n':
			if depth <= 0 {
				return pos
			}
		}
		pos++
	}
	return len(text)
}

// stringEnd is the position after a string of any of the four kinds.
func stringEnd(text []byte, pos int) int {
	mark := text[pos : pos+1]
	if three := bytes.Repeat(mark, 3); bytes.HasPrefix(text[pos:], three) {
		mark = three
	}
	for i := pos + len(mark); i < len(text); i++ {
		switch {
		case text[i] == '\\' && mark[0] == '"':
			i++
		case bytes.HasPrefix(text[i:], mark):
			i += len(mark)
			// Up to two more quotes may belong to the text before the mark.
			for len(mark) == 3 && i < len(text) && text[i] == mark[0] {
				i++
			}
			return i
		}
	}
	return len(text)
}

// headerOf is the name in a table's header; that of a list of tables is marked
// by an empty first part, so that it equals no table's.
func headerOf(line string) []string {
	list := strings.HasPrefix(line, "[[")
	name := dotted(strings.TrimLeft(line, "["))
	if list {
		name = append([]string{""}, name...)
	}
	if name == nil {
		name = []string{}
	}
	return name
}

// dotted reads the parts of a name up to what ends it.
func dotted(text string) []string {
	var parts []string
	var part strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return parts
			}
			part.WriteString(text[i+1 : i+1+end])
			i += end + 1
		case '.':
			parts = append(parts, part.String())
			part.Reset()
		case ' ', '\t':
		case '=', ']':
			return append(parts, part.String())
		default:
			part.WriteByte(c)
		}
	}
	return append(parts, part.String())
}
