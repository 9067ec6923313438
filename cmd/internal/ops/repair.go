package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Repaired is what came of a call's arguments: every value has the type of
// its parameter.
type Repaired struct {
	Values map[string]any
	// Notes say what was understood differently from how it was written.
	Notes []string
	// Ignored are the names that mean nothing to the operation.
	Ignored []string
}

// ArgumentError says which argument could not be understood.
type ArgumentError struct {
	Op    string
	Name  string // of the argument; "" for the arguments as a whole
	Value string
	Want  string // what it should have been
	Near  []string
}

func (e *ArgumentError) Error() string {
	if e.Name == "" {
		return "the arguments are not understood: " + e.Want
	}
	return fmt.Sprintf("argument %s has the value %s: %s", e.Name, e.Value, e.Want)
}

// Repair reads arguments as agents write them. It knows other names for the
// parameters, takes texts that hold JSON, numbers as text, one value for a list
// and lists with commas, unwraps nested arguments, and takes null, the word
// null and an empty text for absent.
func (o Op) Repair(raw json.RawMessage) (Repaired, error) {
	r := Repaired{Values: map[string]any{}}
	value, err := readJSON(raw)
	if err != nil {
		return r, &ArgumentError{Op: o.Name, Value: cut(string(raw), 80), Want: "they should be a JSON object (" + err.Error() + ")"}
	}
	given := o.object(value, 0)
	named := o.resolve(given, &r)
	for _, p := range o.params {
		v, ok := named[p.name]
		if !ok || p.absent(v) {
			continue
		}
		c := coercion{op: o.Name, name: p.name, notes: &r.Notes}
		good, err := c.value(p, v)
		if err != nil {
			return r, err
		}
		if good != nil {
			r.Values[p.name] = good
		}
	}
	return r, nil
}

// readJSON reads one JSON value; nothing is null.
func readJSON(raw []byte) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is something after the value, at byte %d", d.InputOffset())
	}
	return v, nil
}

// maxNesting bounds how deep arguments are looked for inside arguments.
const maxNesting = 5

// object finds the arguments in what was given for them.
func (o Op) object(v any, depth int) map[string]any {
	if depth > maxNesting {
		return map[string]any{}
	}
	switch v := v.(type) {
	case map[string]any:
		return o.unwrap(v, depth)
	case []any:
		return o.fromList(v, depth)
	case string:
		if inner, ok := embedded(v); ok {
			return o.object(inner, depth+1)
		}
		if strings.TrimSpace(v) == "" {
			return map[string]any{}
		}
		return o.bareText(v)
	case nil:
		return map[string]any{}
	default:
		return o.bareText(scalarText(v))
	}
}

func (o Op) bareText(s string) map[string]any {
	if o.bare == "" || fold(s) == "null" {
		return map[string]any{}
	}
	return map[string]any{o.bare: s}
}

func (o Op) fromList(list []any, depth int) map[string]any {
	if len(list) == 1 {
		return o.object(list[0], depth+1)
	}
	for _, p := range o.params {
		if p.kind == kindObjects && len(list) > 0 {
			return map[string]any{p.name: list}
		}
	}
	if o.bare == "" || len(list) == 0 {
		return map[string]any{}
	}
	return map[string]any{o.bare: list}
}

// unwrap takes {"arguments": {...}} for what it holds.
func (o Op) unwrap(m map[string]any, depth int) map[string]any {
	for _, key := range sortedKeys(m) {
		if !slices.Contains(wrappers, fold(key)) || o.knows(key) {
			continue
		}
		inner := m[key]
		if s, ok := inner.(string); ok {
			if v, ok := embedded(s); ok {
				inner = v
			}
		}
		nested, ok := inner.(map[string]any)
		if !ok {
			continue
		}
		merged := o.object(nested, depth+1)
		for k, v := range m {
			if _, taken := merged[k]; k != key && !taken && !namesTool(k, v) {
				merged[k] = v
			}
		}
		return merged
	}
	return m
}

var wrappers = []string{"arguments", "args", "params", "parameters", "input", "kwargs", "toolinput", "payload", "data", "request", "toolarguments"}

// namesTool tells whether a key beside nested arguments only repeats which
// tool is called.
func namesTool(key string, v any) bool {
	s, ok := v.(string)
	if !ok {
		return false
	}
	switch fold(key) {
	case "name", "tool", "toolname", "method", "function":
		_, found := Find(s)
		return found
	}
	return false
}

// knows tells whether the key is a parameter or another word for one.
func (o Op) knows(key string) bool {
	if _, ok := o.param(key); ok {
		return true
	}
	_, ok := o.aliases[fold(key)]
	return ok
}

func (o Op) param(key string) (param, bool) {
	want := fold(key)
	for _, p := range o.params {
		if p.name == key || fold(p.name) == want {
			return p, true
		}
	}
	return param{}, false
}

// embedded reads a text that holds a JSON object or list.
func embedded(s string) (any, bool) {
	t := strings.TrimSpace(s)
	if len(t) < 2 || t[0] != '{' && t[0] != '[' {
		return nil, false
	}
	v, err := readJSON([]byte(t))
	return v, err == nil
}

// fold makes names comparable: without case, and without what stands between
// words.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

func toolName(s string) string {
	if i := strings.LastIndex(s, "__"); i >= 0 {
		s = s[i+2:]
	}
	return fold(s)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	seen := 0
	for i := range s {
		if seen == n {
			return s[:i] + "…"
		}
		seen++
	}
	return s
}
