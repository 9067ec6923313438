package ops

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"memory-mcp/textanalysis"
)

// coercion turns one given value into one of its parameter's type.
type coercion struct {
	op, name string
	notes    *[]string
}

// absent tells whether a value means that nothing was given.
func (p param) absent(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		switch fold(v) {
		case "":
			return !p.keep
		case "null":
			return true
		case "none", "undefined", "nil":
			return !p.free
		}
	case []any:
		return len(v) == 0
	}
	return false
}

func (c coercion) value(p param, v any) (any, error) {
	switch p.kind {
	case kindText:
		return c.text(p, v)
	case kindWhole:
		f, err := c.number(p, v)
		if err != nil {
			return nil, err
		}
		return int(min(max(f, -math.MaxInt32), math.MaxInt32)), nil
	case kindNumber:
		return c.number(p, v)
	case kindSwitch:
		return c.boolean(v)
	case kindTexts:
		return c.texts(p, v)
	default:
		return c.objects(p, v)
	}
}

func (c coercion) fail(v any, want string, near ...string) error {
	return &ArgumentError{Op: c.op, Name: c.name, Value: cut(compact(v), 80), Want: want, Near: near}
}

func (c coercion) text(p param, v any) (any, error) {
	if !p.free {
		v = single(v)
	}
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case []any:
		parts := make([]string, 0, len(v))
		for _, one := range v {
			if t := itemText(one); t != "" {
				parts = append(parts, t)
			}
		}
		s = strings.Join(parts, separator(p))
	case map[string]any:
		s = itemText(v)
	default:
		s = scalarText(v)
	}
	if !p.free {
		s = unquoted(strings.TrimSpace(s))
	}
	if words, ok := otherWords[p.words]; ok {
		if w, ok := words[fold(s)]; ok {
			s = w
		}
	}
	if p.words == "topic" {
		s = topicWord(s)
	}
	if len(p.enum) == 0 {
		return s, nil
	}
	return c.choice(p, s)
}

func separator(p param) string {
	if p.free {
		return "\n"
	}
	return ","
}

// single takes a list of one, and a text that holds one, for what it holds.
func single(v any) any {
	if s, ok := v.(string); ok {
		if inner, ok := embedded(s); ok {
			v = inner
		}
	}
	if l, ok := v.([]any); ok && len(l) == 1 {
		return single(l[0])
	}
	return v
}

// unquoted takes a JSON string in a string for what it says.
func unquoted(s string) string {
	var inner string
	if len(s) > 2 && s[0] == '"' && json.Unmarshal([]byte(s), &inner) == nil {
		return inner
	}
	return s
}

// choice finds the value of an enum that was meant.
func (c coercion) choice(p param, s string) (any, error) {
	for _, v := range p.enum {
		if fold(v) == fold(s) {
			return v, nil
		}
	}
	near := textanalysis.Nearest(s, p.enum, 3)
	if len(near) == 1 {
		*c.notes = append(*c.notes, fmt.Sprintf("%s %q was taken for %q", c.name, cut(s, 40), near[0]))
		return near[0], nil
	}
	return nil, c.fail(s, "it is one of "+strings.Join(p.enum, ", "), near...)
}

func (c coercion) number(p param, v any) (float64, error) {
	switch v := single(v).(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f, nil
		}
	case string:
		if f, ok := numberText(v); ok {
			return f, nil
		}
		if f, ok := numberWords[fold(v)]; ok && p.kind == kindNumber {
			return f, nil
		}
		if p.kind == kindWhole && isAll(v) {
			return math.MaxInt32, nil
		}
	}
	return 0, c.fail(v, "it should be a number, such as "+numberExample(p))
}

func numberExample(p param) string {
	if p.kind == kindWhole {
		return "10"
	}
	return "0.8"
}

func isAll(s string) bool {
	switch fold(s) {
	case "all", "max", "unlimited", "everything":
		return true
	}
	return false
}

var numberWords = map[string]float64{"low": 0.5, "medium": 0.7, "high": 0.85, "certain": 1, "full": 1}

func numberText(s string) (float64, bool) {
	t := strings.TrimSpace(unquoted(strings.TrimSpace(s)))
	scale := 1.0
	if cutoff, ok := strings.CutSuffix(t, "%"); ok {
		t, scale = strings.TrimSpace(cutoff), 0.01
	}
	t = strings.ReplaceAll(t, "_", "")
	f, err := strconv.ParseFloat(t, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, false
	}
	return f * scale, true
}

func (c coercion) boolean(v any) (any, error) {
	switch v := single(v).(type) {
	case bool:
		return v, nil
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0, nil // one too large for a float is not zero
	case string:
		switch fold(unquoted(strings.TrimSpace(v))) {
		case "true", "yes", "y", "on", "1":
			return true, nil
		case "false", "no", "n", "off", "0":
			return false, nil
		}
	}
	return nil, c.fail(v, "it is true or false")
}

// compact is a value as short JSON.
func compact(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

func scalarText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return ""
	default:
		return compact(v)
	}
}
