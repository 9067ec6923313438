package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// A reader walks one JSON text and collects what it could not use.
type reader struct {
	file     string // empty for a variable
	src      []byte
	problems []Problem
}

// A field is one known key and what reads its value.
type field struct {
	name string
	read func(key string, v *hujson.Value)
}

// maxBrackets bounds the nesting that the parser may meet: it is recursive,
// and no configuration comes near.
const maxBrackets = 20000

// parse reads the text as JSON with comments and trailing commas. The error is
// a sentence about the text, with the line when there is one.
func parse(src []byte) (*hujson.Value, int, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, 0, fmt.Errorf("the text is empty")
	}
	if n := bytes.IndexFunc(src, func(r rune) bool { return r == utf8.RuneError }); n >= 0 && !utf8.Valid(src) {
		return nil, lineOf(src, invalidAt(src)), fmt.Errorf("the text is not UTF-8")
	}
	if bytes.Count(src, []byte("["))+bytes.Count(src, []byte("{")) > maxBrackets {
		return nil, 0, fmt.Errorf("the text holds more than %d brackets", maxBrackets)
	}
	// A comment in the last line needs an end of line for the parser.
	v, err := hujson.Parse(append(bytes.Clone(src), '\n'))
	if err != nil {
		var line, column int
		text := err.Error()
		if _, scanErr := fmt.Sscanf(text, "hujson: line %d, column %d:", &line, &column); scanErr == nil {
			_, text, _ = strings.Cut(text, ": ")
			_, text, _ = strings.Cut(text, ": ")
		}
		// A text that is cut off is at fault in its last line with something on it.
		last := lineOf(src, len(bytes.TrimRight(src, " \t\r\n")))
		return nil, min(line, last), fmt.Errorf("the text is not JSON: %s", text)
	}
	return &v, 0, nil
}

func invalidAt(src []byte) int {
	for n := 0; n < len(src); {
		r, size := utf8.DecodeRune(src[n:])
		if r == utf8.RuneError && size == 1 {
			return n
		}
		n += size
	}
	return len(src)
}

func lineOf(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}

// line is the line of a value in a file, and 0 in a variable.
func (r *reader) line(v *hujson.Value) int {
	if r.file == "" {
		return 0
	}
	return lineOf(r.src, v.StartOffset)
}

func (r *reader) warn(v *hujson.Value, key, what, near, remedy string) {
	r.problems = append(r.problems, Problem{File: r.file, Line: r.line(v), Key: key, What: what, Near: near, Remedy: remedy})
}

// mismatch tells that a value has another form than the key takes.
func (r *reader) mismatch(v *hujson.Value, key, want, example string) {
	r.warn(v, key, fmt.Sprintf("%s is not %s, and is ignored", shown(v), want), "", "write it like "+example)
}

// shown is a value as a message may hold it.
func shown(v *hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	text := v.Value.(hujson.Literal)
	if len(text) > 80 {
		return string(bytes.ToValidUTF8(text[:80], nil)) + "…"
	}
	return string(text)
}

// members calls visit for each member of an object, once for each name: the
// first of a repeated name counts, and the others are told.
func (r *reader) members(v *hujson.Value, key, example string, visit func(name string, at, value *hujson.Value)) bool {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.mismatch(v, key, "an object", example)
		return false
	}
	seen := map[string]int{}
	for i := range object.Members {
		m := &object.Members[i]
		name := m.Name.Value.(hujson.Literal).String()
		if line, again := seen[name]; again {
			r.warn(&m.Name, join(key, name), "the key is there twice"+inLine(line)+", and this one is ignored", "", "remove one of the two")
			continue
		}
		seen[name] = r.line(&m.Name)
		if !comment(name) {
			visit(name, &m.Name, &m.Value)
		}
	}
	return true
}

func inLine(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(", the first time in line %d", line)
}

// comment is true for the keys by which strict JSON files carry comments and
// name their schema.
func comment(name string) bool {
	return name == "$schema" || strings.HasPrefix(name, "//") || strings.HasPrefix(name, "#")
}

