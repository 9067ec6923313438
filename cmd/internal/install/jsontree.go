package install

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tailscale/hujson"

	"memory-mcp/cmd/internal/hosts"
)

// byteOrderMark may stand before a file's first character.
const byteOrderMark = "\xef\xbb\xbf"

// A tree is a JSON file with the places of all its parts. The text is never
// printed from the tree: edits are cut out of it or put into it.
type tree struct {
	text  []byte // without the byte order mark
	mark  []byte
	blank bool // the text holds white space and comments only
	root  *hujson.Value
	nl    string // how its lines end
	unit  string // one step of its indentation
}

// parse reads a file in the dialect of its host: what the host would refuse is
// refused here.
func parse(b []byte, f hosts.Format) (tree, error) {
	t := tree{text: b, nl: "\n", unit: "  "}
	if bytes.HasPrefix(b, []byte(byteOrderMark)) {
		t.mark, t.text = b[:len(byteOrderMark)], b[len(byteOrderMark):]
	}
	if i := bytes.IndexByte(t.text, '\n'); i > 0 && t.text[i-1] == '\r' {
		t.nl = "\r\n"
	}
	if f == hosts.JSON && len(bytes.TrimSpace(t.text)) > 0 && !json.Valid(t.text) {
		return t, strictError(t.text)
	}
	end, _ := lastComment(t.text)
	if len(bytes.Trim(t.text[end:], " \t\r\n")) == 0 {
		t.blank = true
		_, err := hujson.Parse(append(bytes.Clone(t.text), "\n{}"...)) // comments have rules too
		return t, err
	}
	// A line comment that ends the file needs the end of its line to be read.
	root, err := hujson.Parse(append(bytes.Clone(t.text), '\n'))
	if err != nil {
		return t, err
	}
	if f == hosts.JSONComments && trailingComma(root) {
		return t, fmt.Errorf("it has a comma before a closing bracket, which its host does not read")
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return t, fmt.Errorf("it holds no JSON object")
	}
	t.root = &root
	t.unit = t.indentUnit()
	return t, nil
}

// strictError tells where a file stops being strict JSON.
func strictError(text []byte) error {
	var v any
	err := json.Unmarshal(text, &v)
	if at, ok := err.(*json.SyntaxError); ok {
		line := 1 + bytes.Count(text[:min(int(at.Offset), len(text))], []byte("\n"))
		return fmt.Errorf("it is not valid JSON at line %d: %w", line, err)
	}
	return fmt.Errorf("it is not valid JSON: %w", err)
}

func trailingComma(root hujson.Value) bool {
	for v := range root.All() {
		if b := boxOf(v); b != nil && b.comma {
			return true
		}
	}
	return false
}

// indentUnit is how far the first member stands in.
func (t tree) indentUnit() string {
	b := boxOf(t.root)
	if b == nil || len(b.items) == 0 {
		return "  "
	}
	space := t.spaceBefore(b, 0)
	if i := bytes.LastIndexByte(space, '\n'); i >= 0 && i+1 < len(space) {
		return string(space[i+1:])
	}
	return "  "
}

// A box is an object or an array: its brackets and what is in it.
type box struct {
	open, close int
	items       []item
	comma       bool // after the last one
}

// An item is a member or an element, from the first byte of its name to the
// last of its value.
type item struct {
	name       string
	start, end int
	comma      int // where the comma after it is, 0 for none
	value      *hujson.Value
}

// boxOf is nil for a value that holds no others.
func boxOf(v *hujson.Value) *box {
	b := &box{open: v.StartOffset, close: v.EndOffset - 1}
	switch x := v.Value.(type) {
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			name, ok := m.Name.Value.(hujson.Literal)
			if !ok {
				return nil
			}
			b.add(name.String(), m.Name.StartOffset, &m.Value, i == len(x.Members)-1)
		}
	case *hujson.Array:
		for i := range x.Elements {
			b.add("", x.Elements[i].StartOffset, &x.Elements[i], i == len(x.Elements)-1)
		}
	default:
		return nil
	}
	return b
}

func (b *box) add(name string, start int, v *hujson.Value, last bool) {
	it := item{name: name, start: start, end: v.EndOffset, value: v}
	if !last || v.AfterExtra != nil {
		it.comma = v.EndOffset + len(v.AfterExtra)
	}
	b.comma = last && it.comma > 0
	b.items = append(b.items, it)
}

// find is the position of the only member with a name, -1 when there is none.
func (b *box) find(name string) (int, error) {
	found := -1
	for i, it := range b.items {
		if it.name != name {
			continue
		}
		if found >= 0 {
			return -1, fmt.Errorf("the member %q is there twice", name)
		}
		found = i
	}
	return found, nil
}

// before is the text between an item and the bracket or comma in front of it.
func (t tree) before(b *box, i int) (from int, text []byte) {
	from = b.open + 1
	if i > 0 {
		from = b.items[i-1].comma + 1
	}
	return from, t.text[from:b.items[i].start]
}

// tail is the text between the last item, or its comma, and the closing
// bracket.
func (t tree) tail(b *box) (from int, text []byte) {
	from = b.open + 1
	if n := len(b.items); n > 0 {
		from = b.items[n-1].end
		if b.comma {
			from = b.items[n-1].comma + 1
		}
	}
	return from, t.text[from:b.close]
}

// lastComment is the end of the last comment in a text of comments and white
// space, without the end of its line; line tells that it reaches to there.
func lastComment(text []byte) (end int, line bool) {
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				return len(text), true
			}
			end, line = i+len(bytes.TrimRight(rest[:n], "\r")), true
			i += n
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 2 {
				return end, line
			}
			end, line = i+n+2, false
			i = end
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			i++
		default:
			return end, line
		}
	}
	return end, line
}

// indentAt is the white space that opens the line of a position.
func (t tree) indentAt(pos int) string {
	start := bytes.LastIndexByte(t.text[:pos], '\n') + 1
	line := t.text[start:pos]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// whole is the file with its text replaced: never nil, for an empty file is not
// an absent one.
func (t tree) whole(text []byte) []byte {
	return append(append([]byte{}, t.mark...), text...)
}
