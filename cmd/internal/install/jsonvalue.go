package install

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// A field is one member of an object that we write, in our order.
type field struct {
	key   string
	value any // string, bool, int, []string, []any, object
}

type object []field

// render writes a value as JSON. Inside a file of one line there are no line
// ends; lists of strings never have any.
func render(v any, indent, unit, nl string, lines bool) string {
	inner := nl + indent + unit
	if !lines {
		inner, nl, indent = "", "", ""
	}
	var parts []string
	open, end := "[", "]"
	switch v := v.(type) {
	case object:
		open, end = "{", "}"
		colon := ": "
		if !lines {
			colon = ":"
		}
		for _, f := range v {
			parts = append(parts, literal(f.key)+colon+render(f.value, indent+unit, unit, nl, lines))
		}
	case []any:
		for _, x := range v {
			parts = append(parts, render(x, indent+unit, unit, nl, lines))
		}
	case []string:
		for _, x := range v {
			parts = append(parts, literal(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return literal(v)
	}
	if len(parts) == 0 {
		return open + end
	}
	return open + inner + strings.Join(parts, ","+inner) + nl + indent + end
}

// literal writes a value without any white space. The values are strings,
// numbers and truths of ours, which can always be written.
func literal(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSpace(b.String())
}

// decode gives the meaning of a value: maps, lists, texts, numbers. What it
// cannot read means nothing.
func decode(v hujson.Value) any {
	c := v.Clone()
	c.Standardize()
	d := json.NewDecoder(bytes.NewReader(c.Pack()))
	d.UseNumber()
	var out any
	if err := d.Decode(&out); err != nil {
		return nil
	}
	return out
}

// same tells whether a value of ours means what a file says.
func same(ours any, theirs *hujson.Value) bool {
	v, err := hujson.Parse([]byte(render(ours, "", "", "", false)))
	return err == nil && reflect.DeepEqual(decode(v), decode(*theirs))
}

// texts are the elements of a list that are texts.
func texts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	var out []string
	for _, x := range list {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// raw gives a value of a file back as one that can be written, with the names
// of its members in order.
func raw(v any) any {
	switch v := v.(type) {
	case map[string]any:
		var o object
		for _, k := range sortedKeys(v) {
			o = append(o, field{k, raw(v[k])})
		}
		return o
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = raw(x)
		}
		return out
	}
	return v
}
