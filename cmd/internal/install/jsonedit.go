package install

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"memory-mcp/cmd/internal/hosts"
)

// A jsonFile is the text of a JSON file and its dialect. Each of its methods
// changes the text by cutting or putting in, so everything else stays as it is.
//
// Insertion and removal are inverse without any record, since the white space
// that is put in tells what was there: where we open a container that was there
// and empty, its end is preceded by an empty line; where we made it, it is not.
type jsonFile struct {
	text   []byte // nil: there is no file
	format hosts.Format
}

// at is the value at a path of names (string) and positions (int), nil when
// there is none.
func (t tree) at(path []any) (*hujson.Value, error) {
	v := t.root
	for i, step := range path {
		if v == nil {
			return nil, nil
		}
		b := boxOf(v)
		n := -1
		switch step := step.(type) {
		case string:
			if _, ok := v.Value.(*hujson.Object); !ok {
				return nil, fmt.Errorf("%v is not an object", path[:i])
			}
			found, err := b.find(step)
			if err != nil {
				return nil, err
			}
			n = found
		case int:
			if _, ok := v.Value.(*hujson.Array); !ok {
				return nil, fmt.Errorf("%v is not a list", path[:i])
			}
			if step < len(b.items) {
				n = step
			}
		}
		if n < 0 {
			return nil, nil
		}
		v = b.items[n].value
	}
	return v, nil
}

// get is the meaning of what stands at a path, nil for nothing.
func (f *jsonFile) get(path ...any) (any, error) {
	t, err := parse(f.text, f.format)
	if err != nil || t.blank {
		return nil, err
	}
	v, err := t.at(path)
	if err != nil || v == nil {
		return nil, err
	}
	return decode(*v), nil
}

// put sets a member; the objects on the way to it are made where they are
// missing. A member that means the same already is not touched.
func (f *jsonFile) put(value any, path ...string) error {
	t, err := parse(f.text, f.format)
	if err != nil {
		return err
	}
	if t.blank {
		f.text = t.begin(f.text == nil, wrap(value, path, len(path)))
		return nil
	}
	steps := make([]any, len(path))
	for i, p := range path {
		steps[i] = p
	}
	for depth := len(path); depth > 0; depth-- {
		v, err := t.at(steps[:depth])
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		if depth == len(path) {
			f.text = t.replace(v, value)
			return nil
		}
		return f.insert(t, v, field{path[depth], wrap(value, path[depth+1:], len(path)-depth-1)})
	}
	return f.insert(t, t.root, field{path[0], wrap(value, path[1:], len(path)-1)})
}

// wrap puts a value into objects, the last of n names innermost.
func wrap(value any, path []string, n int) any {
	for i := n - 1; i >= 0; i-- {
		value = object{{path[i], value}}
	}
	return value
}

// push adds an element at the end of a list, which is made if it is missing.
func (f *jsonFile) push(value any, path ...string) error {
	there, err := f.get(anys(path)...)
	if err != nil {
		return err
	}
	if there == nil {
		return f.put([]any{value}, path...)
	}
	t, err := parse(f.text, f.format)
	if err != nil {
		return err
	}
	v, err := t.at(anys(path))
	if err != nil {
		return err
	}
	if _, ok := v.Value.(*hujson.Array); !ok {
		return fmt.Errorf("%q is not a list", path)
	}
	return f.insert(t, v, field{"", value})
}

// begin writes a file of ours where there is none, or only white space and
// comments. In the second case these follow after an empty line.
func (t tree) begin(absent bool, value any) []byte {
	text := render(value, "", t.unit, t.nl, true)
	if absent {
		return []byte(text + t.nl)
	}
	return t.whole([]byte(text + t.nl + t.nl + string(t.text)))
}

func (t tree) replace(v *hujson.Value, value any) []byte {
	if same(value, v) {
		return t.whole(t.text)
	}
	old := t.text[v.StartOffset:v.EndOffset]
	text := render(value, t.indentAt(v.StartOffset), t.unit, t.nl, bytes.IndexByte(old, '\n') >= 0)
	return t.whole(slices.Concat(t.text[:v.StartOffset], []byte(text), t.text[v.EndOffset:]))
}

// insert puts an item at the end of a container.
func (f *jsonFile) insert(t tree, v *hujson.Value, it field) error {
	b := boxOf(v)
	if _, isObject := v.Value.(*hujson.Object); b == nil || it.key != "" && !isObject {
		return fmt.Errorf("the member that should hold %q is no object", it.key)
	}
	from, tail := t.tail(b)
	end, line := lastComment(tail)
	pos := from + end
	if len(b.items) == 0 {
		indent := t.indentAt(b.open)
		text := t.nl + indent + t.unit + t.item(it, indent+t.unit, true) + t.emptied(b)
		f.text = t.whole(slices.Concat(t.text[:pos], []byte(text), t.text[pos:]))
		return nil
	}
	last := b.items[len(b.items)-1]
	space := t.spaceBefore(b, len(b.items)-1)
	lines := bytes.IndexByte(space, '\n') >= 0
	indent := string(space[bytes.LastIndexByte(space, '\n')+1:])
	if line && !lines {
		space = append([]byte(t.nl), space...)
	}
	text := string(space) + t.item(it, indent, lines)
	if b.comma {
		f.text = t.whole(slices.Concat(t.text[:pos], []byte(text+","), t.text[pos:]))
		return nil
	}
	f.text = t.whole(slices.Concat(t.text[:last.end], []byte(","), t.text[last.end:pos], []byte(text), t.text[pos:]))
	return nil
}

// spaceBefore is the white space right before an item.
func (t tree) spaceBefore(b *box, i int) []byte {
	_, text := t.before(b, i)
	end, _ := lastComment(text)
	return bytes.Clone(text[end:])
}

// emptied is what follows our item in a container that was there and empty.
func (t tree) emptied(b *box) string {
	return t.nl + t.nl + t.indentAt(b.open)
}

func (t tree) item(it field, indent string, lines bool) string {
	value := render(it.value, indent, t.unit, t.nl, lines)
	switch {
	case it.key == "":
		return value
	case lines:
		return literal(it.key) + ": " + value
	}
	return literal(it.key) + ":" + value
}

func anys(path []string) []any {
	out := make([]any, len(path))
	for i, p := range path {
		out[i] = p
	}
	return out
}