// object reads the known keys of an object and tells the unknown ones.
func (r *reader) object(v *hujson.Value, key, example string, fields []field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	r.members(v, key, example, func(name string, at, value *hujson.Value) {
		for _, f := range fields {
			if f.name == name && value.Value.Kind() == 'n' {
				return // null is a key that is not set
			}
			if f.name == name {
				f.read(join(key, name), value)
				return
			}
		}
		r.unknown(at, value, key, name, names)
	})
}

func (r *reader) unknown(at, value *hujson.Value, key, name string, known []string) {
	what := "the key is not known, and is ignored"
	near := nearest(name, known)
	remedy := ""
	if near == "" {
		remedy = "the keys here are " + strings.Join(known, ", ")
	}
	home := misplaced(key, name)
	if key == "" && value.Find("/root") != nil {
		home = `"lobes"`
	}
	if home != "" {
		what, near, remedy = "the key does not belong here, and is ignored", "", "move it into "+home
	}
	r.warn(at, join(key, name), what, near, remedy)
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

func (r *reader) text(v *hujson.Value, key, example string) (string, bool) {
	if v.Value.Kind() != '"' {
		r.mismatch(v, key, "a text", example)
		return "", false
	}
	return v.Value.(hujson.Literal).String(), true
}

// boolean returns a reader of true and false.
func (r *reader) boolean(into *bool) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		switch v.Value.Kind() {
		case 't', 'f':
			*into = v.Value.Kind() == 't'
		default:
			r.mismatch(v, key, "true or false", fmt.Sprintf("%q: true", leaf(key)))
		}
	}
}

// choice returns a reader of one word out of a few. The map gives the value
// that each stands for.
func (r *reader) choice(into *string, words []string, standsFor map[string]string) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		example := fmt.Sprintf("%q: %q", leaf(key), words[0])
		word, ok := r.text(v, key, example)
		if !ok {
			return
		}
		value, known := standsFor[word]
		if !known {
			r.warn(v, key, fmt.Sprintf("%q is not one of %s, and is ignored", word, strings.Join(words, ", ")), nearest(word, words), "write it like "+example)
			return
		}
		*into = value
	}
}

// number reads a number between two bounds and takes the nearer bound for one
// outside. A zero stands when zero is allowed besides.
func (r *reader) number(v *hujson.Value, key string, low, high float64, zero bool) (float64, bool) {
	example := fmt.Sprintf("%q: %s", leaf(key), digits(low))
	var n float64
	if v.Value.Kind() != '0' || json.Unmarshal(v.Value.(hujson.Literal), &n) != nil || math.IsInf(n, 0) {
		r.mismatch(v, key, "a number", example)
		return 0, false
	}
	if n == 0 && zero || n >= low && n <= high {
		return n, true
	}
	clamped := max(low, min(n, high))
	r.warn(v, key, fmt.Sprintf("%s is not between %s and %s; %s is used", shown(v), digits(low), digits(high), digits(clamped)), "", "write it like "+example)
	return clamped, true
}

// digits writes a number without an exponent.
func digits(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// integer returns a reader of a whole number; a fraction is rounded.
func (r *reader) integer(into *int, low, high int, zero bool) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		n, ok := r.number(v, key, float64(low), float64(high), zero)
		if !ok {
			return
		}
		*into = int(math.Round(n))
		if float64(*into) != n {
			r.warn(v, key, fmt.Sprintf("%s is not a whole number; %d is used", shown(v), *into), "", "write a whole number")
		}
	}
}

// float returns a reader of a number.
func (r *reader) float(into *float64, low, high float64) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		if n, ok := r.number(v, key, low, high, false); ok {
			*into = n
		}
	}
}

// texts reads a list of texts, or one text for a list of one. It calls use
// for each.
func (r *reader) texts(v *hujson.Value, key, example string, use func(v *hujson.Value, text string)) {
	one := func(v *hujson.Value) {
		if text, ok := r.text(v, key, example); ok {
			use(v, text)
		}
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		if v.Value.Kind() != '"' {
			r.mismatch(v, key, "a list of texts", example)
			return
		}
		one(v)
		return
	}
	for i := range list.Elements {
		one(&list.Elements[i])
	}
}

func leaf(key string) string {
	return key[strings.LastIndexByte(key, '.')+1:]
}
